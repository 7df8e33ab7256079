"""Time, passed in.

Everything in the core that asks for the time or waits takes a `Clock`, so that a test can turn the time by hand. Wall
time is for what other programs read (event times, lease records); monotonic time is for every duration and deadline,
because a wall clock may jump.
"""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> float:
        """Wall time in seconds since 1970-01-01 UTC. May jump; never used to measure a duration."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start, never going back. Used for every duration and deadline."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait `seconds` of monotonic time; zero or less only yields to other tasks once."""
        ...


class SystemClock:
    """The machine's own clock and the running event loop's timer."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))


def rfc3339_micro(seconds: float) -> str:
    """Wall seconds as the API's MicroTime, e.g. `2026-12-01T00:00:00.000000Z` (leases, events.k8s.io)."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def rfc3339(seconds: float) -> str:
    """Wall seconds as the API's Time, whole seconds, e.g. `2026-12-01T00:00:00Z` (conditions)."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
