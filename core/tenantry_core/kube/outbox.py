"""A set of pending writes by key that background workers send when nothing more urgent is in flight.

A second `put` for a key that still waits replaces (or merges into) the first; one key is never in flight twice. What
the writes are is the caller's: events and pod status patches share this.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from tenantry_core.clock import Clock
from tenantry_core.kube.errors import KubeError
from tenantry_core.kube.limits import Backoff

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

Gate = Callable[[], bool]
"""True when background writes may go. Binds in flight close it."""


def always_open() -> bool:
    """The gate of whoever has nothing more urgent to send."""
    return True


class Sent(Enum):
    """What became of one attempt."""

    DONE = "done"
    """Stored, or pointless by now."""
    AGAIN = "again"
    """A passing failure: try again later, unless something newer for the key has come."""
    REFUSED = "refused"
    """The server will never take it; given up and counted."""


@dataclass(frozen=True, slots=True)
class OutboxSettings:
    """How an outbox is emptied."""

    capacity: int = 0
    """Keys that may wait; a new key beyond that is dropped and counted. 0 is no limit."""
    workers: int = 4
    """Requests in flight at once."""
    gate_poll: float = 0.02
    """Seconds between two looks at a closed gate."""
    longest_yield: float = 5.0
    """Seconds that one write waits at a closed gate at most, so that endless binds can't hold it back for ever."""
    backoff_base: float = 0.25
    """Seconds a worker waits after a passing failure; doubles while failures follow each other."""
    backoff_cap: float = 10.0
    """Longest such wait in seconds."""
    attempts: int = 0
    """Attempts for one key before it is dropped and counted; 0 is no limit."""


@dataclass(slots=True)
class OutboxCounters:
    """What happened; read by metrics and tests."""

    sent: int = 0
    dropped: int = 0
    refused: int = 0
    retried: int = 0
    last_fault: str = ""
    """Text of the last exception that an attempt raised, "" for none."""


@dataclass(slots=True)
class _Entry(Generic[V]):
    value: V
    failures: int = 0


class Outbox(Generic[K, V]):
    """Pending writes of one sort. `send` does one attempt and says how it went; it must not raise but for bugs."""

    def __init__(
        self,
        send: Callable[[K, V], Awaitable[Sent]],
        clock: Clock,
        settings: OutboxSettings,
        gate: Gate = always_open,
        merge: Callable[[V, V], V] | None = None,
    ) -> None:
        self.counters = OutboxCounters()
        self._send = send
        self._clock = clock
        self._settings = settings
        self._gate = gate
        self._merge = merge
        self._pending: dict[K, _Entry[V]] = {}
        self._flying: set[K] = set()
        self._ready: asyncio.Queue[K] = asyncio.Queue()
        self._idle = asyncio.Event()
        self._idle.set()
        self._closing = False
        self._tasks: list[asyncio.Task[None]] = []

    def __len__(self) -> int:
        """Keys that wait or are in flight."""
        return len(self._pending.keys() | self._flying)

    def start(self) -> None:
        """Start the workers in the running loop."""
        self._tasks = [asyncio.create_task(self._work(number)) for number in range(self._settings.workers)]

    def put(self, key: K, value: V) -> bool:
        """Leave a write; returns at once. False when the outbox is full or closed, which is counted."""
        entry = self._pending.get(key)
        if entry is not None:
            entry.value = value if self._merge is None else self._merge(entry.value, value)
            return True
        full = self._settings.capacity and len(self._pending) >= self._settings.capacity
        if full or self._closing:
            self.counters.dropped += 1
            return False
        self._pending[key] = _Entry(value)
        if key not in self._flying:
            self._ready.put_nowait(key)
        self._idle.clear()
        return True

    def discard(self, key: K) -> None:
        """Forget a write that still waits, for example when its pod was deleted."""
        self._pending.pop(key, None)
        self._check_idle()

    async def close(self, deadline: float) -> int:
        """Take no more, send what waits without regard to the gate for at most `deadline` seconds, stop the workers.

        Returns how many writes were left unsent.
        """
        self._closing = True
        if self._tasks:
            waits = (asyncio.ensure_future(self._idle.wait()), asyncio.ensure_future(self._clock.sleep(deadline)))
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            left = len(self)
            for task in (*waits, *self._tasks):
                task.cancel()
            await asyncio.gather(*waits, *self._tasks, return_exceptions=True)
            self._tasks = []
            return left
        return len(self)

    async def _work(self, number: int) -> None:
        backoff = Backoff(self._settings.backoff_base, self._settings.backoff_cap, random.Random(number))
        while True:
            key = await self._ready.get()
            await self._yield_to_others()
            entry = None if key in self._flying else self._pending.pop(key, None)
            if entry is None:
                continue
            self._flying.add(key)
            try:
                sent = await self._attempt(key, entry.value)
            finally:
                self._flying.discard(key)
            self._settle(key, entry, sent)
            if sent is Sent.AGAIN:
                # The key waits with its worker; another worker would try it again at once.
                await self._clock.sleep(backoff.next())
            else:
                backoff.reset()
            if key in self._pending:
                self._ready.put_nowait(key)

    async def _attempt(self, key: K, value: V) -> Sent:
        try:
            return await self._send(key, value)
        except KubeError as fault:
            self.counters.last_fault = str(fault)
            return Sent.AGAIN
        except Exception as fault:
            # One write that can't even be built must not stop the others.
            self.counters.last_fault = f"{type(fault).__name__}: {fault}"
            return Sent.REFUSED

    async def _yield_to_others(self) -> None:
        if self._gate():
            return
        until = self._clock.monotonic() + self._settings.longest_yield
        while not self._closing and not self._gate() and self._clock.monotonic() < until:
            await self._clock.sleep(self._settings.gate_poll)

    def _settle(self, key: K, entry: _Entry[V], sent: Sent) -> None:
        """Count one attempt, and keep the write where it is to be tried again."""
        newer = self._pending.get(key)
        if sent is Sent.DONE:
            self.counters.sent += 1
        elif sent is Sent.REFUSED:
            self.counters.refused += 1
        else:
            self._keep(key, entry, newer)
        self._check_idle()

    def _keep(self, key: K, entry: _Entry[V], newer: _Entry[V] | None) -> None:
        self.counters.retried += 1
        if newer is not None:
            if self._merge is not None:
                newer.value = self._merge(entry.value, newer.value)
            return
        entry.failures += 1
        if self._settings.attempts and entry.failures >= self._settings.attempts:
            self.counters.dropped += 1
            return
        self._pending[key] = entry

    def _check_idle(self) -> None:
        if not self._pending and not self._flying:
            self._idle.set()
