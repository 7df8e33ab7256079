"""Leader election around the scheduler: a new leader catches up, a deposed one is gone."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from rig import CountingClient, Rig

from tenantry.process import Process, RunOptions
from tenantry_core.config import Config, Profile
from tenantry_core.config.fields import Duration
from tenantry_core.config.schema import LeaderElection
from tenantry_core.kube.http import HttpTransport
from tenantry_core.kube.lease_record import Lease
from tenantry_core.kube.resources import LEASES, PODS, Resource
from tenantry_core.kube.values import Key, Patch, PatchType, WatchOptions, Written


class DeafClient(CountingClient):
    """Watches of pods that never say anything, as behind a slow server."""

    def watch(self, resource: Resource, options: WatchOptions):  # type: ignore[no-untyped-def]
        return self._silence() if resource is PODS else super().watch(resource, options)

    @asynccontextmanager
    async def _silence(self) -> AsyncIterator[AsyncIterator[bytes]]:
        yield _nothing()


async def _nothing() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


@pytest.mark.parametrize("held", [pytest.param(4, id="T10-T43-binds-just-before-the-change")])
async def test_new_leader_sees_the_binds_of_the_old_one_before_it_decides(rig: Rig, held: int) -> None:
    await rig.node("n0", cpu=str(held))
    standby_client = DeafClient(HttpTransport(rig.target.connection))
    standby = rig.build(client=standby_client)
    await rig.follow(standby)
    old = await rig.start()
    names = [f"p{i}" for i in range(held)]
    await rig.pods(*names)
    await rig.bound(*names)
    await rig.halt(old)
    await rig.pod("late")
    assert standby.cache.sizes()["pods"] == 0
    async with asyncio.timeout(20):
        await standby.feeds.catch_up()
    rig.decide(standby)
    await rig.condition("late", "Unschedulable")
    await rig.invariants(standby)
    await rig.halt(standby)
    await standby_client.close()


def config_for(rig: Rig) -> Config:
    """Short leases under this test's names."""
    election = LeaderElection(
        lease_duration=Duration(2.0),
        renew_deadline=Duration(1.2),
        retry_period=Duration(0.2),
        resource_name=rig.id,
        resource_namespace=rig.namespace,
    )
    config = Config()
    profiles = (Profile(scheduler_name=rig.scheduler_name),)
    return replace(config, scheduler=replace(config.scheduler, profiles=profiles, leader_election=election))


def process_for(rig: Rig) -> asyncio.Task[int]:
    if rig.target.kubeconfig is None:
        pytest.skip("the process needs a kubeconfig")
    options = RunOptions(kubeconfig=str(rig.target.kubeconfig), bind="")
    return asyncio.create_task(Process(config_for(rig), options).run())


async def holder(rig: Rig) -> str:
    lease = await rig.client.get_as(Lease, LEASES, Key(rig.namespace, rig.id))
    return lease.spec.holder if lease is not None else ""


async def test_deposed_leader_exits_with_1_and_binds_nothing_more(rig: Rig) -> None:
    await rig.node("n0")
    process = process_for(rig)
    await rig.pod("p0")
    await rig.bound("p0")
    stolen = Patch(PatchType.MERGE, {"spec": {"holderIdentity": "thief"}})
    assert isinstance(await rig.client.patch(LEASES, Key(rig.namespace, rig.id), stolen), Written)
    async with asyncio.timeout(10):
        assert await process == 1
    await rig.pod("p1")
    assert await holder(rig) == "thief"
    pod = await rig.get("p1")
    assert pod is not None and not pod.spec.node_name


async def test_leader_that_cannot_renew_exits_with_1(faulty: Rig) -> None:
    rig = faulty
    assert rig.target.faults is not None
    process = process_for(rig)
    await rig.until(lambda: holder(rig), "lease taken")
    rig.target.faults.fail("", "/leases/", 500, times=-1)
    async with asyncio.timeout(10):
        assert await process == 1
    rig.target.faults.clear()


async def test_stop_gives_the_lease_back_and_exits_with_0(rig: Rig) -> None:
    await rig.node("n0")
    process = process_for(rig)
    await rig.pod("p0")
    await rig.bound("p0")
    os.kill(os.getpid(), signal.SIGTERM)
    async with asyncio.timeout(10):
        assert await process == 0
    assert await holder(rig) == ""


async def test_stop_in_the_middle_of_a_backlog_leaves_nothing_half_done(rig: Rig) -> None:
    for i in range(3):
        await rig.node(f"n{i}", cpu="40")
    process = process_for(rig)
    await rig.until(lambda: holder(rig), "lease taken")
    names = [f"p{i}" for i in range(100)]
    for name in names[:50]:
        await rig.pod(name)
    os.kill(os.getpid(), signal.SIGTERM)
    for name in names[50:]:
        await rig.pod(name)
    async with asyncio.timeout(10):
        assert await process == 0
    after = {name: pod.spec.node_name for name, pod in (await rig.list()).items()}
    scheduler = await rig.start()
    nodes = await rig.bound(*names)
    assert {name: node for name, node in after.items() if node}.items() <= nodes.items()
    await rig.invariants(scheduler)


async def test_standby_takes_over(rig: Rig) -> None:
    await rig.node("n0")
    first = process_for(rig)
    await rig.until(lambda: holder(rig), "lease taken")
    name = await holder(rig)
    second = process_for(rig)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)

    async def other() -> bool:
        return await holder(rig) not in ("", name)

    await rig.until(other, "taken over")
    await rig.pod("p0")
    await rig.bound("p0")
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
