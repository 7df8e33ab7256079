"""What the API server fills into a new pod, as far as scheduling and admission can see it. Pure functions over JSON.

Source: defaulting of core/v1 and the admission plugins Priority, DefaultTolerationSeconds and LimitRanger of
Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tenantry.simulate.objects import LimitItem, LimitRange
from tenantry_core.model.objects import Pod
from tenantry_core.model.storage import PriorityClass

Body = dict[str, Any]
SYSTEM_CLASSES = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
_UNHEALTHY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_TOLERATED_SECONDS = 300


def containers(spec: Body) -> Iterator[Body]:
    """Regular and init containers."""
    for name in ("containers", "initContainers"):
        yield from spec.get(name) or ()


def default_pod(body: Body, scheduler_name: str) -> None:
    """Defaults of the versioned API: scheduler name, requests from limits, protocols, ports of the host network."""
    spec = body["spec"]
    if not spec.get("schedulerName"):
        spec["schedulerName"] = scheduler_name
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    for container in containers(spec):
        _default_container(container, bool(spec.get("hostNetwork")))


def _default_container(container: Body, host_network: bool) -> None:
    resources = container["resources"] = container.get("resources") or {}
    if resources.get("limits"):
        resources["requests"] = {**resources["limits"], **(resources.get("requests") or {})}
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
        if host_network and "containerPort" in port:
            port.setdefault("hostPort", port["containerPort"])


def admit_tolerations(spec: Body) -> None:
    """Tolerate a node that is not ready or cannot be reached for five minutes, unless the pod says otherwise."""
    given = list(spec.get("tolerations") or ())
    for key in _UNHEALTHY:
        if not any(t.get("key") in (None, "", key) and t.get("effect") in (None, "", "NoExecute") for t in given):
            toleration = {"key": key, "operator": "Exists", "effect": "NoExecute"}
            given.append({**toleration, "tolerationSeconds": _TOLERATED_SECONDS})
    spec["tolerations"] = given


def admit_priority(spec: Body, classes: Mapping[str, PriorityClass], pods: Iterable[Pod]) -> str:
    """Fill in priority and preemption policy. Returns why the pod is refused, or "".

    A class that the dump lacks is taken from a pod that carries its name, since the API server has resolved it there.
    """
    name = str(spec.get("priorityClassName") or "")
    if not name:
        chosen = min((c for c in classes.values() if c.global_default), key=lambda c: c.value, default=None)
        if chosen is None:
            spec.setdefault("priority", 0)
            return ""
        name = spec["priorityClassName"] = chosen.metadata.name
    found = _resolved(name, classes, pods)
    if found is None:
        return f"no PriorityClass with name {name} was found"
    value, policy = found
    if spec.get("priority", value) != value:
        return f"priority {spec['priority']} is given, but PriorityClass {name} says {value}"
    spec["priority"] = value
    spec.setdefault("preemptionPolicy", policy)
    return ""


def _resolved(name: str, classes: Mapping[str, PriorityClass], pods: Iterable[Pod]) -> tuple[int, str] | None:
    known = classes.get(name)
    if known is not None:
        return known.value, known.preemption_policy
    if name in SYSTEM_CLASSES:
        return SYSTEM_CLASSES[name], "PreemptLowerPriority"
    same = next((p.spec for p in pods if p.spec.priority_class_name == name), None)
    return (same.priority, same.preemption_policy) if same is not None else None


def admit_limits(spec: Body, ranges: Iterable[LimitRange]) -> None:
    """Default requests and limits of the namespace's LimitRanges, the first that names a resource."""
    for limit in limits_of(ranges, "Container"):
        limits = {**(limit.max or {}), **(limit.default or {})}
        requests = {**(limit.min or {}), **limits, **(limit.default_request or {})}
        for container in containers(spec):
            resources = container["resources"]
            for name, wanted in (("requests", requests), ("limits", limits)):
                merged = {**wanted, **(resources.get(name) or {})}
                if merged:
                    resources[name] = merged


def limits_of(ranges: Iterable[LimitRange], kind: str) -> Iterator[LimitItem]:
    """Limits of one type, such as `Container`."""
    for found in ranges:
        yield from (limit for limit in found.spec.limits or () if limit.type == kind)
