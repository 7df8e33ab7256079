"""Pods being decided, and the events that came meanwhile.

An event may change the world after the cycle's snapshot was taken and before the pod is parked; nobody would wake the
pod for it later. So events are kept, once for all pods in flight, until the oldest of these pods is released.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from itertools import islice

from tenantry_core.model.events import ClusterEvent
from tenantry_core.model.objects import Pod
from tenantry_core.queue.entry import QueuedPod


@dataclass(slots=True, eq=False)
class Flight:
    """One pod in flight and what happened to it."""

    qp: QueuedPod
    start: int
    """Number of the first event that came after its pop."""
    own: tuple[ClusterEvent, ...] = ()
    """What updates of the pod itself changed."""
    newest: Pod | None = None
    changed: bool = False
    """Whether `newest` differs in what scheduling reads."""
    deleted: bool = False
    activate: bool = False
    """Somebody asked to try it again at once."""


class InFlight:
    """Flights by UID, oldest first, with the shared list of events. Every flight must end with `release`."""

    def __init__(self) -> None:
        self._flights: OrderedDict[str, Flight] = OrderedDict()
        self._events: deque[ClusterEvent] = deque()
        self._dropped = 0
        """Events released so far: the number of the first one that is kept."""
        self._counts: dict[str, int] = {}
        self._changed: set[str] = set()

    def __len__(self) -> int:
        return len(self._flights)

    @property
    def events(self) -> int:
        """Number of events kept."""
        return len(self._events)

    def start(self, qp: QueuedPod) -> None:
        """`qp` was popped."""
        self._flights[qp.uid] = Flight(qp, self._dropped + len(self._events))

    def get(self, uid: str) -> Flight | None:
        return self._flights.get(uid)

    def record(self, event: ClusterEvent) -> None:
        """Keep `event` if any pod is in flight."""
        if self._flights:
            self._events.append(event)
            self._count(event, 1)

    def replay(self, flight: Flight) -> list[ClusterEvent]:
        """Events that came since the pop, its own changes first. To be asked before `release`."""
        return [*flight.own, *islice(self._events, flight.start - self._dropped, None)]

    def release(self, uid: str) -> Flight | None:
        """End the flight of `uid`, and forget the events that no other flight needs."""
        flight = self._flights.pop(uid, None)
        if flight is not None and self._events:
            oldest = next(iter(self._flights.values()), None)
            needed = self._dropped + len(self._events) if oldest is None else oldest.start
            while self._dropped < needed:
                self._count(self._events.popleft(), -1)
                self._dropped += 1
        return flight

    def changed_counts(self) -> dict[str, int]:
        """Number of kept events by label, of those labels where it changed since the last call."""
        changed = {label: self._counts.get(label, 0) for label in self._changed}
        self._changed.clear()
        return changed

    def _count(self, event: ClusterEvent, delta: int) -> None:
        label = event.label
        self._counts[label] = self._counts.get(label, 0) + delta
        self._changed.add(label)
