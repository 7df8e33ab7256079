"""Time for the embedded cluster: the wall clock by default, a turned-by-hand one in tests."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol


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


def stamp(seconds: float) -> str:
    """RFC 3339 in whole seconds, as `metav1.Time` is written."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_stamp(seconds: float) -> str:
    """RFC 3339 with six decimals, as `metav1.MicroTime` is written."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_stamp(text: str) -> float:
    """Seconds since the epoch of an RFC 3339 time. Raises ValueError."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
