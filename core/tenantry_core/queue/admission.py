"""The way from waiting to being tried: past the gates, into backoff or active."""

from __future__ import annotations

from tenantry_core.queue.entry import Place, QueuedPod
from tenantry_core.queue.gates import Gates
from tenantry_core.queue.hints import HintTable, Wake
from tenantry_core.queue.ledger import Ledger
from tenantry_core.queue.places import Places

# Values of the `event` label of scheduler_queue_incoming_pods_total that are no cluster events.
ATTEMPT_FAILED = "ScheduleAttemptFailure"
BACKOFF_OVER = "BackoffComplete"
ACTIVATED = "ForceActivate"
TIMED_OUT = "UnschedulableTimeout"


class Admission:
    """Moves pods towards the active queue. `gates` and `hints` are replaced when the profiles change."""

    def __init__(self, places: Places, ledger: Ledger, gates: Gates, hints: HintTable) -> None:
        self._places = places
        self._ledger = ledger
        self.gates = gates
        self.hints = hints

    def admit(self, qp: QueuedPod, wake: Wake, event: str, now: float) -> Place:
        """Bring `qp`, wherever it waits, to where it may be tried: gated, or else in backoff or active."""
        gate = self.gates.refusal(qp.pod)
        if gate:
            qp.since = now
            if qp.gated_by == gate and qp.place is Place.GATED:
                return Place.GATED
        self._places.leave(qp)
        qp.gated_by = gate
        if gate or qp.charged:
            self._ledger.charge(qp, qp.rejected_by | qp.pending_on | qp.blockers)
        if gate:
            place = Place.GATED
        else:
            if qp.entered is None:
                qp.entered = now
            place = Place.BACKOFF if wake is not Wake.NOW and qp.ready_at > now else Place.ACTIVE
        self._places.enter(qp, place)
        self._ledger.incoming(place, event)
        return place

    def end_backoffs(self, now: float) -> None:
        """Make those active whose backoff is over."""
        for qp in self._places.backoff.expired(now):
            self._places.enter(qp, Place.ACTIVE)
            self._ledger.incoming(Place.ACTIVE, BACKOFF_OVER)

    def retry_overdue(self, now: float, patience: float) -> int:
        """Admit and mark the pods that no event woke for `patience` seconds; their number.

        Gates that only the pod's own update can lift are left alone: such an update is never missed for long.
        """
        oldest = now - patience
        overdue = [qp for qp in self._places.parked if qp.since <= oldest]
        overdue += [
            qp
            for qp in self._places.gated
            if qp.since <= oldest and not self.hints.own_updates_only(qp.profile, qp.gated_by)
        ]
        moved = 0
        for qp in overdue:
            if self.admit(qp, Wake.AFTER_BACKOFF, TIMED_OUT, now) is not Place.GATED:
                qp.flushed = True
                moved += 1
        return moved
