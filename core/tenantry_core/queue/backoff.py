"""Pods that wait out a delay after a failed attempt.

Rejections and errors are kept apart: an idle scheduler may take a rejected pod early, since trying it costs only time
that nobody wants, but a pod that failed by an error waits, to spare whatever is broken.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

from tenantry_core.queue.entry import QueuedPod, next_token
from tenantry_core.queue.settings import QueueSettings

_Entry = tuple[float, int, float, int, QueuedPod]
_COMPACT_ABOVE = 64
"""Dead entries that are never worth a rebuild."""


class BackoffQueue:
    """Two heaps by end of backoff. Within one window, rejected pods come by priority, then by entry."""

    def __init__(self, settings: QueueSettings) -> None:
        self._settings = settings
        self._rejected = _DelayHeap()
        self._failed = _DelayHeap()

    def __len__(self) -> int:
        return self._rejected.live + self._failed.live

    def duration(self, qp: QueuedPod) -> float:
        """Seconds of backoff: the initial delay, doubled by each failure after the first, up to the cap."""
        failures = qp.error_count or qp.unschedulable_count
        if failures == 0:
            return 0.0
        doubled = self._settings.backoff_initial * 2.0 ** min(failures - 1, 64)
        return min(doubled, self._settings.backoff_max)

    def ends(self, qp: QueuedPod) -> float:
        """When the backoff of `qp` ends, counted from its timestamp; a rejection's is cut to the start of its window.

        Source: backoff ordering window of kube-scheduler 1.33+, so a first backoff lasts one second at most.
        """
        end = qp.timestamp + self.duration(qp)
        window = self._settings.backoff_window
        return end if qp.error_count or window <= 0 else max(qp.timestamp, end // window * window)

    def push(self, qp: QueuedPod) -> None:
        """Add `qp`, which waits until its `ready_at`."""
        self._heap_of(qp).push(qp)

    def remove(self, qp: QueuedPod) -> None:
        """Take `qp` out; its error count must be as it was when it came in."""
        self._heap_of(qp).remove(qp)

    def expired(self, now: float) -> Iterator[QueuedPod]:
        """Take out, one by one, the pods whose backoff is over."""
        for heap in (self._rejected, self._failed):
            while (qp := heap.pop(now)) is not None:
                yield qp

    def pop_early(self) -> QueuedPod | None:
        """Take the rejected pod whose backoff ends first, over or not; never one that failed by an error."""
        return self._rejected.pop(float("inf"))

    @property
    def early(self) -> int:
        """Number of pods that `pop_early` could give."""
        return self._rejected.live

    def next_end(self) -> float | None:
        """When the next backoff ends, or None."""
        ends = [end for end in (self._rejected.first(), self._failed.first()) if end is not None]
        return min(ends, default=None)

    def _heap_of(self, qp: QueuedPod) -> _DelayHeap:
        return self._failed if qp.error_count else self._rejected


class _DelayHeap:
    """A heap by (ready_at, priority, timestamp) whose removals are lazy, as in `NamespaceOrder`."""

    def __init__(self) -> None:
        self._heap: list[_Entry] = []
        self.live = 0

    def push(self, qp: QueuedPod) -> None:
        token = qp.token = next_token()
        heappush(self._heap, (qp.ready_at, -qp.priority, qp.timestamp, token, qp))
        self.live += 1

    def remove(self, qp: QueuedPod) -> None:
        qp.token = 0
        self.live -= 1
        if len(self._heap) > 2 * self.live + _COMPACT_ABOVE:
            self._heap = [e for e in self._heap if e[4].token == e[3]]
            heapify(self._heap)

    def first(self) -> float | None:
        heap = self._heap
        while heap and heap[0][4].token != heap[0][3]:
            heappop(heap)
        return heap[0][0] if heap else None

    def pop(self, until: float) -> QueuedPod | None:
        first = self.first()
        if first is None or first > until:
            return None
        qp = heappop(self._heap)[4]
        qp.token = 0
        self.live -= 1
        return qp
