"""Compares what we know with a fresh list once in a while, tells of every difference, and mends it.

A watch can lose an event by a fault of the server, of a proxy or of ours; without this the loss would stay for ever.
Three looks: the list against the watch's last versions, these against the cache, the cache's sums against its pods.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from tenantry_core.cache.audit import Drift, node_drift, pod_drift, recount
from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.clock import Clock
from tenantry_core.errors import TenantryError
from tenantry_core.kube.port import KubeApi
from tenantry_core.kube.resources import NODES, PODS, Resource
from tenantry_core.kube.values import Key
from tenantry_core.model.decode import identify
from tenantry_core.model.objects import Node, Pod
from tenantry_core.watch.feed import Feed
from tenantry_core.watch.feeds import Feeds
from tenantry_core.watch.translate import ObjectKey
from tenantry_core.watch.writer import ClusterWriter
from tenantry_telemetry.api import NOOP_RECORDER, CacheRecorder

SETTLE_SECONDS = 5.0
"""Seconds that the watch gets to bring what the list already shows."""
ROWS_PER_SLICE = 256

_log = logging.getLogger(__name__)


class _Seen(NamedTuple):
    uid: str
    version: str


class _Listed(NamedTuple):
    objects: dict[ObjectKey, _Seen]
    version: str


class Audit:
    """One comparison per `once`; mends what it finds."""

    def __init__(
        self,
        api: KubeApi,
        cache: ClusterCache,
        writer: ClusterWriter,
        feeds: Feeds,
        clock: Clock,
        recorder: CacheRecorder = NOOP_RECORDER,
    ) -> None:
        self._api = api
        self._cache = cache
        self._writer = writer
        self._feeds = feeds
        self._clock = clock
        self._recorder = recorder

    async def once(self) -> list[Drift]:
        """Compare nodes and pods with a fresh list. Returns what was wrong; a server that can't list gives nothing."""
        found: list[Drift] = []
        for resource in (NODES, PODS):
            feed = self._feeds.by_resource[resource]
            try:
                missed = await self._missed(feed)
            except TenantryError as fault:
                _log.warning("The audit could not list", extra={"resource": resource.plural, "reason": str(fault)})
                continue
            if missed:
                feed.relist()
            found += missed
        found += self._mend(NODES, node_drift(self._cache, self._nodes()))
        found += self._mend(PODS, pod_drift(self._cache, self._pods()))
        for start in range(0, self._cache.nodes.size, ROWS_PER_SLICE):
            found += recount(self._cache, range(start, min(start + ROWS_PER_SLICE, self._cache.nodes.size)))
            await asyncio.sleep(0)
        for drift in found:
            self._recorder.cache_drift(drift.kind)
            _log.error("The cache had drifted", extra={"kind": drift.kind, "object": drift.key, "reason": drift.what})
        return found

    # ---- list against watch ----------------------------------------------------------------------------------------

    async def _missed(self, feed: Feed) -> list[Drift]:
        listed = await self._list(feed.resource)
        await self._clock.sleep(SETTLE_SECONDS)
        kind, found = feed.resource.kind, []
        for key, seen in listed.objects.items():
            known = feed.known.get(key)
            if known is None:
                if key not in feed.unreadable and await self._is(feed.resource, key, seen.uid):
                    found.append(Drift(kind, key.name, "never seen"))
            elif _older(_version(known), seen.version):
                found.append(Drift(kind, key.name, "old version"))
        for key, known in list(feed.known.items()):
            unlisted = key not in listed.objects and not _older(listed.version, _version(known))
            if unlisted and key in feed.known and not await self._is(feed.resource, key, _uid(known)):
                found.append(Drift(kind, key.name, "deletion not seen"))
        return found

    async def _list(self, resource: Resource) -> _Listed:
        objects: dict[ObjectKey, _Seen] = {}
        version = ""
        async for page in self._api.list_pages(resource):
            if page.index == 0:
                objects.clear()
            for item in page.items:
                name = identify(item)
                objects[ObjectKey(name.namespace, name.name)] = _Seen(name.uid, name.resource_version)
            version = page.resource_version
            await asyncio.sleep(0)
        return _Listed(objects, version)

    async def _is(self, resource: Resource, key: ObjectKey, uid: str) -> bool:
        """Whether the object exists now."""
        body = await self._api.get(resource, Key(*key))
        return body is not None and identify(body).uid == uid

    # ---- watch against cache ---------------------------------------------------------------------------------------

    def _nodes(self) -> dict[str, Node]:
        items: Iterable[msgspec.Struct] = self._feeds.by_resource[NODES].known.values()
        return {item.metadata.name: item for item in items if isinstance(item, Node)}

    def _pods(self) -> dict[str, Pod]:
        items: Iterable[msgspec.Struct] = self._feeds.by_resource[PODS].known.values()
        return {item.metadata.uid: item for item in items if isinstance(item, Pod)}

    def _mend(self, resource: Resource, drifts: list[Drift]) -> list[Drift]:
        """Tell the writer again what it should have done."""
        nodes, pods = self._nodes(), self._pods()
        for drift in drifts:
            item: Node | Pod | None = nodes.get(drift.key) if resource is NODES else pods.get(drift.key)
            if item is not None:
                self._writer.put(resource.kind, None, item)
            elif resource is NODES:
                self._cache.remove_node(drift.key)
            else:
                self._cache.remove_pod(drift.key)
        return drifts


def _uid(item: msgspec.Struct) -> str:
    return str(item.metadata.uid)  # type: ignore[attr-defined]


def _version(item: msgspec.Struct) -> str:
    return str(item.metadata.resource_version)  # type: ignore[attr-defined]


def _older(version: str, other: str) -> bool:
    """Whether a version is older; unknown orders count as no."""
    return version.isdigit() and other.isdigit() and int(version) < int(other)
