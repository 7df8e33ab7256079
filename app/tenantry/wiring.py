"""The composition root: a configuration and an API server become a scheduler.

Only this file knows which implementation stands behind each port. `run`, `demo` and the integration tests use it alike.
"""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tenantry_core.bind.binder import Binder
from tenantry_core.bind.evictor import Evictor
from tenantry_core.bind.job import BindPorts, BindSettings
from tenantry_core.bind.reporter import Reporter, merged
from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.clock import Clock, SystemClock
from tenantry_core.config import Config
from tenantry_core.control import Control
from tenantry_core.cycle.run import Cycle
from tenantry_core.framework.profile import Profile
from tenantry_core.kube.event_body import ObjectRef
from tenantry_core.kube.events import EventRecorder, EventSettings
from tenantry_core.kube.outbox import OutboxSettings
from tenantry_core.kube.port import KubeApi
from tenantry_core.kube.resources import BY_KIND
from tenantry_core.kube.status import StatusPatcher
from tenantry_core.kube.stream import StreamSettings
from tenantry_core.loop import LoopParts, LoopSettings, SchedulerLoop
from tenantry_core.plugins.default_preemption import Evictions
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.loader_live import LiveProfiles
from tenantry_core.plugins.ports import Ports
from tenantry_core.plugins.volume_api import ChangeSignal, KubeVolumeApi
from tenantry_core.queue import QueueSettings, SchedulingQueue
from tenantry_core.watch.audit import Audit
from tenantry_core.watch.feed import FeedPorts
from tenantry_core.watch.feeds import Feeds
from tenantry_core.watch.translate import Unreadable
from tenantry_core.watch.writer import ClusterWriter, Hooks, Ours
from tenantry_telemetry.api import NOOP_RECORDER, NOOP_TRACES, SchedulerRecorder, TraceSink


def _forever() -> float:
    return float("inf")


