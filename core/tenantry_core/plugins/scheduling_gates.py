"""SchedulingGates and PrioritySort: what holds a pod out of the queue, and the order inside it."""

from __future__ import annotations

from collections.abc import Sequence

from tenantry_core.framework.status import SUCCESS, Status, unresolvable
from tenantry_core.model.events import Action, EventPattern, Resource
from tenantry_core.model.objects import Pod


class SchedulingGates:
    """Holds pods that carry scheduling gates."""

    name = "SchedulingGates"

    def pre_enqueue(self, pod: Pod) -> Status:
        """Refuse while any gate is left."""
        gates = pod.spec.scheduling_gates
        if not gates:
            return SUCCESS
        return unresolvable(f"waiting for scheduling gates: [{' '.join(g.name for g in gates)}]")

    def events(self) -> Sequence[EventPattern]:
        """The pod's gates were lifted."""
        return (EventPattern(Resource.UNSCHEDULED_POD, Action.GATES_ELIMINATED),)


class PrioritySort:
    """Orders the queue by priority, then by time of entry; the queue implements it (`queue/active.py`)."""

    name = "PrioritySort"
