"""Creates the demo's objects through the API, as any client would."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from tenantry.cli import exits
from tenantry.demo.observer import Observer
from tenantry.demo.story import Body
from tenantry_core.kube.port import KubeApi
from tenantry_core.kube.resources import PODS, Resource
from tenantry_core.kube.values import Written

IN_FLIGHT = 32
"""Create calls under way at once."""


class Load:
    """A client that creates pods and notes when it asked for each."""

    def __init__(self, api: KubeApi, observer: Observer) -> None:
        self._api = api
        self._observer = observer

    async def create(self, resource: Resource, body: Body) -> None:
        """Create one object; ends the command where the server refuses."""
        meta = body["metadata"]
        if resource is PODS:
            self._observer.created[meta["namespace"], meta["name"]] = self._observer.clock()
        result = await self._api.create(resource, meta.get("namespace", ""), body)
        if not isinstance(result, Written):
            raise exits.CommandFailed(f"{resource.kind} {meta['name']}: {result}")

    async def create_all(self, bodies: Iterable[Body]) -> None:
        """Create many pods, a bounded number at a time, in order."""
        pending = iter(bodies)

        async def worker() -> None:
            for body in pending:
                await self.create(PODS, body)

        async with asyncio.TaskGroup() as group:
            for _ in range(IN_FLIGHT):
                group.create_task(worker())
