"""Events go an hour after their last change, as the API server's time to live has it."""

from collections import deque

from tenantry_sim.clock import Cancellable
from tenantry_sim.store.records import Change
from tenantry_sim.world import World

_SWEEP_SECONDS = 30.0


class EventExpiry:
    """Remembers events in the order of their changes and sweeps up the old ones. Runs in every cluster."""

    def __init__(self, world: World, seconds: float) -> None:
        self.world = world
        self.seconds = seconds
        self._queue: deque[tuple[float, str, str, int]] = deque()
        self._timer: Cancellable | None = None

    def start(self) -> None:
        self.world.kind("/events").listeners.append(self._on_change)

    def stop(self) -> None:
        if self._on_change in self.world.kind("/events").listeners:
            self.world.kind("/events").listeners.remove(self._on_change)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_change(self, change: Change) -> None:
        if change.type == "DELETED":
            return
        record = change.record
        self._queue.append((self.world.clock.now() + self.seconds, record.namespace, record.name, record.rv))
        if self._timer is None:
            self._timer = self.world.clock.call_later(self.seconds, self._sweep)

    def _sweep(self) -> None:
        self._timer = None
        kind, now = self.world.kind("/events"), self.world.clock.now()
        while self._queue and self._queue[0][0] <= now:
            _, namespace, name, revision = self._queue.popleft()
            record = kind.get(namespace, name)
            if record is not None and record.rv == revision:
                self.world.store.remove(kind, record)
        if self._queue:
            wait = max(self._queue[0][0] - now, _SWEEP_SECONDS)
            self._timer = self.world.clock.call_later(wait, self._sweep)
