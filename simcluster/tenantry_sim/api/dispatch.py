"""From a call to its verb. Everything here is synchronous: one request changes the store in one step."""

from typing import Any

from tenantry_sim.api import patches, verbs
from tenantry_sim.api.call import Answer, Call, decode_body, decode_optional
from tenantry_sim.kinds import binding, eviction, shapes
from tenantry_sim.kinds.rules import prune_nulls
from tenantry_sim.status import SUCCESS_CREATED, ApiError, not_allowed
from tenantry_sim.store.records import encode
from tenantry_sim.world import World

_ON_OBJECT = {"GET": verbs.get, "PUT": verbs.update, "PATCH": patches.patch, "DELETE": verbs.delete}
_ON_COLLECTION = {"GET": verbs.list_objects, "POST": verbs.create, "DELETE": verbs.delete_collection}
_REVIEWS = {
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": "SelfSubjectAccessReview",
    "/apis/authorization.k8s.io/v1/subjectaccessreviews": "SubjectAccessReview",
    "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews": "SelfSubjectRulesReview",
    "/apis/authentication.k8s.io/v1/tokenreviews": "TokenReview",
    "/apis/authentication.k8s.io/v1/selfsubjectreviews": "SelfSubjectReview",
}


def dispatch(world: World, call: Call) -> Answer:
    """Answer a call that is not a watch. Raises ApiError."""
    if call.subresource == "binding":
        if call.method != "POST":
            raise not_allowed()
        binding.bind(world, call.namespace, call.name, binding.parse(call.body), call.dry_run)
        return Answer(201, SUCCESS_CREATED)
    if call.subresource == "eviction":
        return _evict(world, call)
    if call.subresource == "scale":
        return patches.scale(world, call)
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
    eviction.evict(world, call.namespace, call.name, decode_optional(call), call.dry_run)
    return Answer(201, SUCCESS_CREATED)


def bind_collection(world: World, namespace: str, body: bytes, dry_run: bool) -> Answer:
    """POST of a Binding to the namespace's `bindings`: the pod is the binding's own name."""
    wanted = binding.parse(body)
    binding.bind(world, namespace, wanted.metadata.name, wanted, dry_run)
    return Answer(201, SUCCESS_CREATED)


def review(path: str, call: Call, token: str) -> Answer | None:
    """Access and token reviews; None for other paths.

    Access is not evaluated: the caller itself may do everything, nobody else anything. A token is known only if it
    is the server's own.
    """
    kind = _REVIEWS.get(path)
    if kind is None:
        return None
    if call.method != "POST":
        raise not_allowed()
    document = prune_nulls(decode_body(call, kind))
    shapes.check(kind, document)
    spec: dict[str, Any] = document.get("spec") or {}
    user = {"username": "sim-admin", "groups": ["system:masters", "system:authenticated"]}
    if kind == "TokenReview":
        known = bool(token) and spec.get("token") == token
        status: dict[str, Any] = {"authenticated": True, "user": user} if known else {}
        if not known:
            status = {"user": {}, "error": "invalid bearer token"}
    elif kind == "SelfSubjectReview":
        status = {"userInfo": user}
    elif kind == "SelfSubjectRulesReview":
        rule = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
        status = {"resourceRules": [rule], "nonResourceRules": [], "incomplete": False}
    else:
        status = {"allowed": kind == "SelfSubjectAccessReview" or spec.get("user") == "sim-admin"}
    head = {"kind": kind, "apiVersion": path.removeprefix("/apis/").rpartition("/")[0], "metadata": {}}
    return Answer(201, encode({**head, "spec": spec, "status": status}))


__all__ = ["ApiError", "bind_collection", "dispatch", "review"]
