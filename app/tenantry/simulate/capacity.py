"""How many more pods of a shape fit, and what stops the next one: one by one through the cycle, then undone."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from msgspec import structs

from tenantry.explain.report import ReasonReport, report
from tenantry.simulate.quota import Quotas
from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Placement
from tenantry_core.cycle.run import Cycle
from tenantry_core.framework.profile import Profile
from tenantry_core.model.objects import Pod
from tenantry_core.model.quantity import format_amount

LIMIT = 100_000
"""Replicas of one shape tried at most."""


@dataclass(frozen=True)
class Shape:
    """A pod to be repeated, under the name that the answer uses."""

    name: str
    pod: Pod
    requests: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ShapeRoom:
    """What is left for one shape."""

    shape: str
    requests: dict[str, str]
    fits: int
    """More replicas that find a node, without preemption."""
    at_least: bool
    """True where the search stopped at its limit and more may fit."""
    stopped_by: str
    """kube-scheduler's sentence about the next replica."""
    reasons: list[ReasonReport]
    quota: str
    """The namespace's tightest quota, "" where none bounds the shape."""
    quota_fits: int | None
    """More replicas that this quota lets in; None where none bounds the shape."""

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)


def room_for(cache: ClusterCache, profile: Profile, shape: Shape, quotas: Quotas, limit: int = LIMIT) -> ShapeRoom:
    """Fill the cluster with replicas until the next does not fit. The cache is as it was afterwards."""
    cls, cycle = cache.classes.class_of(shape.pod), Cycle(cache, profile)
    held: list[str] = []
    stopped, reasons = "", []
    try:
        while len(held) < limit:
            pod = _replica(shape.pod, len(held))
            decision = cycle.decide(pod, cls)
            if not isinstance(decision, Placement):
                found = report(cache, profile, pod)
                stopped, reasons = found.verdict, found.reasons
                break
            cache.assume(pod, cls, decision.row)
            held.append(pod.metadata.uid)
    finally:
        for uid in held:
            cache.forget(uid)
    bound = quotas.room(shape.pod)
    return ShapeRoom(
        shape.name,
        shape.requests or {n: format_amount(n, a) for n, a in sorted(cls.request.items())},
        len(held),
        len(held) >= limit,
        stopped,
        reasons,
        bound[1] if bound else "",
        bound[0] if bound else None,
    )


def _replica(pod: Pod, number: int) -> Pod:
    name = f"{pod.metadata.name}-{number}"
    return structs.replace(pod, metadata=structs.replace(pod.metadata, name=name, uid=f"shape/{number}"))
