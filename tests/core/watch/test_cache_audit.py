"""The audit finds what the cache has wrong, tells, and mends it."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Any

import pytest
from fakes.clock import FakeClock
from fakes.kube import FakeKube

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.resources import NODES, PODS
from tenantry_core.queue import SchedulingQueue
from tenantry_core.watch.audit import Audit
from tenantry_core.watch.feed import FeedPorts
from tenantry_core.watch.feeds import Feeds
from tenantry_core.watch.writer import ClusterWriter, Ours
from tenantry_telemetry.api import NoopRecorder

P = "/api/v1"


class Counts(NoopRecorder):
    def __init__(self) -> None:
        self.drifts: Counter[str] = Counter()

    def cache_drift(self, kind: str, count: int = 1) -> None:
        self.drifts[kind] += count


class World:
    """A cache that follows a server with one node and one bound pod, through watches that say nothing."""

    def __init__(self) -> None:
        self.kube, self.clock, self.counts = FakeKube(), FakeClock(), Counts()
        self.cache = ClusterCache()
        queue = SchedulingQueue({"default-scheduler": ()})
        self.writer = ClusterWriter(self.cache, queue, Ours(frozenset({"default-scheduler"})), self.clock)
        api = KubeClient(self.kube, self.clock, random.Random(1))
        self.feeds = Feeds(FeedPorts(api, self.writer, self.clock, random.Random(1)), (NODES, PODS))
        self.audit = Audit(api, self.cache, self.writer, self.feeds, self.clock, self.counts)
        self.node("n1")
        self.pod("p1")

    def node(self, name: str) -> None:
        status = {"allocatable": {"cpu": "4", "pods": "10"}}
        self.kube.add(P, "nodes", {"metadata": {"name": name}, "status": status})

    def pod(self, name: str, cpu: str = "1") -> None:
        container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
        body: dict[str, Any] = {"metadata": {"name": name, "namespace": "ns", "uid": f"uid-{name}"}}
        self.kube.add(P, "pods", body | {"spec": {"nodeName": "n1", "containers": [container]}})

    async def run(self, lie: Any) -> list[str]:
        task = asyncio.create_task(self.feeds.run())
        await self.clock.settle()
        lie(self)
        audit = asyncio.create_task(self.audit.once())
        await self.clock.advance(15)
        found = await audit
        await self.clock.advance(5)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return sorted(f"{d.kind} {d.key} {d.what}" for d in found)


def nothing(world: World) -> None:
    return


def pod_never_seen(world: World) -> None:
    world.pod("p2")


def pod_gone_unseen(world: World) -> None:
    del world.kube.objects[P, "pods", "ns", "p1"]


def node_changed_unseen(world: World) -> None:
    world.node("n1")


def cache_lost_a_pod(world: World) -> None:
    world.cache.remove_pod("uid-p1")


def cache_lost_a_node(world: World) -> None:
    world.cache.remove_node("n1")


def sums_are_wrong(world: World) -> None:
    world.cache.nodes.requested[0, 0] = 77


@pytest.mark.parametrize(
    ("lie", "found"),
    [
        pytest.param(nothing, [], id="no-drift"),
        pytest.param(pod_never_seen, ["Pod p2 never seen"], id="T44-missed-add"),
        pytest.param(pod_gone_unseen, ["Pod p1 deletion not seen"], id="T44-missed-delete"),
        pytest.param(node_changed_unseen, ["Node n1 old version"], id="missed-update"),
        pytest.param(cache_lost_a_pod, ["Pod uid-p1 missing"], id="cache-lost-a-pod"),
        pytest.param(cache_lost_a_node, ["Node n1 missing"], id="cache-lost-a-node"),
        pytest.param(sums_are_wrong, ["Node n1 sums"], id="sums"),
    ],
)
async def test_drift_is_found_and_mended(lie: Any, found: list[str]) -> None:
    world = World()
    assert await world.run(lie) == found
    assert sum(world.counts.drifts.values()) == len(found)
    pods = sum(key[1] == "pods" for key in world.kube.objects)
    assert world.cache.sizes() == {"nodes": 1, "pods": pods, "assumed_pods": 0}
    assert int(world.cache.nodes.requested[0, 0]) == 1000 * pods
