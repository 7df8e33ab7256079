"""A feed over a scripted server, and a sink that writes down what it is told."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from fakes.clock import FakeClock
from fakes.kube import FakeKube

from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.resources import Resource
from tenantry_core.watch.feed import Feed, FeedPorts
from tenantry_core.watch.translate import Unreadable


class Diary:
    """Implements `Sink`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.fail_on = ""

    def put(self, kind: str, old: msgspec.Struct | None, new: msgspec.Struct) -> None:
        meta: Any = new.metadata  # type: ignore[attr-defined]
        if meta.name == self.fail_on:
            raise RuntimeError("broken")
        self.lines.append(f"{'change' if old is not None else 'add'} {meta.name}")

    def drop(self, kind: str, old: msgspec.Struct) -> None:
        meta: Any = old.metadata  # type: ignore[attr-defined]
        self.lines.append(f"delete {meta.name}")


class Bench:
    """One feed with everything around it."""

    def __init__(self, resource: Resource) -> None:
        self.kube = FakeKube()
        self.clock = FakeClock()
        self.diary = Diary()
        self.unreadable: list[Unreadable] = []
        api = KubeClient(self.kube, self.clock, random.Random(1))
        ports = FeedPorts(api, self.diary, self.clock, random.Random(1), on_unreadable=self.unreadable.append)
        self.feed = Feed(resource, ports)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.feed.run())
        await self.clock.settle()
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def item(name: str, version: int = 1, uid: str = "", **body: Any) -> dict[str, Any]:
    """A pod as the server sends it."""
    meta = {"name": name, "namespace": "ns", "uid": uid or f"uid-{name}", "resourceVersion": str(version)}
    return {"metadata": meta, "spec": {"containers": [{"name": "c"}]}, **body}


def broken(name: str, version: int = 1) -> dict[str, Any]:
    """A pod with a request that is no quantity."""
    bad = item(name, version)
    bad["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "many"}}
    return bad
