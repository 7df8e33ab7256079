"""From a changed object to a stored revision: what the caller may change, defaults, validation, generation."""

from typing import Any

from tenantry_sim.api.call import Answer, Call, decode_object
from tenantry_sim.api.owners import note_update
from tenantry_sim.kinds import charging
from tenantry_sim.kinds.deletion import release
from tenantry_sim.kinds.events import to_stored, to_view
from tenantry_sim.kinds.names import metadata_causes
from tenantry_sim.kinds.registry import rules_of
from tenantry_sim.status import Cause, bad_request, conflict, invalid
from tenantry_sim.store.records import Object, Record, encode, with_type
from tenantry_sim.store.resource import Resource
from tenantry_sim.world import World

_KEPT_METADATA = (
    "uid",
    "name",
    "namespace",
    "generateName",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "managedFields",
)


def decode_update(call: Call, record: Record) -> Object:
    """The body of a PUT. Raises ApiError: 400 for another name or namespace, 409 for another revision."""
    obj = to_stored(call.resource, decode_object(call))
    metadata = obj["metadata"]
    if metadata.get("name", call.name) != call.name:
        text = f"the name of the object ({metadata['name']}) does not match the name on the URL ({call.name})"
        raise bad_request(text)
    if metadata.get("namespace", call.namespace) != call.namespace:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    if call.resource.custom is not None and not metadata.get("resourceVersion"):
        cause = Cause(
            "FieldValueInvalid", "Invalid value: 0: must be specified for an update", "metadata.resourceVersion"
        )
        raise invalid(call.resource.kind, call.resource.group, record.name, [cause])
    check_version(call, record, metadata)
    return obj


def check_version(call: Call, record: Record, metadata: dict[str, Any]) -> None:
    """Optimistic concurrency. Raises ApiError 409."""
    resource = call.resource
    if metadata.get("resourceVersion") not in (None, "", str(record.rv)):
        raise conflict(resource.plural, resource.group, record.name)
    if metadata.get("uid") not in (None, "", record.uid):
        why = f"Precondition failed: UID in precondition: {metadata['uid']}, UID in object meta: {record.uid}"
        raise conflict(resource.plural, resource.group, record.name, why)


def commit(world: World, call: Call, record: Record, obj: Object) -> Record | Answer:
    """Store a changed object. An unchanged one keeps its revision; one that this removes comes back as an Answer.

    `obj` is private to this call. Raises ApiError 422.
    """
    store, old = world.store.kind(call.resource), record.decode()
    rules = rules_of(call.resource)
    part = rules.parts.get(call.subresource)
    forget_owners = obj["metadata"].get("managedFields") in ([], [{}])
    new = _changed(world, call, record, old, obj)
    admitted = part is not None and part.admitted
    if admitted:
        rules.admit(world, new, call.dry_run)
    charges = charging.check_change(world, call.resource, old, new) if _is_whole(call) or admitted else ()
    if forget_owners:
        new["metadata"].pop("managedFields", None)
    note_update(world, call, old, new)
    if new == old:
        return record
    if call.dry_run:
        return _answer(call, new)
    charging.charge(world, charges)
    if release(world, store, record, new):
        return _answer(call, new)
    return world.store.replace(store, record, new)


def _is_whole(call: Call) -> bool:
    """Whether the request writes the object itself; what is written to a custom resource is always checked as one."""
    return call.subresource == "" or call.resource.custom is not None


def _changed(world: World, call: Call, record: Record, old: Object, obj: Object) -> Object:
    """The object after the change, with defaults, admitted by webhooks and validated. Raises ApiError 422."""
    resource, rules = call.resource, rules_of(call.resource)
    part = rules.parts.get(call.subresource)
    new = _merge_parts(call, old, obj) if part is None else part.merge(old, obj)
    _keep_metadata(old, new)
    if _is_whole(call):
        rules.default(new)
        rules.update(world, old, new)
    if call.gate is not None:
        new = call.gate.mutate(call, "UPDATE", new, record.decode())
        _keep_metadata(old, new)
    rules.normalise_status(new)
    causes = metadata_causes(resource.kind, new["metadata"])
    if _is_whole(call):
        causes += rules.validate_update(old, new)
    if part is not None:
        causes += part.validate(old, new)
    if causes:
        raise invalid(resource.kind, resource.group, record.name, causes)
    counts = part is not None or call.subresource == ""
    if world.store.kind(resource).resource.generation and counts and _spec_changed(resource, old, new):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
    if call.gate is not None:
        call.gate.validate(call, "UPDATE", new, record.decode())
    return new


def _answer(call: Call, obj: Object) -> Answer:
    return Answer(200, with_type(call.resource, encode(to_view(call.resource, obj))))


def _merge_parts(call: Call, old: Object, new: Object) -> Object:
    """Status requests change the status and labels only; main requests leave the status alone; finalize, the spec."""
    if call.subresource == "status":
        merged = dict(old)
        merged["metadata"] = dict(new["metadata"])
        merged["status"] = new.get("status", {})
        return merged
    if call.subresource == "finalize":
        return {**old, "spec": {"finalizers": (new.get("spec") or {}).get("finalizers") or []}}
    if call.resource.has_status:
        new.pop("status", None)
        if "status" in old:
            new["status"] = old["status"]
    if call.resource.key == "/namespaces":
        new["spec"] = old.get("spec", {})
    return new


def _keep_metadata(old: Object, new: Object) -> None:
    before, after = old["metadata"], new["metadata"]
    for key in _KEPT_METADATA:
        if key in before:
            after[key] = before[key]
        else:
            after.pop(key, None)
    after.pop("selfLink", None)
    for key in ("labels", "annotations", "finalizers", "ownerReferences"):
        if key in after and not after[key]:
            del after[key]
    after["resourceVersion"] = before["resourceVersion"]


def _spec_changed(resource: Resource, old: Object, new: Object) -> bool:
    aside = ("metadata",) if resource.custom is not None and not resource.has_status else ("metadata", "status")
    return {k: v for k, v in old.items() if k not in aside} != {k: v for k, v in new.items() if k not in aside}
