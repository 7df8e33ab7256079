"""From a call to its verb. Everything here is synchronous: one request changes the store in one step."""

from tenantry_sim.api import patches, scaling, verbs
from tenantry_sim.api.call import Answer, Call, Gate, decode_body, decode_optional
from tenantry_sim.kinds import binding, eviction
from tenantry_sim.status import SUCCESS_CREATED, ApiError, not_allowed
from tenantry_sim.store.records import Object, encode
from tenantry_sim.world import World

_ON_OBJECT = {"GET": verbs.get, "PUT": verbs.update, "PATCH": patches.patch, "DELETE": verbs.delete}
_ON_COLLECTION = {"GET": verbs.list_objects, "POST": verbs.create, "DELETE": verbs.delete_collection}


def dispatch(world: World, call: Call) -> Answer:
    """Answer a call that is not a watch. Raises ApiError."""
    if call.subresource == "binding":
        if call.method != "POST":
            raise not_allowed()
        body = call.body if call.gate is None else encode(_admitted(call, call.gate, decode_body(call, "Binding")))
        binding.bind(world, call.namespace, call.name, binding.parse(body), call.dry_run)
        return Answer(201, SUCCESS_CREATED)
    if call.subresource == "eviction":
        return _evict(world, call)
    if call.subresource == "scale":
        return scaling.scale(world, call)
    if call.name:
        action = _ON_OBJECT.get(call.method)
        if action is None or (call.subresource and call.method == "DELETE"):
            raise not_allowed()
        return action(world, call)
    action = _ON_COLLECTION.get(call.method)
    if action is None or (call.method == "DELETE" and "deletecollection" not in call.resource.verbs):
        raise not_allowed()
    if call.method == "POST" and call.resource.namespaced and not call.namespace:
        raise not_allowed()
    return action(world, call)


def _evict(world: World, call: Call) -> Answer:
    if call.method != "POST":
        raise not_allowed()
    wanted = decode_optional(call)
    if call.gate is not None:
        wanted = _admitted(call, call.gate, wanted)
    eviction.evict(world, call.namespace, call.name, wanted, call.dry_run)
    return Answer(201, SUCCESS_CREATED)


def _admitted(call: Call, gate: Gate, posted: Object) -> Object:
    """What was posted to a subresource, as webhooks leave it. Raises ApiError."""
    bare = {key: value for key, value in posted.items() if key not in ("kind", "apiVersion")}
    bare.setdefault("metadata", {})
    changed = gate.mutate(call, "CREATE", bare, None)
    gate.validate(call, "CREATE", changed, None)
    return changed


def bind_collection(world: World, namespace: str, body: bytes, dry_run: bool) -> Answer:
    """POST of a Binding to the namespace's `bindings`: the pod is the binding's own name."""
    wanted = binding.parse(body)
    binding.bind(world, namespace, wanted.metadata.name, wanted, dry_run)
    return Answer(201, SUCCESS_CREATED)


__all__ = ["ApiError", "bind_collection", "dispatch"]
