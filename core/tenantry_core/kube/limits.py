"""Client-side rate limit and retry waits.

The rate limit is off by default: the API server's priority and fairness decides who waits, and a second queue on our
side only hides it. It is there for servers without that feature and for shared test clusters.
"""

import random
from dataclasses import dataclass

from tenantry_core.clock import Clock


@dataclass(frozen=True, slots=True)
class RetrySettings:
    """How often and how long a request is tried again."""

    attempts: int = 5
    """Attempts in all for one request; 1 never retries."""
    base: float = 0.2
    """Seconds before the first retry; doubles each time, half of it is random so that many clients spread out."""
    cap: float = 5.0
    """Longest wait in seconds that we choose ourselves."""
    longest_retry_after: float = 30.0
    """A Retry-After above this many seconds is handed to the caller in place of being waited out."""


@dataclass(frozen=True, slots=True)
class RateSettings:
    """A token bucket on requests that are not watches."""

    qps: float = 0.0
    """Requests per second on average; 0 switches the limit off."""
    burst: int = 1
    """Requests that may go at once after a quiet time."""


class Backoff:
    """Exponential waits with jitter, for one sequence of failures."""

    def __init__(self, base: float, cap: float, rng: random.Random) -> None:
        self._base = base
        self._cap = cap
        self._rng = rng
        self._failures = 0

    def next(self) -> float:
        """Seconds to wait after one more failure: between half and all of `base * 2**failures`, at most `cap`."""
        full = min(self._cap, self._base * 2.0 ** min(self._failures, 32))
        self._failures += 1
        return full * (0.5 + 0.5 * self._rng.random())

    def reset(self) -> None:
        """The sequence of failures has ended."""
        self._failures = 0


class RateLimiter:
    """Token bucket; callers pass in the order they came."""

    def __init__(self, settings: RateSettings, clock: Clock) -> None:
        self._qps = settings.qps
        self._burst = float(max(1, settings.burst))
        self._clock = clock
        self._tokens = self._burst
        self._at = clock.monotonic()

    async def acquire(self) -> None:
        """Wait until one more request may go; returns at once when the limit is off."""
        if self._qps <= 0:
            return
        now = self._clock.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._qps)
        self._at = now
        self._tokens -= 1.0
        if self._tokens < 0:
            await self._clock.sleep(-self._tokens / self._qps)
