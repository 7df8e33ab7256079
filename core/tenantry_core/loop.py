"""The scheduling loop: watch -> cache -> queue -> cycle -> bind.

    watch   Feeds bring every change ...
    cache   ... into the cache (ClusterWriter),
    queue   which wakes pods that it may help;
    cycle   a pod is popped and decided on the cache as it stands, in slices that leave the event loop its turns;
    bind    the decision is carried out beside the loop.

Everything runs on one thread. Deciding never waits: not for a bind, nor for an eviction or a report. When binds fall
behind, deciding pauses until they have caught up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

from tenantry_core.bind.binder import Binder
from tenantry_core.bind.evictor import Evictor
from tenantry_core.bind.job import BindJob, BindPorts
from tenantry_core.bind.rejections import Attempt, Rejections
from tenantry_core.cycle.decision import Placement
from tenantry_core.cycle.run import Cycle
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.profile import Profile
from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.queue import QueuedPod
from tenantry_core.watch.audit import Audit
from tenantry_core.watch.feeds import Feeds

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How the loop shares its thread."""

    slice_seconds: float = 0.005
    """Seconds of deciding before other tasks get a turn (cycleBudgetMilliseconds)."""
    batch_size: int = 256
    """Pods decided in one slice at most (batchSize)."""
    upkeep_seconds: float = 1.0
    """Seconds between looks at backoffs, overdue binds and metrics."""
    audit_seconds: float = 300.0
    """Seconds between comparisons of the cache with a fresh list; 0 for none (auditIntervalSeconds)."""
    restart_seconds: float = 1.0
    """Seconds before a part of the loop that broke is started again."""


def _unchanged() -> Mapping[str, Profile] | None:
    return None


@dataclass(frozen=True, slots=True)
class LoopParts:
    """The stages, put together by the app."""

    feeds: Feeds
    ports: BindPorts
    cycles: Mapping[str, Cycle]
    """One per scheduler name, all over the one cache."""
    binder: Binder
    evictor: Evictor
    audit: Audit
    wake: asyncio.Event
    """Set by whatever may have made a pod ready to be tried."""
    fresh_profiles: Callable[[], Mapping[str, Profile] | None] = _unchanged
    """Asked before each slice: profiles by scheduler name where plugins came, changed or went, else None."""
    publishers: tuple[Callable[[], None], ...] = ()
    """Called about once a second to bring metrics up to date."""


