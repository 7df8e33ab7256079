"""The workloads, as data: names, shapes and proportions of kube-scheduler's scheduler_perf table, and two of our own.

Numbers of pods are for `BASE_NODES` nodes and grow with them. Where upstream does something every so many milliseconds,
it is done here every so many pods, and the clock that the queue sees runs to match: at the pace (pods per second) that
upstream's own threshold sets. So results do not hang on the speed of the machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from tenantry.bench import shapes
from tenantry.bench.shapes import Shape

BASE_NODES = 5000
"""Nodes that the numbers in the table are for."""

LATER = {"MultiTenantFairShare": "it needs fair order between tenants, which is not there yet"}
"""Workloads with a name and no content yet, and why."""


@dataclass(frozen=True)
class Group:
    """Pods of one shape in one namespace."""

    shape: Shape
    pods: int
    namespace: str = "sched-0"


@dataclass(frozen=True)
class Workload:
    """What is there before, what is measured, and what happens beside it."""

    name: str
    measured: Group
    """The pods that are timed."""
    init: tuple[Group, ...] = ()
    """Pods placed before, by the same engine, untimed."""
    zones: tuple[str, ...] = ()
    """Values of the zone label, in turns; empty for nodes without it."""
    service: str = ""
    """Name of a Service in the namespace of the measured pods; empty for none."""
    stateful_set: str = ""
    """Name of a StatefulSet in the namespace of the measured pods; empty for none."""
    beside: Shape | None = None
    """A pod that is created every `every` measured pods."""
    every: int = 0
    """Measured pods between two side events; 0 for none."""
    churn: bool = False
    """Whether a side event also replaces a node without pod slots and a Service."""
    pace: float = 1000.0
    """Pods per second of the clock that the queue sees."""


_MOON = ("moon-1", "moon-2", "moon-3")
_ONE = ("zone1",)
_MIXED = (
    shapes.plain,
    shapes.affinity,
    shapes.anti_affinity,
    shapes.affinity_wish,
    shapes.anti_affinity_wish,
)


def _group(shape: Shape, pods: int) -> Group:
    return Group(shape, pods, "sched-1")


_TABLE = (
    Workload("SchedulingBasic", _group(shapes.plain, 10_000), (Group(shapes.plain, 1000),)),
    Workload("SchedulingStatefulSet", _group(shapes.stateful, 10_000), (Group(shapes.plain, 1000),)),
    Workload(
        "SchedulingStatefulSetOwned",
        _group(shapes.stateful, 10_000),
        (Group(shapes.plain, 1000),),
        _MOON,
        stateful_set="web",
    ),
    Workload("TopologySpreading", _group(shapes.spread_hard, 5000), (Group(shapes.plain, 5000),), _MOON),
    Workload("PreferredTopologySpreading", _group(shapes.spread_soft, 5000), (Group(shapes.plain, 5000),), _MOON),
    Workload("DefaultTopologySpreading", _group(shapes.served, 5000), (Group(shapes.plain, 5000),), _MOON, "served"),
    Workload("SchedulingPodAffinity", _group(shapes.affinity, 5000), (Group(shapes.affinity, 5000),), _ONE),
    Workload("SchedulingPodAntiAffinity", _group(shapes.anti_affinity, 2000), (Group(shapes.anti_affinity, 1000),)),
    Workload(
        "SchedulingPreferredPodAffinity", _group(shapes.affinity_wish, 5000), (Group(shapes.affinity_wish, 5000),)
    ),
    Workload("SchedulingNodeAffinity", _group(shapes.node_affinity, 10_000), (Group(shapes.plain, 5000),), _ONE),
    Workload(
        "Unschedulable",
        _group(shapes.plain, 10_000),
        (Group(shapes.plain, 100),),
        beside=shapes.too_large,
        every=118,
        pace=590.0,
    ),
    Workload(
        "PreemptionAsync",
        _group(shapes.plain, 5000),
        (Group(shapes.low, 20_000),),
        beside=shapes.preemptor,
        every=114,
        pace=570.0,
    ),
    Workload(
        "SchedulingWithMixedChurn",
        _group(shapes.plain, 10_000),
        beside=shapes.too_large,
        every=710,
        churn=True,
        pace=710.0,
    ),
    Workload("MixedSchedulingBasePod", _group(shapes.plain, 5000), tuple(Group(s, 2000) for s in _MIXED), _ONE),
)

WORKLOADS = {workload.name: workload for workload in _TABLE}
"""Workload by name, in the order of reports."""


def scaled(pods: int, nodes: int) -> int:
    """Number of pods for a cluster of `nodes` nodes; at least one."""
    return max(1, pods * nodes // BASE_NODES)
