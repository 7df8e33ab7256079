"""Preemption carried out: nominated, evicted, reported, taken back."""

from __future__ import annotations

import pytest
from rig import Rig

from tenantry.wiring import Scheduler


async def fill(rig: Rig) -> tuple[Scheduler, str, str]:
    """One node full of a pod of low priority; returns scheduler, node and the name of a high class."""
    node = await rig.node("n0", cpu="1")
    low = await rig.priority("low", 1)
    high = await rig.priority("high", 1000)
    scheduler = await rig.start()
    await rig.pod("victim", priorityClassName=low)
    await rig.bound("victim")
    return scheduler, node, high


async def test_victim_goes_and_the_preemptor_takes_its_place(rig: Rig) -> None:
    scheduler, node, high = await fill(rig)
    await rig.pod("preemptor", priorityClassName=high)
    assert await rig.bound("preemptor") == {"preemptor": node}
    assert "victim" not in await rig.list()

    async def notes() -> dict[str, str]:
        found = await rig.event_notes()
        return found if "Preempted" in found else {}

    found = await rig.until(notes, "Preempted event")
    assert found["Preempted"].endswith(f"on node {node}")
    assert scheduler.cache.nominations == {}
    await rig.invariants(scheduler)


async def test_victim_is_marked_before_it_is_deleted(rig: Rig) -> None:
    scheduler, node, high = await fill(rig)
    await rig.patch("victim", metadata={"finalizers": ["example.com/hold"]})
    await rig.pod("preemptor", priorityClassName=high)

    async def marked() -> str:
        pod = await rig.get("victim")
        found = [c for c in (pod.status.conditions or ()) if c.type == "DisruptionTarget"] if pod else []
        ready = found and pod is not None and pod.metadata.deletion_timestamp
        return f"{found[0].status} {found[0].reason} {found[0].message}" if ready else ""

    text = f"True PreemptionByScheduler {rig.scheduler_name}: preempting to accommodate a higher priority pod"
    assert await rig.until(marked, "victim marked") == text

    async def nominated() -> bool:
        pod = await rig.get("preemptor")
        return pod is not None and pod.status.nominated_node_name == node

    await rig.until(nominated, "preemptor nominated")
    await rig.patch(
        "victim", metadata={"finalizers": None, "$deleteFromPrimitiveList/finalizers": ["example.com/hold"]}
    )
    await rig.bound("preemptor")
    await rig.invariants(scheduler)


async def test_preemptor_whose_victim_takes_its_time_takes_no_other_t20(rig: Rig) -> None:
    low, high = await rig.priority("low", 1), await rig.priority("high", 1000)
    for i in range(2):
        await rig.node(f"n{i}", cpu="1")
    scheduler = await rig.start()
    await rig.pods("victim-0", "victim-1", priorityClassName=low)
    await rig.bound("victim-0", "victim-1")
    for name in ("victim-0", "victim-1"):
        await rig.patch(name, metadata={"finalizers": ["example.com/hold"]})
    preemptor = await rig.pod("preemptor", priorityClassName=high)
    await rig.until(lambda: _ending(rig), "one victim ends")
    await rig.idle(scheduler)
    attempts = scheduler.loop.decided
    assert scheduler.queue.activate((preemptor.metadata.uid,), scheduler.loop.ticked_at) == 1
    scheduler.loop.parts.wake.set()

    async def tried_again() -> bool:
        return scheduler.loop.decided > attempts

    await rig.until(tried_again, "preemptor tried again")
    await rig.idle(scheduler)
    assert len(await _ending(rig)) == 1
    for name in await _ending(rig):
        await rig.patch(name, metadata={"$deleteFromPrimitiveList/finalizers": ["example.com/hold"]})
    await rig.bound("preemptor")
    await rig.invariants(scheduler)
    for name in await rig.list():
        await rig.patch(name, metadata={"$deleteFromPrimitiveList/finalizers": ["example.com/hold"]})


async def test_failed_eviction_takes_everything_back_and_tries_again_t17(faulty: Rig) -> None:
    rig = faulty
    assert rig.target.faults is not None
    scheduler, _, high = await fill(rig)
    rig.target.faults.fail("DELETE", "/pods/victim$", 403, times=1)
    await rig.pod("preemptor", priorityClassName=high)
    await rig.bound("preemptor")
    assert rig.target.faults.hits == 1
    await rig.invariants(scheduler)


async def test_nomination_of_a_deleted_pod_frees_its_room_at_once_t13(rig: Rig) -> None:
    await rig.node("n0", cpu="1")
    high = await rig.priority("high", 1000)
    scheduler = await rig.start()
    await rig.pod("promised", schedulerName="someone-else", priorityClassName=high)
    full = f"{rig.id}-n0"
    await rig.patch_status("promised", nominatedNodeName=full)
    await rig.until(lambda: _nominated(scheduler), "nomination seen")
    await rig.pod("waiting")
    await rig.condition("waiting", "Unschedulable")
    await rig.delete("promised")
    await rig.bound("waiting")
    await rig.invariants(scheduler)


async def test_promise_of_another_scheduler_is_kept_t16(rig: Rig) -> None:
    full = await rig.node("n0", cpu="1")
    high = await rig.priority("high", 1000)
    await rig.pod("promised", schedulerName="someone-else", priorityClassName=high)
    await rig.patch_status("promised", nominatedNodeName=full)
    scheduler = await rig.start()
    await rig.pod("lower")
    await rig.condition("lower", "Unschedulable")
    assert [p.node for p in scheduler.cache.nominations.values()] == [full]


@pytest.mark.parametrize("number", [pytest.param(2, id="T45-two-preemptors-one-slot")])
async def test_preemptors_do_not_count_on_the_same_room(rig: Rig, number: int) -> None:
    scheduler, _, high = await fill(rig)
    names = [f"preemptor-{i}" for i in range(number)]
    await rig.pods(*names, priorityClassName=high)

    async def one() -> bool:
        bound = [pod for pod in (await rig.list()).values() if pod.spec.node_name]
        return [pod.metadata.name[:9] for pod in bound] == ["preemptor"]

    await rig.until(one, "one preemptor bound")
    loser = next(name for name, pod in (await rig.list()).items() if not pod.spec.node_name)
    await rig.condition(loser, "Unschedulable")
    await rig.invariants(scheduler)


async def _ending(rig: Rig) -> list[str]:
    return [name for name, pod in (await rig.list()).items() if pod.metadata.deletion_timestamp]


async def _nominated(scheduler: Scheduler) -> bool:
    return bool(scheduler.cache.nominations)
