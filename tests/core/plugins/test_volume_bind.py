"""Reserve promises, PreBind writes and waits, Unreserve takes back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from fakes.clock import FakeClock
from volume_world import VolumeWorld, claim, node, pod, storage_class, volume

from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.status import Code, Status
from tenantry_core.plugins.volume_api import ChangeSignal, VolumeWrite
from tenantry_core.plugins.volume_binding import VolumeBinding, VolumeBindingSettings

MADE = storage_class("made", "disk.example.com")


class FakeApi:
    """Notes every write and answers with version 5, or with a problem."""

    def __init__(self, problem: str = "") -> None:
        self.writes: list[tuple[str, Any]] = []
        self.problem = problem

    async def update_pv(self, name: str, patch: Mapping[str, object]) -> VolumeWrite:
        self.writes.append((name, patch))
        return VolumeWrite(problem=self.problem) if self.problem else VolumeWrite("5")

    async def update_pvc(self, namespace: str, name: str, patch: Mapping[str, object]) -> VolumeWrite:
        return await self.update_pv(f"{namespace}/{name}", patch)


class Binding:
    """One pod on its way to node a."""

    def __init__(self, *things: Any, claims: tuple[str, ...] = ("c",), problem: str = "") -> None:
        self.world = VolumeWorld(node("a"), storage_class(), MADE, *things)
        self.store = self.world.cache.storage
        self.api, self.clock, signal = FakeApi(problem), FakeClock(), ChangeSignal()
        self.store.listeners.append(signal.notify)
        self.plugin = VolumeBinding(self.api, signal.wait, VolumeBindingSettings(bind_timeout=30.0), self.clock)
        self.ctx: CycleContext = self.world.context(pod("p", *claims))

    def reserve(self) -> Status:
        return self.plugin.reserve(self.ctx, "a")

    def pre_bind(self) -> asyncio.Task[Status]:
        return asyncio.ensure_future(self.plugin.pre_bind(self.ctx, "a"))


def test_reserve_shows_the_volume_as_the_claims() -> None:
    case = Binding(claim(), volume("v"))
    assert case.reserve().ok
    shown, stored = case.store.volumes["v"], case.store.stored_volume("v")
    assert shown.spec.claim_ref is not None and shown.spec.claim_ref.uid == "uid-c"
    assert stored is not None and stored.spec.claim_ref is None
    case.world.add(claim("d"))
    assert isinstance(case.world.verdict(pod("q", "d")), str)
    case.plugin.unreserve(case.ctx, "a")
    case.plugin.unreserve(case.ctx, "a")
    assert case.store.volumes["v"] is stored
    assert case.world.verdict(pod("q", "d")) == {"a"}


def test_reserve_orders_a_volume_for_the_node() -> None:
    case = Binding(claim(storage_class="made"), node("b"))
    assert case.reserve().ok
    assert case.world.verdict(pod("q", "c")) == {"a"}
    case.plugin.unreserve(case.ctx, "a")
    assert case.world.verdict(pod("q", "c")) == {"a", "b"}


def test_reserve_refuses_when_the_volume_went_meanwhile() -> None:
    case = Binding(claim())
    assert case.reserve().code is Code.UNSCHEDULABLE


def test_bound_claims_need_no_pre_bind() -> None:
    case = Binding(claim(to="v"), volume("v"))
    assert case.reserve().ok
    assert not case.plugin.pre_bind_needed(case.ctx, "a")


async def test_binds_a_volume_and_waits_for_the_claim() -> None:
    case = Binding(claim(), volume("v"))
    case.reserve()
    assert case.plugin.pre_bind_needed(case.ctx, "a")
    task = case.pre_bind()
    await case.clock.settle()
    ((name, patch),) = case.api.writes
    assert name == "v"
    assert patch["metadata"] == {"resourceVersion": "1", "annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}}
    assert patch["spec"]["claimRef"]["uid"] == "uid-c"
    case.world.add(volume("v", claim="c", claim_uid="uid-c", version="5"))
    await case.clock.settle()
    assert not task.done()
    case.world.add(claim(to="v", version="6"))
    assert (await task).ok


async def test_orders_a_volume_and_waits_for_it() -> None:
    case = Binding(claim(storage_class="made"))
    case.reserve()
    task = case.pre_bind()
    await case.clock.settle()
    orders = {"resourceVersion": "1", "annotations": {"volume.kubernetes.io/selected-node": "a"}}
    assert case.api.writes == [("default/c", {"metadata": orders})]
    case.world.add(claim(storage_class="made", node="a", version="5"))
    case.world.add(volume("new", storage_class="made", on=["a"]))
    case.world.add(claim(storage_class="made", node="a", to="new", version="6"))
    assert (await task).ok


async def test_a_volume_promised_before_is_not_written_again() -> None:
    case = Binding(claim(), volume("v", claim="c", claim_uid="uid-c", phase="Pending"))
    case.reserve()
    task = case.pre_bind()
    await case.clock.settle()
    assert case.api.writes == []
    case.world.add(claim(to="v", version="2"))
    assert (await task).ok


@pytest.mark.parametrize("things", [(claim(), volume("v")), (claim(storage_class="made"),)], ids=["bind", "make"])
async def test_pods_that_share_a_claim_both_write(things: tuple[Any, ...]) -> None:
    case = Binding(*things)
    other = case.world.context(pod("q", "c"))
    case.reserve()
    assert case.plugin.reserve(other, "a").ok
    tasks = case.pre_bind(), asyncio.ensure_future(case.plugin.pre_bind(other, "a"))
    await case.clock.settle()
    assert len(case.api.writes) == 2
    assert not any(task.done() for task in tasks)
    if len(things) == 2:
        case.world.add(volume("v", claim="c", claim_uid="uid-c", version="5"))
    case.world.add(claim(node="a", to="v", version="6"))
    case.world.add(volume("v", claim="c", claim_uid="uid-c", version="7"))
    assert all([(await task).ok for task in tasks])


@pytest.mark.parametrize(
    ("first", "news", "message"),
    [
        pytest.param(
            (claim(storage_class="made"),),
            claim(storage_class="made", version="6"),
            'provisioning failed for PVC "c"',
            id="provisioner gave up",
        ),
        pytest.param(
            (claim(), volume("v")), volume("v", version="6"), 'ClaimRef got reset for pv "v"', id="promise withdrawn"
        ),
        pytest.param(
            (claim(), volume("v", on=["a"])),
            volume("v", on=["b"], claim="c", claim_uid="uid-c", version="6"),
            'pv "v" node affinity doesn\'t match node "a"',
            id="out of reach",
        ),
    ],
)
async def test_goes_round_again(first: tuple[Any, ...], news: Any, message: str) -> None:
    case = Binding(*first)
    case.reserve()
    task = case.pre_bind()
    await case.clock.settle()
    case.world.add(news)
    status = await task
    assert status.code is Code.ERROR
    assert status.message == f"binding volumes: {message}"


async def test_news_older_than_the_write_is_passed_over() -> None:
    case = Binding(claim(storage_class="made"))
    case.reserve()
    task = case.pre_bind()
    await case.clock.settle()
    case.world.add(claim(storage_class="made", version="3"))
    await case.clock.settle()
    assert not task.done()
    task.cancel()


async def test_the_node_went() -> None:
    case = Binding(claim(), volume("v"))
    case.reserve()
    task = case.pre_bind()
    await case.clock.settle()
    case.world.cache.remove_node("a")
    case.world.add(volume("other"))
    assert 'node "a" not found' in (await task).message


async def test_time_is_up() -> None:
    case = Binding(claim(), volume("v"))
    case.reserve()
    task = case.pre_bind()
    await case.clock.advance(29.0)
    assert not task.done()
    await case.clock.advance(1.0)
    assert (await task).message == "binding volumes: timed out after 30 s"


async def test_a_refused_write_is_a_fault() -> None:
    case = Binding(claim(), volume("v"), problem="the object has been modified")
    case.reserve()
    status = await case.pre_bind()
    assert status.code is Code.ERROR
    assert "the object has been modified" in status.message


async def test_without_a_connection() -> None:
    case = Binding(claim(), volume("v"))
    plugin = VolumeBinding()
    assert plugin.reserve(case.ctx, "a").ok
    assert (await plugin.pre_bind(case.ctx, "a")).code is Code.ERROR
