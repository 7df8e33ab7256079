"""The loop over real stages, with pods put in by hand where the watch would bring them."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "bind"))

from bind_kit import NAME, Stage
from builders import PodBuilder, a_node
from deciding import profile_with

from tenantry_core.cycle.run import Cycle
from tenantry_core.framework.profile import Profile
from tenantry_core.loop import LoopParts, LoopSettings, SchedulerLoop
from tenantry_core.queue import QueuedPod
from tenantry_core.watch.writer import ClusterWriter, Hooks, Ours


class Quiet:
    """Stands in for feeds and audit."""

    def __init__(self) -> None:
        self.audits = 0

    async def run(self) -> None:
        await asyncio.Event().wait()

    def publish(self) -> None:
        return

    async def once(self) -> None:
        self.audits += 1


class Rig:
    """A loop on one node of 4 CPU."""

    def __init__(self, profile: Profile | None = None, **settings: Any) -> None:
        self.stage = Stage(profile or profile_with())
        self.wake = asyncio.Event()
        self.quiet = Quiet()
        self.writer = ClusterWriter(
            self.stage.cache,
            self.stage.queue,
            Ours(frozenset({NAME})),
            self.stage.clock,
            Hooks(changed=self.wake.set),
        )
        self.ports = replace(self.stage.ports, latest=self.writer.pods.get, changed=self.wake.set)
        self.stage.binder._ports = self.ports
        parts = LoopParts(
            feeds=self.quiet,  # type: ignore[arg-type]
            ports=self.ports,
            cycles={NAME: Cycle(self.stage.cache, self.stage.profile)},
            binder=self.stage.binder,
            evictor=self.stage.evictor,
            audit=self.quiet,  # type: ignore[arg-type]
            wake=self.wake,
        )
        self.loop = SchedulerLoop(parts, LoopSettings(**settings))

    def put(self, pod: PodBuilder, old: PodBuilder | None = None) -> QueuedPod | None:
        self.writer.put("Pod", old.build() if old else None, pod.build())
        return self.stage.queue.get(pod.build().metadata.uid)

    def add_node(self, name: str = "n2") -> None:
        self.writer.put("Node", None, a_node(name).build())

    @contextlib.asynccontextmanager
    async def deciding(self) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(self.loop.decide()), asyncio.create_task(self.loop.follow())]
        await self.settle()
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def settle(self) -> None:
        """Let the loop run until no pod is ready to be tried; a slow machine takes more slices for it."""
        await self.stage.clock.settle()
        for _ in range(1000):
            if not self.stage.queue.ready(self.stage.clock.monotonic()):
                break
            await self.stage.clock.settle()
        await self.stage.clock.settle()

    @property
    def reports(self) -> list[str]:
        return self.stage.reports.lines
