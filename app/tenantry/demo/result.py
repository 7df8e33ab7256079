"""What happened in the demo, as data and as text."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from tenantry.explain.report import PodReport
from tenantry_core.cache.cluster_cache import ClusterCache


@dataclass
class DemoResult:
    """Figures and findings; all times in seconds."""

    nodes: int
    pods: int
    bound: int = 0
    burst_seconds: float = 0.0
    """From the first create call to the last pod of the burst being bound."""
    pods_per_second: float = 0.0
    create_to_bound_p50: float = 0.0
    create_to_bound_p99: float = 0.0
    bound_by_namespace: dict[str, int] = field(default_factory=dict)
    unfit: dict[str, Any] = field(default_factory=dict)
    """The pod that fits nowhere, explained."""
    preemption: dict[str, Any] = field(default_factory=dict)
    """Who made room for the urgent pod, and where."""
    broken: list[str] = field(default_factory=list)
    """Promises that did not hold; empty when all is well."""

    @property
    def good(self) -> bool:
        """Whether everything that was promised happened."""
        return not self.broken

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**asdict(self), "good": self.good}


def unfit_findings(report: PodReport) -> dict[str, Any]:
    """The part of an explanation that the result keeps."""
    reasons = [{"reason": r.text, "nodes": r.nodes, "for_example": r.examples[:1]} for r in report.reasons]
    return {"pod": report.pod, "message": report.verdict, "reasons": reasons, "preemption": report.preemption}


def overcommitted(cache: ClusterCache) -> list[str]:
    """Nodes that hold more than they have, worked out from the pods one by one."""
    found = []
    for row, name in enumerate(cache.nodes.names):
        if not cache.nodes.alive[row]:
            continue
        used: Counter[str] = Counter()
        for placed in cache.pods_on(row):
            used.update(placed.request)
            used["pods"] += 1
        for resource, amount in used.items():
            column = cache.nodes.resources.find(resource)
            if column >= 0 and amount > cache.nodes.allocatable.item(column, row):
                found.append(f"{name} holds {amount} of {cache.nodes.allocatable.item(column, row)} {resource}")
    return found
