"""LicenceSeats: no more licensed pods on a node than it has seats."""

from __future__ import annotations

from tenantry_core.framework.simple import ConstraintPlugin, NodeView, Task

SEATS_LABEL = "example.com/licence-seats"
LICENSED_LABEL = "example.com/licensed"


class LicenceSeats(ConstraintPlugin):
    """Asked last and only about the node that is about to be taken."""

    version = "0.1.0"
    # A licence must not be broken because the plugin is: while it is isolated, licensed and other pods wait.
    required = True

    def name(self) -> str:
        return "LicenceSeats"

    def allows(self, task: Task, node: NodeView) -> bool | str:
        if task.labels.get(LICENSED_LABEL) != "true":
            return True
        seats = node.labels.get(SEATS_LABEL, "0")
        if not seats.isdigit():
            return "node(s) had an unreadable number of licence seats"
        return node.pods < int(seats) or "node(s) had no free licence seat"