class SchedulerLoop:
    """`follow` keeps the cache warm; `decide` places pods. They run in tasks of their own and end when cancelled."""

    def __init__(self, parts: LoopParts, settings: LoopSettings | None = None) -> None:
        self.parts = parts
        self.decided = 0
        """Attempts so far."""
        self.ticked_at = parts.ports.clock.monotonic()
        """When the loop last had nothing left or ended a slice; a health check looks at it."""
        self._settings = settings or LoopSettings()
        self._cycles = dict(parts.cycles)
        self._rejections = Rejections(parts.ports, parts.evictor)
        self._stopping = False

    # ---- watch -> cache -> queue -----------------------------------------------------------------------------------

    async def follow(self) -> None:
        """Bring every change into cache and queue, for ever."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.parts.feeds.run())
            group.create_task(self._keep("upkeep", self._upkeep))
            if self._settings.audit_seconds > 0:
                group.create_task(self._keep("audit", self._audit))

    # ---- queue -> cycle -> bind ------------------------------------------------------------------------------------

    async def decide(self) -> None:
        """Place pods until `stop`. To be called when the cache is in sync and, if elected, up to date."""
        await self._keep("deciding", self._decide)

    def stop(self) -> None:
        """Begin no further attempt; what is under way goes on."""
        self._stopping = True
        self.parts.wake.set()

    async def _decide(self) -> None:
        while not self._stopping:
            await self._pods_to_try()
            await self.parts.binder.room()
            self.decide_slice()
            await asyncio.sleep(0)

    def decide_slice(self) -> int:
        """Try pods for one slice; returns how many. Synchronous: the cache stands still meanwhile."""
        self._follow_profiles()
        ports, settings = self.parts.ports, self._settings
        until, tried = perf_counter() + settings.slice_seconds, 0
        while tried < settings.batch_size and not self._stopping and not self.parts.binder.full:
            now = ports.clock.monotonic()
            qp = ports.queue.pop(now)
            if qp is None:
                break
            self._try(qp, now)
            tried += 1
            if perf_counter() >= until:
                break
        self.decided += tried
        self.ticked_at = ports.clock.monotonic()
        return tried

    def _try(self, qp: QueuedPod, now: float) -> None:
        """One attempt. Whatever breaks in it costs this pod a backoff and nobody else anything."""
        try:
            if self._rejections.skipped(qp):
                return
            cycle, cls = self._cycles[qp.profile], self._class_of(qp)
            began = perf_counter()
            decision = cycle.decide(qp.pod, cls)
            self.parts.ports.recorder.algorithm(perf_counter() - began)
            ctx = CycleContext(self.parts.ports.cache, cls, qp.pod)
            if isinstance(decision, Placement):
                job = BindJob(qp, qp.pod, ctx, cycle.profile, decision.node, decision.row, now, decision.feasible)
                self.parts.binder.launch(job)
            else:
                self._rejections.unplaced(Attempt(qp, cycle.profile, ctx, now), decision)
        except Exception as error:
            self._rejections.broke(qp, error, now)

    def _follow_profiles(self) -> None:
        """Plugins came, changed or went: drop every evaluation made with the old ones, and try all waiting pods."""
        fresh = self.parts.fresh_profiles()
        if fresh is None:
            return
        ports = self.parts.ports
        self._cycles = {name: Cycle(ports.cache, profile) for name, profile in fresh.items()}
        ports.queue.use_profiles({name: profile.plugins for name, profile in fresh.items()})
        ports.queue.on_event(ClusterEvent(Resource.WILDCARD, Action.ALL), ports.clock.monotonic())

    def _class_of(self, qp: QueuedPod) -> PodClass:
        """The pod's class, remembered on its queue entry while class keys stand."""
        classes = self.parts.ports.cache.classes
        if isinstance(qp.cls, PodClass) and qp.cls_version == classes.version:
            return qp.cls
        cls = classes.class_of(qp.pod)
        qp.cls, qp.cls_version = cls, classes.version
        return cls

    async def _pods_to_try(self) -> None:
        """Return when a pod may be tried: at once, when woken, or when the next backoff ends."""
        clock, queue, wake = self.parts.ports.clock, self.parts.ports.queue, self.parts.wake
        while not self._stopping and not queue.ready(now := clock.monotonic()):
            self.ticked_at = now
            wake.clear()
            self._follow_profiles()
            if queue.ready(now):
                return
            end = queue.next_backoff_end()
            if end is None:
                await wake.wait()
                continue
            waits = [asyncio.ensure_future(wake.wait()), asyncio.ensure_future(clock.sleep(end - now))]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()

    # ---- upkeep ----------------------------------------------------------------------------------------------------

    async def _upkeep(self) -> None:
        """End backoffs, look after binds without news, publish sizes."""
        ports = self.parts.ports
        while True:
            await ports.clock.sleep(self._settings.upkeep_seconds)
            now = ports.clock.monotonic()
            if ports.queue.flush(now):
                self.parts.wake.set()
            sizes = ports.cache.sizes()
            for kind in ("nodes", "pods", "assumed_pods"):
                ports.recorder.cache_size(kind, sizes[kind])
            for publish in (self.parts.feeds.publish, *self.parts.publishers):
                publish()
            self.parts.binder.look_after_overdue()

    async def _audit(self) -> None:
        while True:
            await self.parts.ports.clock.sleep(self._settings.audit_seconds)
            await self.parts.audit.once()

    async def _keep(self, name: str, part: Callable[[], Awaitable[None]]) -> None:
        """Run a part of the loop; one that breaks is logged and started again, so that no fault ends scheduling."""
        while True:
            try:
                await part()
            except Exception:
                _log.exception("A part of the loop broke and is started again", extra={"part": name})
                await self.parts.ports.clock.sleep(self._settings.restart_seconds)
            else:
                return
