"""Mutating admission of pods as the default plugins do it: priority, default tolerations, limit ranges.

The rest of admission: `limits` refuses what is outside limit ranges, `charging` charges quotas.
"""

from typing import Any

from tenantry_sim.kinds import limits
from tenantry_sim.status import forbidden
from tenantry_sim.store.records import Object
from tenantry_sim.world import World

_CLASSES = "scheduling.k8s.io/priorityclasses"
_TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def on_create(world: World, pod: Object) -> None:
    """Mutating admission of a new pod."""
    _priority(world, pod)
    default_tolerations(pod["spec"])
    limits.apply_defaults(world, pod)


def on_update(world: World, old: Object, new: Object) -> None:
    """Mutating admission of a changed pod: what the caller left out stays as admission had set it."""
    del world
    for field in ("priority", "preemptionPolicy", "priorityClassName"):
        if field in old["spec"]:
            new["spec"].setdefault(field, old["spec"][field])
    default_tolerations(new["spec"])


def _priority(world: World, pod: Object) -> None:
    spec, name = pod["spec"], pod["metadata"]["name"]
    wanted = spec.get("priorityClassName", "")
    priority_class: Object = {}
    if wanted:
        record = world.find(_CLASSES, wanted)
        if record is None:
            raise forbidden("pods", "", name, f"no PriorityClass with name {wanted} was found")
        priority_class = record.decode()
    else:
        defaults = [r.decode() for r in world.kind(_CLASSES).ordered()]
        chosen = [c for c in defaults if c.get("globalDefault")]
        if chosen:
            priority_class = min(chosen, key=lambda c: c.get("value", 0))
            spec["priorityClassName"] = priority_class["metadata"]["name"]
    value = priority_class.get("value", 0)
    if spec.setdefault("priority", value) != value:
        why = (
            f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; "
            f"priority admission controller computed {value} from the given PriorityClass name"
        )
        raise forbidden("pods", "", name, why)
    policy = priority_class.get("preemptionPolicy", "PreemptLowerPriority")
    if spec.setdefault("preemptionPolicy", policy) != policy:
        why = (
            f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) must not be provided in pod spec; "
            f"priority admission controller computed {policy} from the given PriorityClass name"
        )
        raise forbidden("pods", "", name, why)


def default_tolerations(spec: dict[str, Any]) -> None:
    """Tolerate a node that is not ready or unreachable for 300 seconds, unless the pod says otherwise."""
    tolerations = spec.get("tolerations") or []
    for key in _TAINTS:
        if any(t.get("key", key) == key and t.get("effect", "NoExecute") in ("NoExecute", "") for t in tolerations):
            continue
        tolerations.append({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300})
    spec["tolerations"] = tolerations


def priority_class(world: World, obj: Object, dry_run: bool) -> None:
    """Only one class may be the default. Raises ApiError 403."""
    del dry_run
    if not obj.get("globalDefault"):
        return
    for record in world.kind(_CLASSES).ordered():
        if record.name != obj["metadata"]["name"] and record.decode().get("globalDefault"):
            why = f"PriorityClass {record.name} is already marked as default. Only one default can exist"
            raise forbidden("priorityclasses", "scheduling.k8s.io", obj["metadata"]["name"], why)


def priority_class_update(world: World, old: Object, new: Object) -> None:
    """As `priority_class`, for a change."""
    if not old.get("globalDefault"):
        priority_class(world, new, False)
