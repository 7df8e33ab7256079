"""The effective request of a pod.

Source: component-helpers/resource of Kubernetes 1.36: containers and sidecars summed, init containers as a peak over
what runs beside them, pod-level resources over both, overhead added once; while an in-place resize is under way the
largest of what is asked, allocated and actual counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tenantry_core.model.objects import Container, ContainerStatus, Pod, Quantities
from tenantry_core.model.quantity import amount, saturate

Amounts = dict[str, int]

SCORE_DEFAULTS = {"cpu": 100, "memory": 200 << 20}
"""What scoring assumes of a container that asks for nothing: 100 milli-CPU, 200 MiB."""


def effective_request(pod: Pod) -> Amounts:
    """Canonical amounts per resource that placing `pod` takes. Raises QuantityError."""
    return _total(pod, defaults={})


def scoring_request(pod: Pod) -> Amounts:
    """The same with SCORE_DEFAULTS for containers that name no cpu or memory request (cpu and memory only)."""
    if _fully_specified(pod):
        found = effective_request(pod)
    else:
        found = _total(pod, defaults=SCORE_DEFAULTS)
    return {"cpu": found.get("cpu", 0), "memory": found.get("memory", 0)}


def _fully_specified(pod: Pod) -> bool:
    every = (*pod.spec.containers, *(pod.spec.init_containers or ()))
    return bool(every) and all(
        c.resources.requests and SCORE_DEFAULTS.keys() <= c.resources.requests.keys() for c in every
    )


def _total(pod: Pod, defaults: Mapping[str, int]) -> Amounts:
    resizing = _is_resizing(pod)
    steady: Amounts = {}
    for container in pod.spec.containers:
        _add(steady, _container(container, pod.status.container_statuses or (), resizing, defaults, pod))
    peak: Amounts = {}
    sidecars: Amounts = {}
    for container in pod.spec.init_containers or ():
        if container.restart_policy == "Always":
            own = _container(container, pod.status.init_container_statuses or (), resizing, defaults, pod)
            _add(sidecars, own)
            _raise_to(peak, sidecars)
        else:
            running = _requests(container, defaults)
            _add(running, sidecars)
            _raise_to(peak, running)
    _add(steady, sidecars)
    _raise_to(steady, peak)
    _apply_pod_level(steady, pod)
    _add(steady, amounts(pod.spec.overhead))
    return {name: saturate(value) for name, value in steady.items()}


def _apply_pod_level(total: Amounts, pod: Pod) -> None:
    if pod.spec.resources is None or not pod.spec.resources.requests:
        return
    wanted = {r: v for r, v in amounts(pod.spec.resources.requests).items() if _pod_level(r)}
    allocated = {r: v for r, v in amounts(pod.status.allocated_resources).items() if r in wanted}
    actual = pod.status.resources.requests if pod.status.resources else None
    running = {r: v for r, v in amounts(actual).items() if r in wanted}
    total.update(_largest(wanted, allocated, running, _infeasible(pod)))


def _pod_level(resource: str) -> bool:
    return resource in ("cpu", "memory") or resource.startswith("hugepages-")


def _container(
    container: Container, statuses: Iterable[ContainerStatus], resizing: bool, defaults: Mapping[str, int], pod: Pod
) -> Amounts:
    wanted = _requests(container, defaults)
    if not resizing:
        return wanted
    status = next((s for s in statuses if s.name == container.name), None)
    if status is None:
        return wanted
    actual = status.resources.requests if status.resources else None
    return _largest(wanted, amounts(status.allocated_resources), amounts(actual), _infeasible(pod))


def _largest(wanted: Amounts, allocated: Amounts, actual: Amounts, infeasible: bool) -> Amounts:
    if infeasible and allocated:
        found = dict(allocated)
    else:
        found = dict(wanted)
        _raise_to(found, allocated)
    _raise_to(found, actual)
    return found


def _is_resizing(pod: Pod) -> bool:
    statuses = (*(pod.status.container_statuses or ()), *(pod.status.init_container_statuses or ()))
    return any(s.allocated_resources or s.resources for s in statuses)


def _infeasible(pod: Pod) -> bool:
    pending = next((c for c in pod.status.conditions or () if c.type == "PodResizePending"), None)
    return pod.status.resize == "Infeasible" or (pending is not None and pending.reason == "Infeasible")


def _requests(container: Container, defaults: Mapping[str, int]) -> Amounts:
    found = amounts(container.resources.requests)
    for name, value in amounts(container.resources.limits).items():
        found.setdefault(name, value)
    for name, value in defaults.items():
        found.setdefault(name, value)
    return found


def amounts(quantities: Quantities | None) -> Amounts:
    """Canonical amounts of a quantity map. Raises QuantityError."""
    return {name: amount(name, text) for name, text in (quantities or {}).items()}


def _add(total: Amounts, more: Mapping[str, int]) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


def _raise_to(total: Amounts, floor: Mapping[str, int]) -> None:
    for name, value in floor.items():
        if value > total.get(name, 0):
            total[name] = value
