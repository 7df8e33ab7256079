"""Time for the embedded cluster: the wall clock by default, a virtual one for whole days in seconds."""

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
VIRTUAL_START = 1_767_225_600.0
"""Where virtual time begins: 2026-01-01T00:00:00Z."""


class Cancellable(Protocol):
    """A planned call that can be called off."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Where the cluster takes the time from. `now` is seconds since the epoch (UTC)."""

    def now(self) -> float: ...

    def call_later(self, seconds: float, action: Callable[[], None]) -> Cancellable: ...


class LoopClock:
    """The wall clock and the running event loop's timers."""

    def now(self) -> float:
        return time.time()

    def call_later(self, seconds: float, action: Callable[[], None]) -> Cancellable:
        return asyncio.get_running_loop().call_later(max(seconds, 0.0), action)


class VirtualClock:
    """Time of a `VirtualLoop`. Also offers what programs inside the loop need of a clock: `monotonic` and `sleep`."""

    def __init__(self, start: float = VIRTUAL_START) -> None:
        self._start = start

    def now(self) -> float:
        return self._start + self.monotonic()

    def monotonic(self) -> float:
        """Seconds since the loop was made."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(seconds, 0.0))

    def call_later(self, seconds: float, action: Callable[[], None]) -> Cancellable:
        return asyncio.get_running_loop().call_later(max(seconds, 0.0), action)


class _Jumping(selectors.DefaultSelector):
    """Where the loop would wait for a timer, the time jumps to it instead."""

    def __init__(self) -> None:
        super().__init__()
        self.elapsed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        events = super().select(0)
        if not events:
            self.elapsed += timeout
        return events


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time stands still while there is work and jumps to the next timer when there is none.

    Everything in it that waits does so in virtual time: sleeps, time-outs, timers. Sockets and threads work, but no
    time is spent waiting for them, so that a wait with a time-out on another process ends at once.
    """

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._jumping.elapsed


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` on a `VirtualLoop`."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


class _Planned:
    """A call planned on a clock that can stand still."""

    __slots__ = ("action", "clock", "due", "timer")

    def __init__(self, clock: "PausableClock", due: float, action: Callable[[], None]) -> None:
        self.clock = clock
        self.due = due
        self.action = action
        self.timer: Cancellable | None = None

    def cancel(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self.clock.planned.pop(id(self), None)

    def __call__(self) -> None:
        self.clock.planned.pop(id(self), None)
        self.action()


class PausableClock:
    """Another clock that can be stopped and started again; the time in between does not count."""

    def __init__(self, inner: Clock) -> None:
        self.inner = inner
        self.planned: dict[int, _Planned] = {}
        self._lag = 0.0
        self._stopped_at: float | None = None

    @property
    def paused(self) -> bool:
        return self._stopped_at is not None

    def now(self) -> float:
        return self._stopped_at if self._stopped_at is not None else self.inner.now() - self._lag

    def call_later(self, seconds: float, action: Callable[[], None]) -> Cancellable:
        planned = _Planned(self, self.now() + max(seconds, 0.0), action)
        self.planned[id(planned)] = planned
        if self._stopped_at is None:
            planned.timer = self.inner.call_later(seconds, planned)
        return planned

    def pause(self) -> None:
        """Stop: `now` stays, planned calls wait."""
        if self._stopped_at is None:
            self._stopped_at = self.now()
            for planned in self.planned.values():
                if planned.timer is not None:
                    planned.timer.cancel()

    def resume(self) -> None:
        """Go on where it stopped."""
        if self._stopped_at is None:
            return
        stopped, self._stopped_at = self._stopped_at, None
        self._lag = self.inner.now() - stopped
        for planned in sorted(self.planned.values(), key=lambda p: p.due):
            planned.timer = self.inner.call_later(planned.due - stopped, planned)


def stamp(seconds: float) -> str:
    """RFC 3339 in whole seconds, as `metav1.Time` is written."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_stamp(seconds: float) -> str:
    """RFC 3339 with six decimals, as `metav1.MicroTime` is written."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_stamp(text: str) -> float:
    """Seconds since the epoch of an RFC 3339 time. Raises ValueError."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
