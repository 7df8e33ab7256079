"""The apply patch: create what is missing, otherwise merge by owner."""

from typing import Any

from tenantry_sim.api.call import Answer, Call, check_shape, settle
from tenantry_sim.api.changes import check_version, commit
from tenantry_sim.api.owners import fields_of, writer_of
from tenantry_sim.api.verbs import create_object, required_record, shown, shown_object
from tenantry_sim.kinds.events import to_stored
from tenantry_sim.kinds.rules import prune_nulls
from tenantry_sim.ownership.managers import applied, created
from tenantry_sim.status import Cause, bad_request, invalid
from tenantry_sim.store.records import Object
from tenantry_sim.world import World


def apply(world: World, call: Call, change: Any) -> Answer:
    """Server-side apply. Raises ApiError: 400 and 422 for a bad request, 409 when others own what it changes."""
    config = _configuration(call, change)
    record = world.store.kind(call.resource).get(call.namespace, call.name)
    if record is None:
        return _create(world, call, config)
    check_version(call, record, config["metadata"])
    writer = writer_of(world, call, "Apply")
    force = call.query.get("force") in ("true", "1")
    stated = _own_part(call, config)
    live = record.decode()
    merged, call.applied = applied(live, stated, fields_of(call), writer, force)
    result = commit(world, call, record, to_stored(call.resource, merged))
    return result if isinstance(result, Answer) else shown(world, call, result)


def _own_part(call: Call, config: Object) -> Object:
    """What this request may state: the status on its subresource, everything else beside it."""
    if call.subresource == "status":
        return {"metadata": {}, **({"status": config["status"]} if "status" in config else {})}
    metadata = {
        key: config["metadata"][key]
        for key in ("labels", "annotations", "finalizers", "ownerReferences")
        if key in config["metadata"]
    }
    aside = ("metadata", "status") if call.resource.has_status else ("metadata",)
    return {"metadata": metadata, **{key: value for key, value in config.items() if key not in aside}}


def _configuration(call: Call, change: Any) -> Object:
    if not call.query.get("fieldManager"):
        cause = Cause("FieldValueRequired", "Required value: is required for apply patch", "fieldManager")
        raise invalid("PatchOptions", "meta.k8s.io", "", [cause])
    if not isinstance(change, dict):
        raise bad_request("error decoding YAML: the patch is not an object")
    kind, version = change.pop("kind", None), change.pop("apiVersion", None)
    resource = call.resource
    if (kind, version) != (resource.kind, resource.api_version):
        raise bad_request(f"invalid object type: want {resource.api_version}, Kind={resource.kind}: {version}, {kind}")
    check_shape(resource, prune_nulls(change))
    settle(call, change)
    if change["metadata"].get("name", call.name) != call.name:
        text = f"the name of the object ({change['metadata']['name']}) does not match the name on the URL ({call.name})"
        raise bad_request(text)
    if change["metadata"].get("managedFields"):
        raise bad_request("metadata.managedFields must be nil")
    return change


def _create(world: World, call: Call, config: Object) -> Answer:
    if call.subresource:
        required_record(world, call)
    call.applied = created(_own_part(call, config), fields_of(call), writer_of(world, call, "Apply"))
    obj = to_stored(call.resource, config)
    obj["metadata"]["name"] = call.name
    record = create_object(world, call, obj)
    return shown_object(call.resource, obj, 201) if record is None else shown(world, call, record, 201)
