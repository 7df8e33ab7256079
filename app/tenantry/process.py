"""The life of a `tenantry run` process.

health and metrics --> caches in sync (ready) --> lease won --> caught up --> deciding
   SIGTERM, SIGINT: stop deciding, finish or undo binds, flush reports, release the lease; exit 0
   lease lost: stop at once, since another may decide already; exit 1
"""

from __future__ import annotations

import asyncio
import gc
import logging
import random
import signal
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tenantry.allocator import keep_freed_memory
from tenantry.cli import exits
from tenantry.eventloop import run_fast
from tenantry.http.server import Exposed, HttpServer, HttpSettings
from tenantry.pages import pages, resource_rows
from tenantry.wiring import Outside, Scheduler, build_scheduler
from tenantry_core.clock import Clock, SystemClock
from tenantry_core.config import Config
from tenantry_core.framework.guard import GuardSettings
from tenantry_core.kube import credentials
from tenantry_core.kube.client import ClientSettings, KubeClient
from tenantry_core.kube.http import HttpTransport
from tenantry_core.kube.lease import Candidate, LeaderElector, Leadership, LeaseSettings
from tenantry_core.kube.limits import RateSettings
from tenantry_core.kube.values import Key
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.loader_folder import PluginsFolder
from tenantry_telemetry.health import Health
from tenantry_telemetry.prometheus import PrometheusRecorder, expose_process
from tenantry_telemetry.runtime import GcWatch, LoopWatch

STOP_SECONDS = 8.0
"""Seconds for a clean stop; below the 10 s that we promise."""
STANDSTILL_SECONDS = 60.0
"""Seconds without progress, though pods are ready, after which /livez fails."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line says beside the configuration file."""

    kubeconfig: str | None = None
    """Path; None is the usual search."""
    namespace: str = ""
    """Schedule pods of this namespace alone."""
    leader_elect: bool = True
    """Compete for the lease before deciding."""
    bind: str = "127.0.0.1:10259"
    """host:port of metrics and health; "" serves neither."""
    version: str = "0"
    catalog: Catalog = field(default_factory=Catalog)
    """Every plugin that may be named."""


def run_process(config: Config, options: RunOptions) -> int:
    """Run until told to stop; returns the exit code. Uses uvloop where it is installed."""
    keep_freed_memory()
    return run_fast(Process(config, options).run())


