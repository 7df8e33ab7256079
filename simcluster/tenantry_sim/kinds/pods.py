"""Pods: defaults, QoS class, checks on create, and what an update may change."""

from typing import Any

from tenantry_sim import quantities
from tenantry_sim.kinds.containers import (
    all_containers,
    container_causes,
    default_template,
    requests_from_limits,
)
from tenantry_sim.kinds.names import label_causes, required
from tenantry_sim.kinds.podprint import spec_diff
from tenantry_sim.status import Cause
from tenantry_sim.store.records import Object

GATED_MESSAGE = "Scheduling is blocked due to non-empty scheduling gates"
_FORBIDDEN = (
    "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
    "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"
)


def default(pod: Object) -> None:
    """Defaults of the versioned API."""
    spec = pod.setdefault("spec", {})
    default_template(spec)
    requests_from_limits(spec)
    spec.setdefault("enableServiceLinks", True)
    if not spec.get("schedulingGates"):
        spec.pop("schedulingGates", None)


def initial_status(pod: Object) -> Object:
    """Status of a new pod: pending, its QoS class, and the gated condition where gates are set."""
    status: Object = {"phase": "Pending", "qosClass": qos_class(pod["spec"])}
    if pod["spec"].get("schedulingGates"):
        status["conditions"] = [
            {
                "type": "PodScheduled",
                "status": "False",
                "lastProbeTime": None,
                "lastTransitionTime": pod["metadata"]["creationTimestamp"],
                "reason": "SchedulingGated",
                "message": GATED_MESSAGE,
            }
        ]
    return status


def qos_class(spec: dict[str, Any]) -> str:
    """Guaranteed, Burstable or BestEffort, from CPU and memory of every container."""
    any_set, guaranteed = False, True
    for _, container in all_containers(spec):
        resources = container.get("resources") or {}
        requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
        for name in ("cpu", "memory"):
            limit, request = quantities.parse(limits.get(name, 0)), quantities.parse(requests.get(name, 0))
            any_set = any_set or bool(limit) or bool(request)
            guaranteed = guaranteed and bool(limit) and limit == request
    if not any_set:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"


def validate(pod: Object) -> list[Cause]:
    """What is wrong with a new pod."""
    spec = pod["spec"]
    found = container_causes(spec)
    found += label_causes(spec.get("nodeSelector") or {}, "spec.nodeSelector")
    found += _spread_causes(spec.get("topologySpreadConstraints") or ())
    found += _choice(spec.get("restartPolicy"), ("Always", "OnFailure", "Never"), "spec.restartPolicy")
    for i, gate in enumerate(spec.get("schedulingGates") or ()):
        if not gate.get("name"):
            found.append(required(f"spec.schedulingGates[{i}]"))
    for i, toleration in enumerate(spec.get("tolerations") or ()):
        operators = ("", "Equal", "Exists", "Lt", "Gt")
        found += _choice(toleration.get("operator", ""), operators, f"spec.tolerations[{i}].operator")
        effects = ("", "NoSchedule", "PreferNoSchedule", "NoExecute")
        found += _choice(toleration.get("effect", ""), effects, f"spec.tolerations[{i}].effect")
    if spec.get("nodeName") and spec.get("schedulingGates"):
        why = "Forbidden: nodeName cannot be set until all schedulingGates have been cleared"
        found.append(Cause("FieldValueForbidden", why, "spec.nodeName"))
    return found


def _choice(value: Any, allowed: tuple[str, ...], field: str) -> list[Cause]:
    if value in allowed:
        return []
    names = ", ".join(f'"{a}"' for a in sorted(filter(None, allowed)))
    return [Cause("FieldValueNotSupported", f'Unsupported value: "{value}": supported values: {names}', field)]


def _spread_causes(constraints: Any) -> list[Cause]:
    found: list[Cause] = []
    for i, constraint in enumerate(constraints):
        path = f"spec.topologySpreadConstraints[{i}]"
        skew = constraint.get("maxSkew", 0)
        if skew <= 0:
            found.append(
                Cause("FieldValueInvalid", f"Invalid value: {skew}: must be greater than zero", f"{path}.maxSkew")
            )
        if not constraint.get("topologyKey"):
            found.append(required(f"{path}.topologyKey", "can not be empty"))
        choices = ("DoNotSchedule", "ScheduleAnyway")
        found += _choice(constraint.get("whenUnsatisfiable"), choices, f"{path}.whenUnsatisfiable")
    return found


def validate_update(old: Object, new: Object) -> list[Cause]:
    """Which parts of a changed spec may not change."""
    before, after = old["spec"], dict(new["spec"])
    causes = _gate_causes(before, after)
    gated = bool(before.get("schedulingGates"))
    if not _added_only(before.get("tolerations") or [], after.get("tolerations") or []):
        return [*causes, Cause("FieldValueForbidden", _FORBIDDEN, "spec")]
    for field in ("activeDeadlineSeconds", "tolerations", "schedulingGates"):
        _copy(before, after, field)
    if before.get("terminationGracePeriodSeconds", 0) < 0 and after.get("terminationGracePeriodSeconds") == 1:
        _copy(before, after, "terminationGracePeriodSeconds")
    for field in ("nodeSelector", "affinity") if gated else ():
        _copy(before, after, field)
    for field in ("containers", "initContainers"):
        if len(before.get(field) or ()) == len(after.get(field) or ()) and after.get(field):
            pairs = zip(before[field], after[field], strict=True)
            after[field] = [{**new_c, "image": old_c.get("image")} for old_c, new_c in pairs]
    if after != before:
        causes.append(Cause("FieldValueForbidden", _FORBIDDEN + spec_diff(before, after), "spec"))
    return causes


def _copy(source: dict[str, Any], target: dict[str, Any], field: str) -> None:
    if field in source:
        target[field] = source[field]
    else:
        target.pop(field, None)


def _gate_causes(before: dict[str, Any], after: dict[str, Any]) -> list[Cause]:
    known = [g.get("name") for g in before.get("schedulingGates") or ()]
    found = []
    for gate in after.get("schedulingGates") or ():
        if gate.get("name") not in known:
            why = f"Forbidden: only deletion is allowed, but found new scheduling gate '{gate.get('name')}'"
            found.append(Cause("FieldValueForbidden", why, "spec.schedulingGates"))
    return found


def _added_only(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> bool:
    """Every earlier toleration is still there; only its seconds may differ."""

    def bare(toleration: dict[str, Any]) -> dict[str, Any]:
        return {k: v for k, v in toleration.items() if k != "tolerationSeconds"}

    kept = [bare(t) for t in after]
    return all(bare(t) in kept for t in before)
