"""The port through which volume binding writes, and how it waits for what others then do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol

import msgspec

from tenantry_core.clock import Clock
from tenantry_core.kube.port import KubeApi
from tenantry_core.kube.resources import PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, Resource
from tenantry_core.kube.values import Key, Patch, PatchType, Written

MergePatch = Mapping[str, object]
"""A JSON merge patch. With `metadata.resourceVersion` in it the server refuses it where the object has changed."""

WaitForChange = Callable[[], Awaitable[None]]
"""Registers a wait the moment it is called; what it returns ends with the next change of the storage view."""


class VolumeWrite(NamedTuple):
    """How a write went: the version stored, or the problem."""

    resource_version: str = ""
    problem: str = ""


class VolumeApi(Protocol):
    """Writes to volumes and claims. A refusal or a lost answer is a `problem`, not an exception."""

    async def update_pv(self, name: str, patch: MergePatch) -> VolumeWrite: ...
    async def update_pvc(self, namespace: str, name: str, patch: MergePatch) -> VolumeWrite: ...


class _Meta(msgspec.Struct):
    resource_version: str = msgspec.field(name="resourceVersion", default="")


class _Object(msgspec.Struct):
    metadata: _Meta


class KubeVolumeApi:
    """VolumeApi over a Kubernetes API."""

    def __init__(self, api: KubeApi) -> None:
        self._api = api

    async def update_pv(self, name: str, patch: MergePatch) -> VolumeWrite:
        """Patch a volume."""
        return await self._patch(PERSISTENT_VOLUMES, Key("", name), patch)

    async def update_pvc(self, namespace: str, name: str, patch: MergePatch) -> VolumeWrite:
        """Patch a claim."""
        return await self._patch(PERSISTENT_VOLUME_CLAIMS, Key(namespace, name), patch)

    async def _patch(self, resource: Resource, key: Key, patch: MergePatch) -> VolumeWrite:
        result = await self._api.patch(resource, key, Patch(PatchType.MERGE, dict(patch)))
        if not isinstance(result, Written):
            return VolumeWrite(problem=result.message)
        return VolumeWrite(result.decode(_Object).metadata.resource_version)


class ChangeSignal:
    """Wakes everybody who waits for a change; `notify` belongs into the listeners of the storage view."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def notify(self) -> None:
        """Something changed."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def wait(self) -> asyncio.Future[None]:
        """Ends with the next `notify`."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting = [f for f in self._waiting if not f.done()]
        self._waiting.append(future)
        return future


async def changed_within(change: Awaitable[None], clock: Clock, seconds: float) -> None:
    """Wait for `change`, `seconds` at most. Cancels what it started when it is cancelled itself."""
    waiting, timer = asyncio.ensure_future(change), asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({waiting, timer}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
        timer.cancel()
        await asyncio.gather(waiting, timer, return_exceptions=True)
