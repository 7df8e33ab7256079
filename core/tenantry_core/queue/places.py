"""The four queues as one: a pod enters one of them and leaves the one it is in."""

from __future__ import annotations

from tenantry_core.queue.active import ActiveOrder
from tenantry_core.queue.backoff import BackoffQueue
from tenantry_core.queue.entry import Place, QueuedPod
from tenantry_core.queue.parked import PluginIndex


class Places:
    """Keeps `QueuedPod.place` and the queue that holds the pod in step; nothing else moves pods between queues."""

    def __init__(self, active: ActiveOrder, backoff: BackoffQueue) -> None:
        self.active = active
        self.backoff = backoff
        self.parked = PluginIndex()
        self.gated = PluginIndex()

    def enter(self, qp: QueuedPod, place: Place) -> None:
        """Put `qp`, which is in none of the queues, into `place`."""
        qp.place = place
        if place is Place.ACTIVE:
            self.active.push(qp)
        elif place is Place.BACKOFF:
            self.backoff.push(qp)
        elif place is Place.PARKED:
            self.parked.add(qp)
        elif place is Place.GATED:
            self.gated.add(qp)

    def leave(self, qp: QueuedPod) -> Place:
        """Take `qp` out of the queue it is in, if any, and tell which that was."""
        place, qp.place = qp.place, Place.OUT
        if place is Place.ACTIVE:
            self.active.remove(qp)
        elif place is Place.BACKOFF:
            self.backoff.remove(qp)
        elif place is Place.PARKED:
            self.parked.remove(qp)
        elif place is Place.GATED:
            self.gated.remove(qp)
        return place

    def lengths(self) -> dict[Place, int]:
        """Number of pods in each queue."""
        return {
            Place.ACTIVE: len(self.active),
            Place.BACKOFF: len(self.backoff),
            Place.PARKED: len(self.parked),
            Place.GATED: len(self.gated),
        }
