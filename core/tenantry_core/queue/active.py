"""Pods ready to be tried, and the order in which they are.

`ActiveOrder` is what the queue needs of an order. `NamespaceOrder` keeps one heap per namespace and takes the best pod
over all of them: higher priority first, then the earlier entry, then the earlier push.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush, heapreplace
from typing import NamedTuple, Protocol

from tenantry_core.queue.entry import QueuedPod, next_token

_Entry = tuple[int, float, int, QueuedPod]
_COMPACT_ABOVE = 64
"""Dead entries that are never worth a rebuild."""


class Positions(NamedTuple):
    """Rank of a pod, counted from 1: among all pods, and within its own lane (its namespace or tenant)."""

    overall: int
    lane: int
    lane_name: str


class ActiveOrder(Protocol):
    """An order over pods. A pod is in it at most once; removing and asking need one that is in it."""

    def __len__(self) -> int: ...
    def push(self, qp: QueuedPod) -> None: ...
    def pop(self) -> QueuedPod | None: ...
    def peek(self) -> QueuedPod | None: ...
    def remove(self, qp: QueuedPod) -> None: ...
    def positions(self, qp: QueuedPod) -> Positions: ...


class NamespaceOrder:
    """One heap per namespace and a heap of their heads; push and pop are logarithmic however many namespaces.

    Removal only makes an entry dead (its number is no longer its pod's); dead entries go when they surface, or all at
    once when they outnumber the live ones. Invariant: the top entry of each lane is in the heap of heads, each once.
    """

    def __init__(self) -> None:
        self._lanes: dict[str, list[_Entry]] = {}
        self._heads: list[_Entry] = []
        self._advertised: set[int] = set()
        self._live = 0
        self._dead = 0

    def __len__(self) -> int:
        return self._live

    def push(self, qp: QueuedPod) -> None:
        """Add `qp`, by its pod's priority and its timestamp at this moment."""
        pod = qp.pod
        token = qp.token = next_token()
        entry = (-pod.spec.priority, qp.timestamp, token, qp)
        lane = self._lanes.get(pod.metadata.namespace)
        if lane is None:
            lane = self._lanes[pod.metadata.namespace] = []
        heappush(lane, entry)
        self._live += 1
        if lane[0] is entry:
            heappush(self._heads, entry)
            self._advertised.add(token)

    def pop(self) -> QueuedPod | None:
        """Take the best pod, or None."""
        qp = self.peek()
        if qp is not None:
            qp.token = 0
            self._live -= 1
            self._dead += 1
            self._advance()
        return qp

    def peek(self) -> QueuedPod | None:
        """The pod that `pop` would take."""
        heads = self._heads
        while heads:
            entry = heads[0]
            if entry[3].token == entry[2]:
                return entry[3]
            self._advance()
        return None

    def remove(self, qp: QueuedPod) -> None:
        """Take `qp` out wherever it stands."""
        qp.token = 0
        self._live -= 1
        self._dead += 1
        if self._dead > _COMPACT_ABOVE and self._dead > self._live:
            self._compact()

    def positions(self, qp: QueuedPod) -> Positions:
        """Rank of `qp`; linear in the number of pods."""
        key = (-qp.priority, qp.timestamp, qp.token)
        ahead = {name: sum(1 for e in lane if e[3].token == e[2] and e[:3] < key) for name, lane in self._lanes.items()}
        return Positions(sum(ahead.values()) + 1, ahead.get(qp.namespace, 0) + 1, qp.namespace)

    def _advance(self) -> None:
        """Replace the first of the heads, which is dead, by the next live entry of its lane if there is one."""
        heads, advertised = self._heads, self._advertised
        entry = heads[0]
        advertised.discard(entry[2])
        name = entry[3].pod.metadata.namespace
        lane = self._lanes.get(name)
        while lane and lane[0][3].token != lane[0][2]:
            heappop(lane)
            self._dead -= 1
        if lane and lane[0][2] not in advertised:
            advertised.add(lane[0][2])
            heapreplace(heads, lane[0])
            return
        heappop(heads)
        if lane is not None and not lane:
            del self._lanes[name]

    def _compact(self) -> None:
        for name, lane in list(self._lanes.items()):
            kept = [e for e in lane if e[3].token == e[2]]
            if kept:
                heapify(kept)
                self._lanes[name] = kept
            else:
                del self._lanes[name]
        self._heads = [lane[0] for lane in self._lanes.values()]
        heapify(self._heads)
        self._advertised = {e[2] for e in self._heads}
        self._dead = 0
