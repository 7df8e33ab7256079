"""The patch verb: JSON, merge and strategic merge patches (`applying` has the fourth)."""

from typing import Any

import msgspec

from tenantry_sim.api import applying, patching, strategic
from tenantry_sim.api.call import Answer, Call, check_shape, load_yaml, settle
from tenantry_sim.api.changes import check_version, commit
from tenantry_sim.api.verbs import required_record, shown
from tenantry_sim.kinds.events import to_stored, to_view
from tenantry_sim.status import ApiError, Cause, bad_request, invalid, unsupported_media
from tenantry_sim.store.records import Object, Record
from tenantry_sim.world import World

_JSON_PATCH = "application/json-patch+json"
_MERGE = "application/merge-patch+json"
_STRATEGIC = "application/strategic-merge-patch+json"
_APPLY = "application/apply-patch+yaml"
_NO_STRATEGIC = (
    "the body of the request was in an unknown format - accepted media types include: "
    f"{_JSON_PATCH}, {_MERGE}, {_APPLY}"
)


def patch_document(call: Call) -> Any:
    """The patch that the body holds. Raises ApiError 400."""
    try:
        if call.content_type == _APPLY:
            return load_yaml(call.body)
        return msgspec.json.decode(call.body)
    except (msgspec.DecodeError, ValueError) as problem:
        raise bad_request(f"error decoding patch: {problem}") from None


def patched(content_type: str, document: Object, change: Any) -> Object:
    """A document with a patch of one of the three kinds in it. Raises ApiError."""
    if content_type == _JSON_PATCH:
        return patching.json_patch(document, change)
    if not isinstance(change, dict):
        raise bad_request("error decoding patch: the patch is not an object")
    if content_type == _MERGE:
        merged: Object = patching.merge(document, change)
        return merged
    return strategic.apply(document, change)


def patch(world: World, call: Call) -> Answer:
    """Patch an object or its status; apply creates what is missing. Raises ApiError."""
    if call.content_type not in (_JSON_PATCH, _MERGE, _STRATEGIC, _APPLY):
        raise unsupported_media()
    if call.content_type == _STRATEGIC and call.resource.custom is not None:
        raise ApiError(415, "UnsupportedMediaType", _NO_STRATEGIC)
    change = patch_document(call)
    if call.content_type == _APPLY:
        return applying.apply(world, call, change)
    if call.query.get("force"):
        cause = Cause("FieldValueForbidden", "Forbidden: may not be specified for non-apply patch", "force")
        raise invalid("PatchOptions", "meta.k8s.io", "", [cause])
    record = required_record(world, call)
    changed = _apply_to(call, record, change)
    check_version(call, record, changed["metadata"])
    result = commit(world, call, record, to_stored(call.resource, changed))
    return result if isinstance(result, Answer) else shown(world, call, result)


def _apply_to(call: Call, record: Record, change: Any) -> Object:
    resource = call.resource
    view: Object = {"kind": resource.kind, "apiVersion": resource.api_version, **to_view(resource, record.decode())}
    changed = patched(call.content_type, view, change)
    kind, version = changed.pop("kind", None), changed.pop("apiVersion", None)
    if kind not in (None, "", resource.kind) or version not in (None, "", resource.api_version):
        raise bad_request(f"the patch must not change kind and apiVersion: {version}, Kind={kind}")
    check_shape(resource, changed)
    settle(call, changed)
    return changed
