"""NodeResourcesFit: enough room for what the pod asks, and a score by how full the node gets."""

from __future__ import annotations

from collections.abc import Sequence

from tenantry_core.framework.columns import PODS, BoolArray, IntArray, NodeColumns, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Normalize, Refusal, Scope
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Node, Pod
from tenantry_core.model.requests import amounts, effective_request
from tenantry_core.plugins.resource_scores import Strategy, least_allocated

NATIVE = ("cpu", "memory", "ephemeral-storage")
Request = tuple[tuple[int, int], ...]
"""(row of the resource axis, amount) of everything asked for."""


class NodeResourcesFit:
    """Source: plugins/noderesources/fit.go of kube-scheduler 1.36; every quantity is an integer.

    `strategy` scores; `ignored` and `ignored_groups` name extended resources that the filter does not look at.
    """

    name = "NodeResourcesFit"
    filter_scope = Scope.ROW
    score_scope = Scope.ROW
    normalization = Normalize.NONE

    def __init__(
        self,
        strategy: Strategy | None = None,
        ignored: frozenset[str] = frozenset(),
        ignored_groups: frozenset[str] = frozenset(),
    ) -> None:
        self._strategy = strategy or least_allocated((("cpu", 1), ("memory", 1)))
        self._ignored = ignored
        self._ignored_groups = ignored_groups

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows with a free pod slot and room for every resource asked for."""
        nodes = ctx.snapshot.nodes
        found: BoolArray = nodes.pod_count[rows] < nodes.allocatable[PODS][rows]
        for resource, amount in self._request(ctx.cls, nodes):
            found &= nodes.allocatable[resource][rows] - nodes.requested[resource][rows] >= amount
        return found

    def filter_row(self, ctx: CycleContext, row: int) -> bool:
        """The same for one row."""
        nodes = ctx.snapshot.nodes
        if nodes.pod_count.item(row) >= nodes.allocatable.item(PODS, row):
            return False
        allocatable, requested = nodes.allocatable.item, nodes.requested.item
        for resource, amount in self._request(ctx.cls, nodes):
            if allocatable(resource, row) - requested(resource, row) < amount:
                return False
        return True

    def room(self, ctx: CycleContext) -> Request:
        """What the filter checks beside the pod slot, so that preemption can do its sums (`RoomFilter`)."""
        return self._request(ctx.cls, ctx.snapshot.nodes)

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """`Too many pods` and `Insufficient <name>`; beyond the node's whole allocatable, preemption cannot help."""
        nodes = ctx.snapshot.nodes
        found = [Refusal("Too many pods", nodes.pod_count[rows] >= nodes.allocatable[PODS][rows])]
        for resource, amount in self._request(ctx.cls, nodes):
            allocatable = nodes.allocatable[resource][rows]
            short = allocatable - nodes.requested[resource][rows] < amount
            text = f"Insufficient {nodes.resources.values[resource]}"
            never = short & (allocatable < amount)
            found += [Refusal(text, short & ~never), Refusal(text, never, unresolvable=True)]
        return [r for r in found if r.rows.any()]

    def score(self, ctx: CycleContext, rows: Rows) -> IntArray:
        """int64 0 to 100."""
        return self._strategy.score(ctx.cls, ctx.snapshot.nodes, rows)

    def score_row(self, ctx: CycleContext, row: int) -> int:
        """The same for one row."""
        return self._strategy.score_row(ctx.cls, ctx.snapshot.nodes, row)

    def events(self) -> Sequence[EventPattern]:
        """Room came free, a node came or grew, or the pod asks for less."""
        return (
            EventPattern(Resource.ASSIGNED_POD, Action.DELETE | Action.SCALE_DOWN),
            EventPattern(Resource.NODE, Action.ADD | Action.UPDATE_ALLOCATABLE),
            EventPattern(Resource.UNSCHEDULED_POD, Action.SCALE_DOWN),
        )

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """A node that could hold the pod when empty, or a pod whose going frees something that is asked for."""
        if isinstance(event.new, Node):
            allocatable = amounts(event.new.status.allocatable)
            wanted = {n: a for n, a in effective_request(pod).items() if a and not self._ignores(n)}
            return allocatable.get("pods", 0) > 0 and all(allocatable.get(n, 0) >= a for n, a in wanted.items())
        return True

    def _request(self, cls: PodClass, nodes: NodeColumns) -> Request:
        found: Request | None = cls.memo.get(self)
        if found is None:
            found = cls.memo[self] = tuple(
                (nodes.resource_id(n), a) for n, a in cls.request.items() if not self._ignores(n)
            )
        return found

    def _ignores(self, name: str) -> bool:
        if name in NATIVE or name.startswith("hugepages-"):
            return False
        return name in self._ignored or name.partition("/")[0] in self._ignored_groups
