"""Faults of server and network. After each: no pod bound twice, no node overcommitted, no pod forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from rig import FAST_BINDS, Rig
from sabotage import Breaker, Holder

from tenantry.wiring import Scheduler
from tenantry_sim.faults import FaultRule, Faults

NAMES = [f"p{i}" for i in range(10)]
Fault = Callable[[Faults], Awaitable[None] | None]


def cut(faults: Faults) -> None:
    faults.cut_watches()


def expire(faults: Faults) -> None:
    faults.expire_history()
    faults.cut_watches()


async def restart(faults: Faults) -> None:
    await faults.restart_server()


def lists_fail(faults: Faults) -> None:
    faults.expire_history()
    faults.fail("GET", "/pods$", 503, times=2)
    faults.cut_watches()


def bind_answered(status: int, when: str, **more: object) -> Fault:
    def arm(faults: Faults) -> None:
        faults.add(FaultRule("POST", "/binding$", status, when=when, times=5, **more))  # type: ignore[arg-type]

    return arm


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(cut, id="watch-cut-mid-stream"),
        pytest.param(expire, id="410-gone"),
        pytest.param(restart, id="server-restarted"),
        pytest.param(lists_fail, id="relist-answered-503"),
        pytest.param(bind_answered(500, "after"), id="T44-bind-answered-500-after-it-was-stored"),
        pytest.param(bind_answered(500, "before"), id="T44-bind-answered-500-before-it-was-stored"),
        pytest.param(bind_answered(200, "after", drop=True), id="T44-bind-answer-lost-after-it-was-stored"),
        pytest.param(bind_answered(200, "before", drop=True), id="T44-bind-answer-lost-before-it-was-stored"),
        pytest.param(bind_answered(429, "before", retry_after=1), id="bind-throttled"),
        pytest.param(bind_answered(503, "before", retry_after=1), id="bind-unavailable"),
        pytest.param(bind_answered(403, "before"), id="T46-bind-forbidden"),
    ],
)
async def test_backlog_drains_through(faulty: Rig, fault: Fault) -> None:
    rig = faulty
    assert rig.target.faults is not None
    for i in range(3):
        await rig.node(f"n{i}", cpu="4")
    scheduler = await rig.start()
    await rig.pods(*NAMES[:4])
    made = fault(rig.target.faults)
    if made is not None:
        await made
    await rig.pods(*NAMES[4:])
    await rig.bound(*NAMES)
    await rig.invariants(scheduler)


async def test_bind_whose_answer_takes_too_long_is_found_t44(faulty: Rig) -> None:
    rig = faulty
    assert rig.target.faults is not None
    await rig.node("n0", cpu="1")
    rig.target.faults.add(FaultRule("POST", "/binding$", 0, when="after", delay_seconds=0.5, times=1))
    scheduler = await rig.start(binding=replace(FAST_BINDS, bind_timeout=0.1))
    await rig.pod("p0")
    await rig.bound("p0")
    await rig.invariants(scheduler)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(bind_answered(500, "after"), id="T44-answered-500"),
        pytest.param(bind_answered(200, "after", drop=True), id="T44-answer-lost"),
    ],
)
async def test_room_of_a_bind_that_happened_is_not_given_away_while_the_watch_is_blind(
    faulty: Rig, fault: Fault
) -> None:
    rig = faulty
    faults = rig.target.faults
    assert faults is not None
    await rig.node("n0", cpu="1")
    holder = Holder()
    scheduler = await rig.start(holder.entry())
    await rig.pod("p0")
    async with asyncio.timeout(10):
        await holder.reached.wait()
    await rig.pod("p1")
    await rig.condition("p1", "Unschedulable")
    faults.fail("GET", "/pods$", 503, times=-1)
    faults.cut_watches("/pods")
    fault(faults)
    holder.go.set()
    await rig.until(lambda: _no_binds(scheduler), "binds over")
    assert [p.pod.metadata.name for p in scheduler.cache.placed_pods()] == ["p0"]
    faults.clear()
    await rig.bound("p0")
    await rig.invariants(scheduler)


async def test_deletion_missed_by_a_cut_watch_is_seen_in_the_next_list_t44(faulty: Rig) -> None:
    rig = faulty
    assert rig.target.faults is not None
    await rig.node("n0", cpu="1")
    scheduler = await rig.start()
    await rig.pod("first")
    await rig.bound("first")
    await rig.pod("second")
    await rig.condition("second", "Unschedulable")
    rig.target.faults.fail("GET", "/pods$", 503, times=2)
    rig.target.faults.cut_watches("/pods")
    await rig.delete("first")
    rig.target.faults.expire_history()
    await rig.bound("second")
    await rig.invariants(scheduler)


async def test_node_removed_between_decision_and_bind(rig: Rig) -> None:
    first = await rig.node("n0")
    holder = Holder()
    scheduler = await rig.start(holder.entry())
    await rig.pod("p0")
    async with asyncio.timeout(10):
        await holder.reached.wait()
    await rig.remove_node(first)
    await rig.until(lambda: _without(scheduler, first), "node gone")
    holder.go.set()
    await rig.condition("p0", "SchedulerError")
    second = await rig.node("n1")
    assert await rig.bound("p0") == {"p0": second}
    assert holder.log[:2] == [("reserve", "p0"), ("unreserve", "p0")]
    await rig.invariants(scheduler)


async def test_pod_deleted_between_decision_and_bind_t54(rig: Rig) -> None:
    await rig.node("n0", cpu="1")
    holder = Holder()
    scheduler = await rig.start(holder.entry())
    await rig.pod("p0")
    async with asyncio.timeout(10):
        await holder.reached.wait()
    await rig.delete("p0")
    holder.go.set()
    await rig.pod("p1")
    await rig.bound("p1")
    assert holder.log.count(("unreserve", "p0")) == 1
    await rig.invariants(scheduler)


async def test_pod_recreated_under_its_name_during_the_bind_t54(rig: Rig) -> None:
    await rig.node("n0", cpu="1")
    holder = Holder()
    scheduler = await rig.start(holder.entry())
    old = await rig.pod("p0")
    async with asyncio.timeout(10):
        await holder.reached.wait()
    await rig.delete("p0")
    new = await rig.pod("p0")
    holder.go.set()
    await rig.bound("p0")
    assert new.metadata.uid != old.metadata.uid
    await rig.invariants(scheduler)


async def test_plugin_that_raises_costs_one_pod_a_backoff(rig: Rig) -> None:
    await rig.node("n0", cpu="4")
    breaker = Breaker()
    scheduler = await rig.start(breaker.entry())
    await rig.pod("hurt", labels={"break": "yes"})
    await rig.pod("fine")
    await rig.bound("fine")
    assert await rig.condition("hurt", "SchedulerError") == "RuntimeError: out of order"
    breaker.broken = False
    await rig.bound("hurt")
    await rig.invariants(scheduler)


async def _no_binds(scheduler: Scheduler) -> bool:
    return not scheduler.binder.in_flight


async def _without(scheduler: Scheduler, node: str) -> bool:
    return scheduler.cache.nodes.row_of(node) < 0
