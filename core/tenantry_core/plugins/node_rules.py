"""Plugins that read only the node's name and its unschedulable flag."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Refusal, Scope
from tenantry_core.model.events import Action, EventPattern, Resource
from tenantry_core.model.objects import Taint
from tenantry_core.plugins.masks import tolerates

UNSCHEDULABLE_TAINT = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")


class NodeUnschedulable:
    """Refuses cordoned nodes unless the pod tolerates the unschedulable taint."""

    name = "NodeUnschedulable"
    filter_scope = Scope.STATIC

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod tolerates cordoned nodes."""
        return any(tolerates(t, UNSCHEDULABLE_TAINT) for t in ctx.cls.tolerations)

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows that are not cordoned."""
        return ~ctx.snapshot.nodes.unschedulable[rows]

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """One reason for all."""
        return (Refusal("node(s) were unschedulable", np.ones(len(rows), dtype=np.bool_), unresolvable=True),)

    def events(self) -> Sequence[EventPattern]:
        """Node added or uncordoned, or the pod given a toleration."""
        return (
            EventPattern(Resource.NODE, Action.ADD | Action.UPDATE_TAINT),
            EventPattern(Resource.UNSCHEDULED_POD, Action.UPDATE_OTHER),
        )


class NodeName:
    """Keeps only the node that spec.nodeName names, for pods that arrive with one."""

    name = "NodeName"
    filter_scope = Scope.GLOBAL

    def skips(self, ctx: CycleContext) -> bool:
        """Whether no node is named."""
        return not ctx.pod.spec.node_name

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: the named row."""
        found = np.zeros(ctx.snapshot.nodes.size, dtype=np.bool_)
        row = ctx.snapshot.nodes.row_of(ctx.pod.spec.node_name)
        if row >= 0:
            found[row] = True
        return found[rows]

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """One reason for all."""
        mask = np.ones(len(rows), dtype=np.bool_)
        return (Refusal("node(s) didn't match the requested node name", mask, unresolvable=True),)

    def events(self) -> Sequence[EventPattern]:
        """Node added."""
        return (EventPattern(Resource.NODE, Action.ADD),)
