"""Binding a pod to a node, with a real server's refusals."""

from typing import Any

import msgspec

from tenantry_sim.kinds.table import BY_KEY
from tenantry_sim.status import ApiError, bad_request, conflict, not_found
from tenantry_sim.store.records import Object, Record
from tenantry_sim.world import World

PODS = BY_KEY["/pods"]
_TOPOLOGY = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")
_BINDING = "pods/binding"


class _Meta(msgspec.Struct):
    name: str = ""
    uid: str = ""
    resourceVersion: str = ""  # noqa: N815 - the wire's own name
    annotations: dict[str, str] | None = None
    labels: dict[str, str] | None = None


class _Target(msgspec.Struct):
    kind: str = ""
    name: str = ""


class Binding(msgspec.Struct):
    """The members of a Binding that the server reads."""

    metadata: _Meta = msgspec.field(default_factory=_Meta)
    target: _Target = msgspec.field(default_factory=_Target)


_decode = msgspec.json.Decoder(Binding).decode


def parse(body: bytes) -> Binding:
    """Decode a binding. Raises ApiError 400."""
    try:
        return _decode(body)
    except (msgspec.DecodeError, msgspec.ValidationError) as problem:
        raise bad_request(f"the object provided is unrecognized (must be of type Binding): {problem}") from None


def bind(world: World, namespace: str, name: str, binding: Binding, dry_run: bool) -> None:
    """Store the pod with its node. Raises ApiError: 404 unknown pod, 409 for every state that refuses a binding."""
    if not binding.target.name:
        raise ApiError(500, "", "target.name: Required value")
    store = world.store.kinds["/pods"]
    record = store.get(namespace, name)
    if record is None:
        raise not_found("pods", "", name)
    _check_preconditions(record, binding.metadata)
    pod = record.decode()
    spec = pod["spec"]
    if record.deleting:
        raise conflict(_BINDING, "", name, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.get("nodeName"):
        raise conflict(_BINDING, "", name, f'pod {name} is already assigned to node "{spec["nodeName"]}"')
    if spec.get("schedulingGates"):
        raise conflict(_BINDING, "", name, f"pod {name} has non-empty .spec.schedulingGates")
    _assign(world, pod, binding)
    if not dry_run:
        world.store.replace(store, record, pod)


def _check_preconditions(record: Record, meta: _Meta) -> None:
    if meta.uid and meta.uid != record.uid:
        why = f"Precondition failed: UID in precondition: {meta.uid}, UID in object meta: {record.uid}"
        raise conflict("pods", "", record.name, _storage_error(record, why))
    if meta.resourceVersion and meta.resourceVersion != str(record.rv):
        why = (
            f"Precondition failed: ResourceVersion in precondition: {meta.resourceVersion}, "
            f"ResourceVersion in object meta: {record.rv}"
        )
        raise conflict("pods", "", record.name, _storage_error(record, why))


def _storage_error(record: Record, why: str) -> str:
    key = f"/registry/pods/{record.namespace}/{record.name}"
    return f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {why}"


def _assign(world: World, pod: Object, binding: Binding) -> None:
    pod["spec"]["nodeName"] = binding.target.name
    status = pod["status"]
    status.pop("nominatedNodeName", None)
    set_condition(status, {"type": "PodScheduled", "status": "True"}, world.stamp())
    if binding.metadata.annotations:
        pod["metadata"].setdefault("annotations", {}).update(binding.metadata.annotations)
    labels = dict(binding.metadata.labels or {})
    node = world.store.kinds["/nodes"].get("", binding.target.name)
    if node is not None:
        # Since 1.35 a bound pod carries its node's region and zone as labels.
        labels.update({key: node.labels[key] for key in _TOPOLOGY if key in node.labels})
    if labels:
        pod["metadata"].setdefault("labels", {}).update(labels)


def set_condition(status: Object, condition: dict[str, Any], now: str) -> None:
    """Put a pod condition in its place, keeping the transition time while the status stays the same."""
    conditions = status.setdefault("conditions", [])
    fresh = {"lastProbeTime": None, "lastTransitionTime": now, **condition}
    for i, present in enumerate(conditions):
        if present["type"] == condition["type"]:
            if present["status"] == condition["status"] and present.get("lastTransitionTime"):
                fresh["lastTransitionTime"] = present["lastTransitionTime"]
            conditions[i] = fresh
            return
    conditions.append(fresh)
