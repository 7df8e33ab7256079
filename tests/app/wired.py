"""A whole scheduler over an API server in memory, on a clock that is turned by hand."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from typing import Any

from fakes.clock import FakeClock
from fakes.kube import FakeKube

from tenantry.wiring import Outside, Scheduler, build_scheduler
from tenantry_core.config import Config, load_config
from tenantry_core.kube.client import KubeClient
from tenantry_core.plugins.loader import Catalog

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


class Wired:
    """`kube` is the server; `scheduler` runs inside `running()`."""

    def __init__(self, config: str = "", catalog: Catalog | None = None, **outside: Any) -> None:
        self.kube, self.clock = FakeKube(), FakeClock()
        loaded = load_config(HEAD + config)
        assert isinstance(loaded, Config), loaded
        api = KubeClient(self.kube, self.clock, random.Random(1))
        given = Outside(api, clock=self.clock, catalog=catalog or Catalog(), rng=random.Random(1), **outside)
        self.scheduler: Scheduler = build_scheduler(loaded, given)

    def node(self, name: str, cpu: str = "4") -> None:
        status = {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}}
        self.kube.add("/api/v1", "nodes", {"metadata": {"name": name}, "status": status})

    def pod(self, name: str, cpu: str = "1", **spec: Any) -> None:
        container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
        meta = {"name": name, "namespace": "ns", "uid": f"uid-{name}"}
        self.kube.add("/api/v1", "pods", {"metadata": meta, "spec": {"containers": [container], **spec}})

    def nodes_of(self, *names: str) -> list[str]:
        """Where pods are, "" for nowhere."""
        return [self.kube.objects["/api/v1", "pods", "ns", n]["spec"].get("nodeName", "") for n in names]

    def events(self) -> list[dict[str, Any]]:
        """Events that were sent."""
        return [request.json for request in self.kube.seen("POST", "/events$")]

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Scheduler]:
        self.scheduler.start()
        loop = self.scheduler.loop
        tasks = [asyncio.create_task(loop.follow()), asyncio.create_task(loop.decide())]
        await self.clock.advance(0.5)
        try:
            yield self.scheduler
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
