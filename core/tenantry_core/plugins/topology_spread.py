"""PodTopologySpread, Filter: hard spread constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tenantry_core.framework.columns import BoolArray, IdArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import PreFilterResult, Refusal, Scope
from tenantry_core.framework.status import SUCCESS
from tenantry_core.framework.terms import SpreadConstraint
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Node, Pod
from tenantry_core.plugins.domains import domain_sums, domains_present
from tenantry_core.plugins.spread_defaults import DefaultConstraints
from tenantry_core.plugins.spread_groups import Rules, SpreadGroups, eligible, spread_groups, with_all_keys
from tenantry_core.plugins.spread_score import SpreadScore

REASON = "node(s) didn't match pod topology spread constraints"
MISSING = f"{REASON} (missing required label)"


class _Check(NamedTuple):
    """One constraint, ready to be asked: ids int32[N], allowed bool[D + 1] by domain (False at the end: no label)."""

    ids: IdArray
    allowed: BoolArray


class PodTopologySpread(SpreadScore):
    """Source: plugins/podtopologyspread of kube-scheduler 1.36; the score half is in `spread_score.py`."""

    name = "PodTopologySpread"
    filter_scope = Scope.GLOBAL

    def __init__(self, defaults: DefaultConstraints | None = None) -> None:
        super().__init__(defaults or DefaultConstraints())

    def skips(self, ctx: CycleContext) -> bool:
        """Whether neither the pod nor the cluster's defaults constrain its spread."""
        cls = ctx.cls
        if cls.hard_spread or cls.soft_spread:
            return False
        return not self._defaults.apply(ctx)

    def pre_filter(self, ctx: CycleContext) -> PreFilterResult:
        """Never refuses; what Filter needs is worked out once it is asked."""
        return PreFilterResult(SUCCESS)

    def groups(self, ctx: CycleContext) -> SpreadGroups | None:
        """Rows alike in their domains, and in their own counts for constraints by node."""
        hard, soft = self.groups_version(ctx)
        return spread_groups(ctx, Rules(hard, soft, self.requires_all_keys(ctx)))

    def groups_version(self, ctx: CycleContext) -> tuple[Sequence[SpreadConstraint], Sequence[SpreadConstraint]]:
        """The hard and soft constraints in force."""
        return self.hard(ctx), self.soft(ctx)

    def hard(self, ctx: CycleContext) -> Sequence[SpreadConstraint]:
        """Constraints that filter: the pod's own, or the cluster's."""
        return ctx.cls.hard_spread or self._defaults.hard(ctx)

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows that keep every constraint."""
        found = np.ones(ctx.snapshot.nodes.size, dtype=np.bool_)[rows]
        for ids, allowed in self._checks(ctx):
            found &= allowed[ids[rows]]
        return found

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """The first constraint that a row breaks gives the reason; a missing label cannot be cured by preemption."""
        missing = np.zeros(len(rows), dtype=np.bool_)
        skewed = np.zeros(len(rows), dtype=np.bool_)
        for ids, allowed in self._checks(ctx):
            undecided = ~(missing | skewed)
            missing |= undecided & (ids[rows] < 0)
            skewed |= undecided & (ids[rows] >= 0) & ~allowed[ids[rows]]
        return (Refusal(MISSING, missing, unresolvable=True), Refusal(REASON, skewed))

    def events(self) -> Sequence[EventPattern]:
        """Pods that count came, went, began to end or were relabelled; nodes came, went, or changed labels, taints."""
        return (
            EventPattern(Resource.ASSIGNED_POD, Action.ADD | Action.DELETE | Action.UPDATE_LABEL | Action.UPDATE_OTHER),
            EventPattern(Resource.NODE, Action.ADD | Action.DELETE | Action.UPDATE_LABEL | Action.UPDATE_TAINT),
            EventPattern(Resource.UNSCHEDULED_POD, Action.UPDATE_LABEL | Action.UPDATE_OTHER),
        )

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """Only pods of the same namespace and nodes with all keys of the hard constraints concern it."""
        changed = event.new or event.old
        if isinstance(changed, Pod):
            inside = changed.metadata.namespace == pod.metadata.namespace
            return inside and (event.action is not Action.UPDATE_OTHER or _begins_to_end(event))
        constraints = pod.spec.topology_spread_constraints or ()
        keys = [c.topology_key for c in constraints if c.when_unsatisfiable == "DoNotSchedule"]
        nodes = [n for n in (event.old, event.new) if isinstance(n, Node)]
        return not keys or any(all(k in (n.metadata.labels or {}) for k in keys) for n in nodes)

    def _checks(self, ctx: CycleContext) -> list[_Check]:
        """Per constraint, the domains where one more pod keeps the skew."""
        if self.name not in ctx.state:
            constraints = self.hard(ctx)
            ctx.state[self.name] = [_check(ctx, c, constraints) for c in constraints]
        checks: list[_Check] = ctx.state[self.name]
        return checks


def _begins_to_end(event: ClusterEvent) -> bool:
    """Whether a pod in place stops counting because its deletion began; any other update of a pending pod may help."""
    if event.resource is not Resource.ASSIGNED_POD:
        return True
    return isinstance(event.new, Pod) and bool(event.new.metadata.deletion_timestamp)


def _check(ctx: CycleContext, constraint: SpreadConstraint, every: Sequence[SpreadConstraint]) -> _Check:
    nodes, key = ctx.snapshot.nodes, constraint.topology_key
    counted = eligible(ctx, constraint) & with_all_keys(ctx, every)
    sums = domain_sums(nodes, key, ctx.snapshot.count(constraint.pods), counted)
    present = domains_present(nodes, key, counted)
    lowest = int(sums[present].min()) if present.any() else 0
    if int(present.sum()) < constraint.min_domains:
        lowest = 0
    own = int(constraint.pods.selector.matches(ctx.cls.labels))
    allowed = sums + own - lowest <= constraint.max_skew
    allowed[-1] = False
    return _Check(nodes.label_ids(key), allowed)
