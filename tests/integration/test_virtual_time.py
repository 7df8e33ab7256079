"""The real scheduler, unchanged, on the embedded cluster in virtual time: an hour of churn in seconds, twice alike."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from tenantry.wiring import Outside, build_scheduler
from tenantry_core.config import Config
from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.errors import MaybeSent, NotSent
from tenantry_core.kube.transport import Transport
from tenantry_core.model.objects import Node, Pod
from tenantry_core.model.requests import amounts, effective_request
from tenantry_core.watch import feed
from tenantry_sim import LocalSettings, SimCluster, SimConfig, VirtualClock, run_virtual

_DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
_JOBS = "/apis/batch/v1/namespaces/default/jobs"
_MERGE = {"Content-Type": "application/merge-patch+json"}


def _template(app: str, **notes: str) -> dict[str, Any]:
    containers = [{"name": "c", "image": "a:1", "resources": {"requests": {"cpu": "200m", "memory": "256Mi"}}}]
    return {"metadata": {"labels": {"app": app}, "annotations": notes}, "spec": {"containers": containers}}


class _Tenant:
    """Somebody who changes things once a minute, by a seed."""

    def __init__(self, transport: Transport, seed: int) -> None:
        self.transport = transport
        self.chance = random.Random(seed)
        self.jobs = 0

    async def send(self, method: str, path: str, body: Any, headers: dict[str, str] | None = None) -> None:
        answer = await self.transport.request(method, path, body=msgspec.json.encode(body), headers=headers)
        assert answer.status < 300, answer.body

    async def begin(self) -> None:
        for i in range(5):
            app = f"app-{i}"
            spec = {"replicas": 20, "selector": {"matchLabels": {"app": app}}, "template": _template(app)}
            await self.send("POST", _DEPLOYMENTS, {"metadata": {"name": app}, "spec": spec})

    async def act(self) -> None:
        app = f"{_DEPLOYMENTS}/app-{self.chance.randrange(5)}"
        await self.send("PATCH", app, {"spec": {"replicas": self.chance.randrange(5, 40)}}, _MERGE)
        if self.chance.random() < 0.2:
            template = _template("", note=str(self.chance.randrange(100)))
            template["metadata"].pop("labels")
            await self.send("PATCH", app, {"spec": {"template": template}}, _MERGE)
        self.jobs += 1
        template = _template("job", **{"sim.tenantry.io/succeed-after-seconds": str(self.chance.randrange(5, 90))})
        template["spec"]["restartPolicy"] = "Never"
        spec = {"completions": 6, "parallelism": 3, "template": template, "ttlSecondsAfterFinished": 120}
        await self.send("POST", _JOBS, {"metadata": {"name": f"job-{self.jobs}"}, "spec": spec})
        if self.jobs % 20 == 10:
            await self._lose(f"node-{self.chance.randrange(20)}")

    async def _lose(self, node: str) -> None:
        body = {"metadata": {"annotations": {"sim.tenantry.io/lost": "true"}}}
        await self.send("PATCH", f"/api/v1/nodes/{node}", body, _MERGE)


def _config() -> Config:
    config = Config()
    return replace(config, tenantry=replace(config.tenantry, cycle_budget_milliseconds=10_000))


Trouble = Callable[[SimCluster, int], Awaitable[None]]


async def _none(cluster: SimCluster, minute: int) -> None:
    """No trouble."""


async def _faults(cluster: SimCluster, minute: int) -> None:
    """Refused and lost writes all the time, cut watches now and then, a server that comes back without its history."""
    faults = cluster.faults
    if minute == 0:
        for status, when in ((500, "before"), (500, "after"), (429, "before"), (409, "before")):
            faults.fail("POST", "", status, resource="pods/binding", when=when, rate=0.05, times=-1)
        faults.fail("POST", "", 0, resource="pods/binding", when="after", drop=True, rate=0.05, times=-1)
        faults.delay("", "/binding$", 0.05)
        faults.fail("", "", 500, verb="watch", rate=0.3, times=-1)
    if minute % 3 == 1:
        faults.cut_watches()
    if minute % 7 == 2:
        faults.expire_history()
        faults.cut_watches("/pods")
    assert minute < 19 or faults.hits > 100
    if minute == 11:
        await faults.stop_server(lose_history=True)
        await asyncio.sleep(5)
        await faults.start_server()


async def _hour(seed: int, minutes: int, trouble: Trouble = _none) -> bytes:
    config = SimConfig(nodes=20, seed=seed, listen=False, controllers=frozenset({"all"}))
    clock = VirtualClock()
    async with SimCluster(config, clock) as cluster:
        transport = cluster.transport(LocalSettings(0.001, not_sent=NotSent, broken=MaybeSent))
        client = KubeClient(transport, rng=random.Random(seed))
        scheduler = build_scheduler(_config(), Outside(client, clock=clock, rng=random.Random(seed)))
        scheduler.start()
        tasks = [asyncio.create_task(scheduler.loop.follow())]
        await scheduler.feeds.wait_ready()
        tasks.append(asyncio.create_task(scheduler.loop.decide()))
        tenant = _Tenant(transport, seed)
        await tenant.begin()
        for minute in range(minutes):
            await trouble(cluster, minute)
            await clock.sleep(60.0)
            await tenant.act()
        await clock.sleep(60.0)
        _check(cluster)
        await scheduler.stop(4.0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return cluster.dump()


def _check(cluster: SimCluster) -> None:
    """No node holds more than it has; deployments have what they ask for."""
    pods = [msgspec.json.decode(r.raw, type=Pod) for r in cluster.world.kind("/pods").ordered()]
    used: dict[str, Counter[str]] = {}
    for pod in pods:
        if pod.spec.node_name and pod.status.phase not in ("Succeeded", "Failed"):
            used.setdefault(pod.spec.node_name, Counter()).update({**effective_request(pod), "pods": 1})
    for record in cluster.world.kind("/nodes").ordered():
        room = amounts(msgspec.json.decode(record.raw, type=Node).status.allocatable)
        for resource, amount in used.get(record.name, {}).items():
            assert amount <= room.get(resource, 0), f"{record.name} is over its {resource}"
    for record in cluster.world.kind("apps/deployments").ordered():
        deployment = record.decode()
        assert deployment["status"]["availableReplicas"] == deployment["spec"]["replicas"], record.name


@pytest.fixture(autouse=True)
def _whole_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scheduler gives way to others after some milliseconds of real work: the one thing that no clock can turn."""
    monkeypatch.setattr(feed, "SLICE", 3600.0)


@pytest.mark.slow
def test_an_hour_of_churn_twice_alike() -> None:
    first, second = (run_virtual(_hour(7, 60)) for _ in range(2))
    assert first == second


def test_another_seed_another_hour() -> None:
    assert run_virtual(_hour(7, 3)) != run_virtual(_hour(8, 3))


@pytest.mark.slow
def test_trouble_twice_alike() -> None:
    first, second = (run_virtual(_hour(9, 20, _faults)) for _ in range(2))
    assert first == second
