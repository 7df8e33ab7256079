"""Leader election on a `coordination.k8s.io/v1` Lease.

The semantics are client-go's: a candidate takes a lease that is free, released, or whose record it has seen unchanged
for a whole `leaseDuration` of its own monotonic time (clocks of different machines are never compared); every write
carries the resource version it is based on; a leader that could not renew for `renewDeadline` stops leading before
others may start.

Why not `kubernetes.aio.leaderelection`: it measures by the wall clock, which may jump; sends its writes through the
generated models; does not give the lease back on stop; has no question "how long am I still safe", which every bind
must ask; and bounds no renewal by a time limit, so that one hanging request outlives the deadline.

    candidate --free, released or expired--> leader --renewed--> leader
                                             leader --deadline passed, or the record names another--> lost (for good)
                                             leader --stop()--> released
"""

import asyncio
import random
import socket
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import Enum

import msgspec

from tenantry_core.clock import Clock, rfc3339_micro
from tenantry_core.errors import ConfigError, DecodeError
from tenantry_core.kube.errors import KubeError
from tenantry_core.kube.lease_record import Lease, LeaseSpec, first, released, renewed, taken
from tenantry_core.kube.port import KubeApi
from tenantry_core.kube.resources import LEASES
from tenantry_core.kube.values import CallOptions, Key, Written


@dataclass(frozen=True, slots=True)
class LeaseSettings:
    """Times of one lease, in seconds; the defaults are kube-scheduler's."""

    duration: float = 15.0
    """How long others wait after the last renewal that they saw. Whole seconds, since the record stores them so."""
    renew_deadline: float = 10.0
    """How long after the start of its last good renewal a leader still leads; below `duration`."""
    retry_period: float = 2.0
    """Seconds between renewals, and between a candidate's looks."""

    def problems(self) -> list[str]:
        """Every rule that the times break, with the field's name."""
        found = []
        if self.duration < 1 or self.duration != int(self.duration):
            found.append("duration: must be a whole number of seconds, at least 1")
        if self.renew_deadline >= self.duration:
            found.append("renew_deadline: must be below duration")
        if self.retry_period <= 0 or self.retry_period * 1.2 >= self.renew_deadline:
            found.append("retry_period: must be above 0 and below renew_deadline / 1.2")
        return found

    @classmethod
    def short(cls, duration: float = 2.0) -> "LeaseSettings":
        """Times in client-go's proportions for a given duration, for tests and demos."""
        return cls(duration, duration * 2 / 3, duration * 2 / 15)