@dataclass(frozen=True, slots=True)
class Outside:
    """What a scheduler is given by its surroundings."""

    api: KubeApi
    recorder: SchedulerRecorder = NOOP_RECORDER
    clock: Clock = field(default_factory=SystemClock)
    rng: random.Random = field(default_factory=random.Random)
    lease_left: Callable[[], float] = _forever
    """Seconds that we may still act as the leader; without election, for ever."""
    namespace: str = ""
    """Schedule pods of this namespace alone; "" for all."""
    streams: StreamSettings = field(default_factory=StreamSettings)
    catalog: Catalog = field(default_factory=Catalog)
    """Every plugin that may be named; those from outside run behind its guards."""
    traces: TraceSink = NOOP_TRACES
    """Takes finished attempts."""
    binding: BindSettings = field(default_factory=BindSettings)
    """Times of the bind stage; the configuration sets its concurrency."""


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A scheduler put together. `start` the writers, run `loop.follow`, then, when in sync, `loop.decide`."""

    loop: SchedulerLoop
    control: Control
    writer: ClusterWriter
    events: EventRecorder
    patcher: StatusPatcher
    profiles: Mapping[str, Profile]

    @property
    def cache(self) -> ClusterCache:
        """The cluster as it is known."""
        return self.loop.parts.ports.cache

    @property
    def queue(self) -> SchedulingQueue:
        """Pending pods."""
        return self.loop.parts.ports.queue

    @property
    def binder(self) -> Binder:
        """Binds under way."""
        return self.loop.parts.binder

    @property
    def evictor(self) -> Evictor:
        """Preemptions under way."""
        return self.loop.parts.evictor

    @property
    def feeds(self) -> Feeds:
        """The watches."""
        return self.loop.parts.feeds

    def start(self) -> None:
        """Start the background writers in the running event loop."""
        self.events.start()
        self.patcher.start()

    async def stop(self, seconds: float) -> None:
        """Stop deciding, finish or undo binds, flush reports; at most about `seconds`."""
        self.loop.stop()
        await asyncio.gather(self.binder.close(seconds * 0.5), self.evictor.close(seconds * 0.5))
        await asyncio.gather(self.patcher.close(seconds * 0.3), self.events.close(seconds * 0.3))

    async def abort(self) -> None:
        """Stop at once: nothing more is sent."""
        self.loop.stop()
        await asyncio.gather(self.binder.close(0.0), self.evictor.close(0.0))
        await asyncio.gather(self.patcher.close(0.0), self.events.close(0.0))


def build_scheduler(config: Config, outside: Outside) -> Scheduler:
    """Put a scheduler together. Must be called in a running event loop. Raises ConfigError for a bad profile."""
    cache, signal, evictions = ClusterCache(), ChangeSignal(), Evictions()
    live = _live_profiles(config, outside, evictions, signal)
    profiles = dict(live.current)
    queue = _queue(config, outside, profiles)
    wake = asyncio.Event()
    outside.catalog.guards.on_change = wake.set
    events = _events(config, outside, lambda: binder.quiet)
    patcher = StatusPatcher(outside.api, outside.clock, gate=lambda: binder.quiet, merge=merged)
    reporter = Reporter(events, patcher, outside.clock)

    def fresh_profiles() -> Mapping[str, Profile] | None:
        if not live.due:
            return None
        profiles.update(live.refresh())
        return profiles

    def gone(uid: str) -> None:
        evictions.gone(uid)
        binder.pod_gone(uid)
        reporter.forget(uid)

    ours = Ours(frozenset(profiles), outside.namespace)
    hooks = Hooks(changed=wake.set, pod_gone=gone, other_changed=signal.notify)
    writer = ClusterWriter(cache, queue, ours, outside.clock, hooks, outside.recorder)
    ports = BindPorts(
        api=outside.api,
        cache=cache,
        queue=queue,
        clock=outside.clock,
        reporter=reporter,
        recorder=outside.recorder,
        lease_left=outside.lease_left,
        latest=writer.pods.get,
        changed=wake.set,
        traces=outside.traces,
        settings=replace(outside.binding, concurrency=config.tenantry.bind_concurrency),
    )
    binder = Binder(ports, outside.rng)
    feeds = _feeds(outside, writer, reporter, next(iter(profiles)))
    parts = LoopParts(
        feeds=feeds,
        ports=ports,
        cycles={name: Cycle(cache, profile) for name, profile in profiles.items()},
        binder=binder,
        evictor=Evictor(ports, binder.permits, evictions, outside.rng),
        audit=Audit(outside.api, cache, writer, feeds, outside.clock, outside.recorder),
        wake=wake,
        fresh_profiles=fresh_profiles,
        publishers=(_Backlogs(outside.recorder, events, patcher).publish,),
    )
    control = Control(cache, queue, writer, profiles, outside.clock, binder.permits)
    return Scheduler(SchedulerLoop(parts, _loop_settings(config)), control, writer, events, patcher, profiles)


def _queue(config: Config, outside: Outside, profiles: Mapping[str, Profile]) -> SchedulingQueue:
    settings = QueueSettings(
        backoff_initial=config.scheduler.pod_initial_backoff_seconds,
        backoff_max=config.scheduler.pod_max_backoff_seconds,
    )
    return SchedulingQueue({name: profile.plugins for name, profile in profiles.items()}, settings, outside.recorder)


def _feeds(outside: Outside, writer: ClusterWriter, reporter: Reporter, controller: str) -> Feeds:
    def unreadable(item: Unreadable) -> None:
        reporter.unreadable(_regarding(item), item.field, item.rule, controller)

    return Feeds(
        FeedPorts(outside.api, writer, outside.clock, outside.rng, outside.recorder, unreadable, outside.streams)
    )


def _loop_settings(config: Config) -> LoopSettings:
    return LoopSettings(
        slice_seconds=config.tenantry.cycle_budget_milliseconds / 1000,
        batch_size=config.tenantry.batch_size,
        audit_seconds=config.tenantry.audit_interval_seconds,
    )


def _live_profiles(config: Config, outside: Outside, evictions: Evictions, signal: ChangeSignal) -> LiveProfiles:
    ports = Ports(
        evictions=evictions,
        volumes=KubeVolumeApi(outside.api),
        storage_changed=signal.wait,
        clock=outside.clock,
    )
    percentage = config.scheduler.percentage_of_nodes_to_score or 0
    live = LiveProfiles(outside.catalog, config.scheduler.profiles, config.tenantry.plugins, ports, percentage)
    live.build()
    return live


def _events(config: Config, outside: Outside, gate: Callable[[], bool]) -> EventRecorder:
    outbox = OutboxSettings(capacity=config.tenantry.event_queue_size, workers=4, longest_yield=30.0, attempts=12)
    settings = EventSettings(outbox=outbox)
    return EventRecorder(outside.api, f"tenantry-{socket.gethostname()}", outside.clock, settings, gate)


def _regarding(item: Unreadable) -> ObjectRef:
    name = item.identity
    return ObjectRef(
        item.kind, name.name, name.namespace, name.uid, BY_KIND[item.kind].api_version, name.resource_version
    )


class _Backlogs:
    """Tells the recorder how long the background writers' queues are, and what they dropped since the last time."""

    def __init__(self, recorder: SchedulerRecorder, events: EventRecorder, patcher: StatusPatcher) -> None:
        self._recorder = recorder
        self._events = events
        self._patcher = patcher
        self._dropped = 0

    def publish(self) -> None:
        self._recorder.pending_api_calls("event", len(self._events))
        self._recorder.pending_api_calls("pod_status_patch", len(self._patcher))
        dropped = self._events.counters.dropped
        if dropped > self._dropped:
            self._recorder.events_dropped(dropped - self._dropped)
            self._dropped = dropped
