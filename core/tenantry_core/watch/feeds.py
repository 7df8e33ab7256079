"""All feeds together: started, waited for, brought up to date before a new leader decides."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from tenantry_core.kube.errors import KubeError
from tenantry_core.kube.resources import Resource
from tenantry_core.watch.feed import Feed, FeedPorts
from tenantry_core.watch.translate import FOLLOWED

RETRY_SECONDS = 1.0
"""Seconds between two attempts to ask the server for its present version."""

_log = logging.getLogger(__name__)


class Feeds:
    """One feed per kind. `run` in a task; a feed that breaks by a fault of ours is logged and started again."""

    def __init__(self, ports: FeedPorts, resources: Iterable[Resource] = FOLLOWED) -> None:
        self._ports = ports
        self.by_resource = {resource: Feed(resource, ports) for resource in resources}

    async def run(self) -> None:
        """Follow every kind until cancelled."""
        async with asyncio.TaskGroup() as group:
            for feed in self.by_resource.values():
                group.create_task(self._keep(feed), name=f"watch-{feed.resource.plural}")

    async def wait_ready(self) -> None:
        """Return once every kind has been listed, or is one that the server refuses and that we can do without."""
        await asyncio.gather(*(feed.wait_ready() for feed in self.by_resource.values()))

    async def catch_up(self) -> None:
        """Return once everything that was stored when this was called has been applied; retries while the server fails.

        What a new leader waits for: binds of its predecessor must be in the cache before it decides.
        """
        await asyncio.gather(*(self._catch_up(feed) for feed in self.by_resource.values()))

    def waiting_for(self) -> list[str]:
        """Plural names of the kinds that are not ready yet."""
        return [feed.resource.plural for feed in self.by_resource.values() if not feed.ready]

    def publish(self) -> None:
        """Tell the recorder how long each watch has been silent."""
        now = self._ports.clock.monotonic()
        for feed in self.by_resource.values():
            if feed.ready and not feed.refused:
                self._ports.recorder.watch_lag(feed.resource.plural, now - feed.heard_at)

    async def _keep(self, feed: Feed) -> None:
        while True:
            try:
                await feed.run()
            except Exception:
                _log.exception("A watch broke and is started again", extra={"resource": feed.resource.plural})
            await self._ports.clock.sleep(RETRY_SECONDS)

    async def _catch_up(self, feed: Feed) -> None:
        while True:
            try:
                await feed.catch_up()
            except KubeError as fault:
                _log.warning(
                    "The server can't say its version", extra={"resource": feed.resource.plural, "reason": str(fault)}
                )
                await self._ports.clock.sleep(RETRY_SECONDS)
            else:
                return