class Leadership(Enum):
    """Where an elector stands."""

    CANDIDATE = "candidate"
    LEADER = "leader"
    LOST = "lost"
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Who competes for what."""

    lease: Key
    """Namespace and name of the Lease."""
    identity: str
    """Unique among all candidates and all restarts: a record that names us must be our own write."""

    @classmethod
    def of_this_process(cls, lease: Key) -> "Candidate":
        """Host name and a fresh UUID, as kube-scheduler names itself."""
        return cls(lease, f"{socket.gethostname()}_{uuid.uuid4()}")


class LeaderElector:
    """One candidate for one lease. `run` once; a lost lease is not competed for again, since the process is to exit.

    `on_change` is called with LEADER, LOST and RELEASED as they happen, from the election's task, and must not block.
    """

    def __init__(
        self,
        api: KubeApi,
        candidate: Candidate,
        clock: Clock,
        settings: LeaseSettings | None = None,
        on_change: Callable[[Leadership], None] | None = None,
    ) -> None:
        self.settings = settings or LeaseSettings()
        if problems := self.settings.problems():
            raise ConfigError([f"leaderElection.{problem}" for problem in problems])
        self.candidate = candidate
        self.holder = ""
        """Identity in the record as last seen, "" when free; for logs and status pages."""
        self.problem = ""
        """Why the last attempt failed, "" when it did not; for logs and status pages."""
        self._api = api
        self._clock = clock
        self._on_change = on_change
        self._rng = random.Random(candidate.identity)
        self._state = Leadership.CANDIDATE
        self._observed: Lease | None = None
        self._observed_at = 0.0
        self._renewed_at = float("-inf")
        self._may_hold = False
        self._stop = asyncio.Event()
        self._won = asyncio.Event()

    @property
    def state(self) -> Leadership:
        """Where this elector stands. A leader past its deadline is LEADER until its task notices: ask `is_leader`."""
        return self._state

    def is_leader(self) -> bool:
        """True while decisions may be carried out: this elector holds the lease and is inside the renew deadline."""
        return self.remaining() > 0

    def remaining(self) -> float:
        """Seconds that a request may still take to end inside the renew deadline; 0 when not leading."""
        if self._state is not Leadership.LEADER:
            return 0.0
        return max(0.0, self._renewed_at + self.settings.renew_deadline - self._clock.monotonic())

    async def won(self) -> None:
        """Wait until this elector has become the leader."""
        await self._won.wait()

    async def run(self) -> Leadership:
        """Compete, lead, and return LOST or RELEASED. `stop` ends it from outside; cancelling it does not release."""
        while not self._lost() and not self._stop.is_set():
            await self._race(self._try())
            if self._state is Leadership.LEADER and self.remaining() <= 0:
                self.problem = self.problem or "could not renew inside the deadline"
                self._become(Leadership.LOST)
            elif not self._lost():
                await self._race(self._clock.sleep(self._pause()))
        if not self._lost():
            await self._release()
        return self._state

    def stop(self) -> None:
        """Ask `run` to give the lease back and return. Finish what is in flight before: the next leader starts at
        once.
        """
        self._stop.set()

    # ---- the loop --------------------------------------------------------------------------------------------------

    def _lost(self) -> bool:
        return self._state is Leadership.LOST

    def _pause(self) -> float:
        """Seconds to the next attempt; candidates spread out, as client-go's do."""
        period = self.settings.retry_period
        return period if self._state is Leadership.LEADER else period * (1 + 1.2 * self._rng.random())

    async def _race(self, work: Coroutine[object, object, None]) -> None:
        """Run `work` until it ends, `stop` is called, or a leader's deadline passes; then it is cancelled."""
        rivals: list[asyncio.Task[object]] = [asyncio.ensure_future(work), asyncio.ensure_future(self._stop.wait())]
        if self._state is Leadership.LEADER:
            rivals.append(asyncio.ensure_future(self._clock.sleep(self.remaining())))
        try:
            await asyncio.wait(rivals, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in rivals:
                task.cancel()
            await asyncio.gather(*rivals, return_exceptions=True)
        if rivals[0].done() and not rivals[0].cancelled():
            rivals[0].result()

    def _become(self, state: Leadership) -> None:
        self._state = state
        if state is Leadership.LEADER:
            self._won.set()
        if self._on_change is not None:
            self._on_change(state)

    # ---- one attempt -----------------------------------------------------------------------------------------------

    async def _try(self) -> None:
        """Acquire or renew once."""
        duration = self.settings.duration
        last = self._observed if self._state is Leadership.LEADER else None
        # Nobody else writes while we lead, so the record that we stored last is nearly always current.
        if last is not None and await self._write(renewed(last, duration, self._now())):
            return
        try:
            current = await self._api.get_as(Lease, LEASES, self.candidate.lease, self._call())
        except (KubeError, DecodeError) as fault:
            self.problem = str(fault)
            return
        if current is None:
            new = first(self.candidate.lease, self.candidate.identity, duration, self._now())
            await self._write(new)
            return
        self._observe(current)
        if current.spec.holder == self.candidate.identity:
            await self._write(renewed(current, duration, self._now()))
        elif self._state is Leadership.LEADER:
            self.problem = f"the lease is held by {current.spec.holder or 'nobody'}"
            self._become(Leadership.LOST)
        elif not current.spec.holder or self._expired(current.spec):
            await self._write(taken(current, self.candidate.identity, duration, self._now()))
        else:
            self.problem = ""

    def _observe(self, lease: Lease) -> None:
        if self._observed is None or lease.spec != self._observed.spec:
            self._observed_at = self._clock.monotonic()
        self._observed = lease
        self.holder = lease.spec.holder

    def _expired(self, spec: LeaseSpec) -> bool:
        """True when we have seen the record unchanged for its own duration (ours where it names none)."""
        seconds = spec.lease_duration_seconds or self.settings.duration
        return self._clock.monotonic() >= self._observed_at + seconds

    async def _write(self, lease: Lease) -> bool:
        """Store a record that names us. On success lead from the moment before it left, when nobody can have seen
        it.
        """
        self._may_hold, started = True, self._clock.monotonic()
        stored = await self._store(lease)
        if stored is None:
            return False
        self._observe(stored)
        if self._state is Leadership.LEADER and self.remaining() <= 0:
            return False
        self._renewed_at = max(self._renewed_at, started)
        self.problem = ""
        if self._state is Leadership.CANDIDATE and started + self.settings.renew_deadline > self._clock.monotonic():
            self._become(Leadership.LEADER)
        return True

    async def _store(self, lease: Lease) -> Lease | None:
        """The record as stored, None when it was refused or the answer was lost."""
        try:
            if lease.resource_version:
                result = await self._api.update(LEASES, self.candidate.lease, lease, self._call())
            else:
                result = await self._api.create(LEASES, self.candidate.lease.namespace, lease, self._call())
            if isinstance(result, Written):
                return result.decode(Lease)
        except (KubeError, msgspec.MsgspecError) as fault:
            self.problem = str(fault)
            return None
        self.problem = result.message
        return None

    async def _release(self) -> None:
        """Stop leading, then empty the record if it names us; a failure is left to expire."""
        self._become(Leadership.RELEASED)
        if not self._may_hold:
            return
        try:
            current = await self._api.get_as(Lease, LEASES, self.candidate.lease, self._call())
        except (KubeError, DecodeError) as fault:
            self.problem = str(fault)
            return
        if current is not None and current.spec.holder == self.candidate.identity:
            await self._store(released(current, self._now()))
            self.holder = ""

    def _call(self) -> CallOptions:
        """One attempt, within half the deadline as client-go's clients have it, so that one lost answer is survived."""
        return CallOptions(timeout=self.settings.renew_deadline / 2, retry=False)

    def _now(self) -> str:
        return rfc3339_micro(self._clock.now())
