"""NodePorts: a host port may be taken once per address and protocol; 0.0.0.0 stands for every address."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Refusal, Scope
from tenantry_core.framework.pod_class import host_ports
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Pod

ANY_ADDRESS = "0.0.0.0"


class NodePorts:
    """Source: plugins/nodeports of kube-scheduler 1.36."""

    name = "NodePorts"
    filter_scope = Scope.ROW

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod asks for no host port."""
        return not ctx.cls.ports

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows where all ports are free."""
        found = np.ones(ctx.snapshot.nodes.size, dtype=np.bool_)[rows]
        for address, protocol, port in ctx.cls.ports:
            for taken, counts in ctx.snapshot.ports_in_use(protocol, port):
                if address == taken or ANY_ADDRESS in (address, taken):
                    found &= counts[rows] == 0
        return found

    def filter_row(self, ctx: CycleContext, row: int) -> bool:
        """The same for one row."""
        return bool(self.filter(ctx, np.array([row], dtype=np.int64))[0])

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """One reason for all."""
        mask = np.ones(len(rows), dtype=np.bool_)
        return (Refusal("node(s) didn't have free ports for the requested pod ports", mask),)

    def events(self) -> Sequence[EventPattern]:
        """A pod with ports went, or a node came."""
        return (
            EventPattern(Resource.ASSIGNED_POD, Action.DELETE),
            EventPattern(Resource.NODE, Action.ADD),
        )

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """Whether the pod that went held a port that is wanted."""
        if event.resource is not Resource.ASSIGNED_POD or not isinstance(event.old, Pod):
            return True
        freed = {(protocol, port) for _, protocol, port in host_ports(event.old)}
        return any((protocol, port) in freed for _, protocol, port in host_ports(pod))
