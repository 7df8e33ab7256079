"""The scale subresource of workloads and of custom resources."""

from collections.abc import Sequence
from typing import Any

from tenantry_sim import selectors
from tenantry_sim.api.call import Answer, Call, decode_body
from tenantry_sim.api.changes import check_version, commit
from tenantry_sim.api.patches import patch_document, patched
from tenantry_sim.api.verbs import required_record
from tenantry_sim.kinds import shapes
from tenantry_sim.kinds.rules import prune_nulls
from tenantry_sim.status import bad_request, not_allowed
from tenantry_sim.store.records import Object, Record, encode
from tenantry_sim.store.resource import Resource
from tenantry_sim.world import World

_PATHS = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}


def _steps(resource: Resource, which: str) -> Sequence[str]:
    paths = resource.custom.scale if resource.custom is not None else _PATHS
    return [step for step in str(paths.get(which, "")).split(".") if step]


def _read(obj: Any, steps: Sequence[str]) -> Any:
    for step in steps:
        obj = obj.get(step) if isinstance(obj, dict) else None
    return obj if steps else None


def _selector(resource: Resource, obj: Object) -> str:
    if resource.custom is not None:
        return str(_read(obj, _steps(resource, "labelSelectorPath")) or "")
    selector = obj["spec"].get("selector") or {}
    return selectors.to_text(selector if "matchLabels" in selector or "matchExpressions" in selector else {})


def _scale_of(resource: Resource, obj: Object) -> Object:
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    metadata = {key: obj["metadata"][key] for key in kept if key in obj["metadata"]}
    wanted, present = (_read(obj, _steps(resource, key)) or 0 for key in _PATHS)
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": wanted},
        "status": {"replicas": present, "selector": _selector(resource, obj)},
    }


def scale(world: World, call: Call) -> Answer:
    """Get, replace or patch the scale of an object. Raises ApiError."""
    if call.method not in ("GET", "PUT", "PATCH"):
        raise not_allowed()
    record = required_record(world, call)
    obj, resource = record.decode(), call.resource
    if call.method == "GET":
        return Answer(200, encode(_scale_of(resource, obj)))
    if call.method == "PUT":
        wanted = decode_body(call, "Scale")
    else:
        wanted = patched(call.content_type, _scale_of(resource, obj), patch_document(call))
    shapes.check("Scale", prune_nulls(wanted))
    if call.gate is not None:
        wanted = _admitted(call, wanted, _scale_of(resource, obj))
    replicas = wanted.get("spec", {}).get("replicas", 0)
    if replicas < 0:
        raise bad_request("spec.replicas: must be a whole number of 0 or more")
    check_version(call, record, wanted.get("metadata", {}))
    *path, last = _steps(resource, "specReplicasPath") or ("spec", "replicas")
    part = obj
    for step in path:
        part = part.setdefault(step, {})
    part[last] = replicas
    main = Call(call.method, resource, call.namespace, call.name, "", call.query, agent=call.agent)
    result = commit(world, main, record, obj)
    stored = result.decode() if isinstance(result, Record) else obj
    return Answer(200, encode(_scale_of(resource, stored)))


def _admitted(call: Call, wanted: Object, old: Object) -> Object:
    """A new scale as webhooks leave it."""
    assert call.gate is not None
    for document in (wanted, old):
        document.pop("kind", None)
        document.pop("apiVersion", None)
    changed = call.gate.mutate(call, "UPDATE", wanted, old)
    call.gate.validate(call, "UPDATE", changed, old)
    return changed
