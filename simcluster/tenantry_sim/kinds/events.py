"""Events are stored in the core shape; `events.k8s.io/v1` is a view with other member names."""

from tenantry_sim.store.records import Object, Record, encode
from tenantry_sim.store.resource import Resource

_NAMES = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_BACK = {core: new for new, core in _NAMES.items()}
_GROUP = "events.k8s.io"


def to_stored(resource: Resource, obj: Object) -> Object:
    """The object as the store keeps it."""
    if resource.group != _GROUP:
        return obj
    return {_NAMES.get(key, key): value for key, value in obj.items()}


def to_view(resource: Resource, obj: Object) -> Object:
    """The object as the resource shows it."""
    if resource.group != _GROUP:
        return obj
    view = {_BACK.get(key, key): value for key, value in obj.items()}
    if not view.get("reportingController"):
        view.pop("reportingController", None)
        view.pop("reportingInstance", None)
    return view


def view_raw(resource: Resource, record: Record) -> bytes:
    """The record's JSON as the resource shows it, without kind and apiVersion."""
    if resource.group != _GROUP:
        return record.raw
    return encode(to_view(resource, record.decode()))