class Process:
    """One process; `run` once."""

    def __init__(self, config: Config, options: RunOptions) -> None:
        self._config = config
        self._options = options
        self._clock = SystemClock()
        self._recorder = PrometheusRecorder()
        self._health = Health(self._recorder)
        self._stop = asyncio.Event()
        self._tasks: list[asyncio.Task[Any]] = []

    async def run(self) -> int:
        """Start everything in order, wait for the end, stop everything. Raises CredentialsError, OSError."""
        expose_process(self._recorder, self._options.version)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        client = await self._client()
        elector = self._elector(client)
        outside = Outside(
            client,
            self._recorder,
            self._clock,
            lease_left=elector.remaining if elector is not None else lambda: float("inf"),
            namespace=self._options.namespace,
            catalog=self._catalog(),
        )
        scheduler = build_scheduler(self._config, outside)
        self._add_checks(scheduler)
        self._watch_folder(scheduler)
        server = await self._serve(scheduler)
        watches = (GcWatch(self._recorder), LoopWatch(self._recorder))
        for watch in watches:
            watch.start()
        try:
            return await self._lead(scheduler, elector)
        finally:
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)
            for watch in watches:
                watch.stop()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            if server is not None:
                await server.stop()
            await client.close()

    # ---- start -----------------------------------------------------------------------------------------------------

    async def _client(self) -> KubeClient:
        given = self._config.scheduler.client_connection
        connection = await credentials.load(self._options.kubeconfig or given.kubeconfig or None)
        host = connection.server.partition("://")[2]

        def observed(method: str, path: str, status: int, seconds: float) -> None:
            self._recorder.request(method, host, str(status) if status else "<error>", seconds)

        rate = RateSettings(given.qps, given.burst or max(1, int(2 * given.qps))) if given.qps > 0 else RateSettings()
        transport = HttpTransport(connection, observer=observed)
        return KubeClient(transport, self._clock, random.Random(), ClientSettings(rate=rate))

    def _catalog(self) -> Catalog:
        catalog = self._options.catalog
        guards = catalog.guards
        guards.recorder, guards.monotonic = self._recorder, self._clock.monotonic
        guards.settings = GuardSettings(budget_seconds=self._config.tenantry.plugin_budget_milliseconds / 1000)
        return catalog

    def _watch_folder(self, scheduler: Scheduler) -> None:
        """Load the plugins folder, where there is one, and follow it. Raises PluginError for an unsafe folder."""
        given = self._config.tenantry.plugins_folder
        if given.enabled:
            folder = PluginsFolder(Path(given.path), self._options.catalog, scheduler.loop.parts.wake.set)
            folder.scan()
            self._task(folder.watch(self._stop))

    def _elector(self, client: KubeClient) -> LeaderElector | None:
        given = self._config.scheduler.leader_election
        if not (self._options.leader_elect and given.leader_elect):
            return None
        candidate = Candidate.of_this_process(Key(given.resource_namespace, given.resource_name))
        times = LeaseSettings(float(given.lease_duration), float(given.renew_deadline), float(given.retry_period))

        def changed(state: Leadership) -> None:
            self._recorder.leader(given.resource_name, state is Leadership.LEADER)
            _log.info("Leadership changed", extra={"lease": given.resource_name, "state": state.value})

        return LeaderElector(client, candidate, self._clock, times, changed)

    async def _serve(self, scheduler: Scheduler) -> HttpServer | None:
        if not self._options.bind:
            return None
        host, _, port = self._options.bind.rpartition(":")
        exposed = Exposed(
            self._recorder.registry,
            self._health,
            resources=lambda: resource_rows(scheduler),
            config=lambda: {"configuration": self._config},
            routes=pages(scheduler, self._options.catalog),
        )
        server = HttpServer(exposed, HttpSettings(host=host.strip("[]") or "127.0.0.1", port=int(port)))
        await server.start()
        return server

    def _add_checks(self, scheduler: Scheduler) -> None:
        def synced() -> str | None:
            waiting = scheduler.feeds.waiting_for()
            return f"waiting for {', '.join(waiting)}" if waiting else None

        self._health.add_ready("informer-sync", synced)
        self._health.add_live("loop", lambda: None if self._stop.is_set() else standstill(scheduler, self._clock))

    # ---- lead ------------------------------------------------------------------------------------------------------

    async def _lead(self, scheduler: Scheduler, elector: LeaderElector | None) -> int:
        scheduler.start()
        following = self._task(scheduler.loop.follow())
        if not await self._unless_stopped(scheduler.feeds.wait_ready()):
            return await self._shut_down(scheduler, None, None)
        tune_collector()
        _log.info("Caches are in sync", extra=scheduler.cache.sizes())
        election = None
        if elector is not None:
            election = self._task(elector.run())
            if not await self._unless_stopped(elector.won(), election):
                return await self._shut_down(scheduler, elector, election)
            if not await self._unless_stopped(scheduler.feeds.catch_up(), election):
                return await self._end(scheduler, elector, election)
        _log.info("Deciding", extra={"profiles": sorted(scheduler.profiles)})
        deciding = self._task(scheduler.loop.decide())
        watched = {following, deciding, self._task(self._stop.wait())} | ({election} if election is not None else set())
        await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
        for task in (following, deciding):
            if task.done():
                # Neither ends by itself.
                await scheduler.abort()
                task.result()
                return exits.FAULT
        return await self._end(scheduler, elector, election)

    async def _end(
        self, scheduler: Scheduler, elector: LeaderElector | None, election: asyncio.Task[Leadership] | None
    ) -> int:
        if election is not None and election.done() and not self._stop.is_set():
            await scheduler.abort()
            reason = elector.problem if elector is not None else ""
            _log.error("The lease is lost; another may decide already", extra={"reason": reason})
            return exits.NO
        return await self._shut_down(scheduler, elector, election)

    async def _shut_down(
        self, scheduler: Scheduler, elector: LeaderElector | None, election: asyncio.Task[Leadership] | None
    ) -> int:
        _log.info("Stopping")
        self._health.begin_shutdown()
        await scheduler.stop(STOP_SECONDS - 2.0)
        if elector is not None and election is not None and not election.done():
            elector.stop()
            await asyncio.wait({election}, timeout=2.0)
        _log.info("Stopped")
        return exits.DONE

    async def _unless_stopped(
        self, work: Coroutine[Any, Any, Any], election: asyncio.Task[Leadership] | None = None
    ) -> bool:
        """Wait for `work`; False where the stop or the end of the election came first."""
        task = asyncio.ensure_future(work)
        stop = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait(
            {task, stop} | ({election} if election is not None else set()), return_when="FIRST_COMPLETED"
        )
        stop.cancel()
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return False
        task.result()
        return True

    def _task(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.ensure_future(work)
        self._tasks.append(task)
        return task


def tune_collector() -> None:
    """What was listed stays for long: keep the collector off it, and let it look at the young less often.

    Structs are outside the collector anyway; what is left are the containers around them.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def standstill(scheduler: Scheduler, clock: Clock) -> str | None:
    """Why /livez must fail: pods are ready and nothing has been decided for STANDSTILL_SECONDS. None while all is well.

    Before the first decision nothing is wrong: a standby has decided nothing either.
    """
    now = clock.monotonic()
    idle = now - scheduler.loop.ticked_at
    if scheduler.loop.decided and idle > STANDSTILL_SECONDS and scheduler.queue.ready(now):
        return f"no decision for {idle:.0f} s though pods are ready"
    return None
