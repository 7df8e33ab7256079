"""One kind followed from list to watch: each event becomes an old and a new version for the writer.

A relist replaces everything: what it does not bring is deleted, and an object that comes back under its old name with
another UID is deleted and added. An object that can't be read is reported and left out; where an earlier version could
be read, that one stands until the object is readable again or gone.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol

import msgspec

from tenantry_core.clock import Clock
from tenantry_core.kube.port import KubeApi
from tenantry_core.kube.resources import Resource
from tenantry_core.kube.stream import ResourceStream, StreamSettings
from tenantry_core.kube.values import ListOptions
from tenantry_core.kube.watch_event import EventType, WatchEvent
from tenantry_core.model.objects import ObjectMeta
from tenantry_core.watch.translate import REQUIRED, ObjectKey, Unreadable, translate
from tenantry_telemetry.api import NOOP_RECORDER, SchedulerRecorder

SLICE = 0.005
"""Seconds of handling events before other tasks get a turn."""

_REFUSALS = ("403 ", "404 ", "405 ")
_UPSERTS = frozenset({EventType.SYNC_ITEM, EventType.ADDED, EventType.MODIFIED})

_log = logging.getLogger(__name__)


class Sink(Protocol):
    """Where the versions go; `ClusterWriter` implements it."""

    def put(self, kind: str, old: msgspec.Struct | None, new: msgspec.Struct) -> None:
        """An object is new (`old` None) or changed."""
        ...

    def drop(self, kind: str, old: msgspec.Struct) -> None:
        """An object is gone."""
        ...


def _ignore(_: Unreadable) -> None:
    return


@dataclass(frozen=True, slots=True)
class FeedPorts:
    """What every feed uses."""

    api: KubeApi
    sink: Sink
    clock: Clock
    rng: random.Random = field(default_factory=random.Random)
    recorder: SchedulerRecorder = NOOP_RECORDER
    on_unreadable: Callable[[Unreadable], None] = _ignore
    """Told of every object that could not be read."""
    streams: StreamSettings = field(default_factory=StreamSettings)


class Feed:
    """Follows one resource. `run` it in a task; it ends only when cancelled."""

    def __init__(self, resource: Resource, ports: FeedPorts) -> None:
        self.resource = resource
        self.required = resource in REQUIRED
        self.known: dict[ObjectKey, msgspec.Struct] = {}
        """Last readable version of every object."""
        self.unreadable: dict[ObjectKey, Unreadable] = {}
        """Objects whose newest version can't be read."""
        self.refused = ""
        """Why the server does not serve this kind to us, "" where it does."""
        self.heard_at = ports.clock.monotonic()
        self._ports = ports
        self._stream = ResourceStream(
            ports.api,
            resource,
            ports.clock,
            ports.rng,
            ListOptions(),
            settings=ports.streams,
            notice=self._noticed,
        )
        self._listed = ""
        self._brought: set[ObjectKey] | None = None
        self._progress = asyncio.Event()

    @property
    def ready(self) -> bool:
        """Whether decisions may rely on this kind: listed once, or refused by the server and not required."""
        return bool(self._listed) or (bool(self.refused) and not self.required)

    async def run(self) -> None:
        """Follow for ever. A fault in handling one event is logged and does not stop the feed."""
        async with aclosing(self._stream.events()) as events:
            until = perf_counter() + SLICE
            async for event in events:
                try:
                    self._take(event)
                except Exception:
                    _log.exception("An event could not be applied", extra={"resource": self.resource.plural})
                if perf_counter() >= until:
                    await asyncio.sleep(0)
                    until = perf_counter() + SLICE

    async def wait_ready(self) -> None:
        """Return once `ready`."""
        while not self.ready:
            self._progress.clear()
            await self._progress.wait()

    async def catch_up(self) -> None:
        """Return once everything that was stored when this was called has been applied.

        Asks the server for its present version by a quorum read, then for a fresh list, and waits until a list that
        is at least as new has come. Raises `KubeError` when the server can't be asked. Does nothing for a kind that
        the server refuses.
        """
        if self.refused and not self._listed:
            return
        async with aclosing(self._ports.api.list_pages(self.resource, ListOptions(page_size=1))) as pages:  # type: ignore[type-var]
            version = (await anext(pages)).resource_version
        lists = self._stream.counters.lists
        self._stream.resync()
        # A list that was under way before may end first; its version tells. A server whose history was restored may
        # be at a lower version than we are; the number of lists tells.
        while not self.refused and not (self._stream.counters.lists > lists and _at_least(self._listed, version)):
            self._progress.clear()
            await self._progress.wait()

    def relist(self) -> None:
        """List again soon, which mends whatever was missed."""
        self._stream.resync()

    # ---- events ----------------------------------------------------------------------------------------------------

    def _take(self, event: WatchEvent) -> None:
        self.heard_at = self._ports.clock.monotonic()
        kind = event.type
        if kind in _UPSERTS:
            self._upsert(event.object)
        elif kind is EventType.DELETED:
            self._delete(event.object)
        elif kind is EventType.SYNC_START:
            self._brought = set()
        elif kind is EventType.SYNC_END:
            self._end_of_list(event.list_version)

    def _upsert(self, raw: msgspec.Raw) -> None:
        item = translate(self.resource.kind, raw)
        if isinstance(item, Unreadable):
            self._report(item)
            return
        meta: ObjectMeta = item.metadata  # type: ignore[attr-defined]
        key = ObjectKey(meta.namespace, meta.name)
        if self._brought is not None:
            self._brought.add(key)
        if self.unreadable:
            self.unreadable.pop(key, None)
        old = self.known.get(key)
        if old is not None:
            before: ObjectMeta = old.metadata  # type: ignore[attr-defined]
            if before.uid != meta.uid:
                self._ports.sink.drop(self.resource.kind, old)
                old = None
            elif before.resource_version == meta.resource_version and meta.resource_version:
                return
        self.known[key] = item
        self._ports.sink.put(self.resource.kind, old, item)

    def _delete(self, raw: msgspec.Raw) -> None:
        item = translate(self.resource.kind, raw)
        if isinstance(item, Unreadable):
            key = item.key
        else:
            meta: ObjectMeta = item.metadata  # type: ignore[attr-defined]
            key = ObjectKey(meta.namespace, meta.name)
        self._forget(key)

    def _forget(self, key: ObjectKey) -> None:
        self.unreadable.pop(key, None)
        old = self.known.pop(key, None)
        if old is not None:
            self._ports.sink.drop(self.resource.kind, old)

    def _end_of_list(self, version: str) -> None:
        brought, self._brought = self._brought, None
        if brought is not None:
            for key in [key for key in (*self.known, *self.unreadable) if key not in brought]:
                self._forget(key)
        self._listed, self.refused = version or "0", ""
        self._progress.set()

    def _report(self, item: Unreadable) -> None:
        key = item.key
        if self._brought is not None:
            self._brought.add(key)
        known = self.unreadable.get(key)
        self.unreadable[key] = item
        if known is not None and known.identity.resource_version == item.identity.resource_version:
            return
        self._ports.recorder.decode_failed(self.resource.kind)
        _log.warning(
            "An object can't be read and is left out",
            extra={"resource": self.resource.plural, "object": "/".join(key), "field": item.field, "reason": item.rule},
        )
        self._ports.on_unreadable(item)

    def _noticed(self, plural: str, message: str) -> None:
        """The stream met a failure and will try again by itself."""
        expired = message.startswith("410 ")
        self._ports.recorder.watch_restarted(plural, "expired" if expired else "error")
        refused = message.startswith(_REFUSALS)
        if not refused or not self.refused:
            _log.warning("A watch failed and is tried again", extra={"resource": plural, "reason": message})
        if refused and not self._listed:
            self.refused = message
            self._progress.set()


def _at_least(listed: str, wanted: str) -> bool:
    """Whether a list of version `listed` shows everything that was stored at `wanted`."""
    if listed.isdigit() and wanted.isdigit():
        return int(listed) >= int(wanted)
    return listed == wanted
