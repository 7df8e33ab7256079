"""TaintToleration: refuses untolerated taints, prefers nodes with few untolerated PreferNoSchedule ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Normalize, Refusal, Scope
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Node, Pod
from tenantry_core.plugins.masks import HARD_EFFECTS, toleration_mask, untolerated


class TaintToleration:
    """Source: plugins/tainttoleration of kube-scheduler 1.36."""

    name = "TaintToleration"
    filter_scope = Scope.STATIC
    score_scope = Scope.STATIC
    normalization = Normalize.REVERSE

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows whose hard taints are all tolerated."""
        return toleration_mask(ctx)[rows]

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """One reason for all."""
        return (Refusal("node(s) had untolerated taint(s)", np.ones(len(rows), dtype=np.bool_), unresolvable=True),)

    def score(self, ctx: CycleContext, rows: Rows) -> IntArray:
        """int64: PreferNoSchedule taints not tolerated."""
        nodes = ctx.snapshot.nodes
        soft = tuple(t for t in ctx.cls.tolerations if t.effect in ("", "PreferNoSchedule"))
        by_set = [untolerated(taints, soft, ("PreferNoSchedule",)) for taints in nodes.taint_sets.values]
        return np.array(by_set or [0], dtype=np.int64)[nodes.taint_set[rows]]

    def events(self) -> Sequence[EventPattern]:
        """Node added or its taints changed, or the pod given a toleration."""
        return (
            EventPattern(Resource.NODE, Action.ADD | Action.UPDATE_TAINT),
            EventPattern(Resource.UNSCHEDULED_POD, Action.UPDATE_OTHER),
        )

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """Whether the changed node's taints are tolerated now."""
        if not isinstance(event.new, Node):
            return True
        return untolerated(event.new.spec.taints or (), pod.spec.tolerations or (), HARD_EFFECTS) == 0
