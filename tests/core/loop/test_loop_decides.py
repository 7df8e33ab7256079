"""The loop tries pods when there is something to try, and skips those that are not to be tried any more."""

from __future__ import annotations

import asyncio

import pytest
from builders import a_pod
from loop_kit import Rig

from tenantry_core.queue import Place


async def test_pod_is_decided_and_bound() -> None:
    rig = Rig()
    async with rig.deciding():
        rig.put(a_pod().asking(cpu="1"))
        await rig.settle()
        assert rig.reports == ["scheduled pod n1"]


async def test_pod_that_fits_nowhere_is_parked_and_woken_by_an_event() -> None:
    rig = Rig()
    async with rig.deciding():
        entry = rig.put(a_pod().asking(cpu="4"))
        other = rig.put(a_pod("other").asking(cpu="4"))
        await rig.settle()
        assert entry is not None
        assert other is not None
        assert other.place is Place.PARKED
        assert rig.reports[-1] == "scheduled pod n1"
        assert "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu." in rig.reports
        rig.add_node()
        await rig.stage.clock.advance(2)
        assert rig.reports[-1] == "scheduled other n2"


async def test_cluster_without_nodes_says_so_and_waits_for_one() -> None:
    rig = Rig()
    rig.stage.cache.remove_node("n1")
    async with rig.deciding():
        entry = rig.put(a_pod())
        await rig.settle()
        assert rig.reports == ["Unschedulable: no nodes available to schedule pods"]
        assert entry is not None
        assert entry.place is Place.PARKED
        rig.add_node()
        await rig.stage.clock.advance(2)
        assert rig.reports[-1] == "scheduled pod n2"


async def test_pod_whose_deletion_has_begun_is_skipped() -> None:
    rig = Rig()
    entry = rig.put(a_pod())
    assert entry is not None
    entry.pod = a_pod().terminating().build()
    async with rig.deciding():
        await rig.settle()
        assert rig.reports == ["warn: skip schedule deleting pod: default/pod"]
        assert rig.stage.queue.in_flight == 0


@pytest.mark.parametrize("cause", ["assumed", "gone"])
async def test_pod_that_needs_no_attempt_is_dropped_t54(cause: str) -> None:
    rig = Rig()
    entry = rig.put(a_pod())
    assert entry is not None
    if cause == "assumed":
        rig.stage.cache.assume(entry.pod, rig.stage.cache.classes.class_of(entry.pod), 0)
    else:
        rig.writer.pods.clear()
    async with rig.deciding():
        await rig.settle()
        assert rig.reports == []
        assert (rig.stage.queue.in_flight, rig.stage.queue.events_kept) == (0, 0)


async def test_deciding_waits_while_binds_are_behind() -> None:
    rig = Rig()
    rig.stage.api.blocked = asyncio.Event()
    for i in range(300):
        rig.put(a_pod(f"p{i}"))
    async with rig.deciding():
        for _ in range(5):
            await rig.settle()
        limit = rig.ports.settings.concurrency * rig.ports.settings.backlog
        assert rig.stage.binder.in_flight <= limit
        assert len(rig.stage.api.calls) == rig.ports.settings.concurrency
        rig.stage.api.blocked.set()
        for _ in range(20):
            await rig.settle()
        assert rig.stage.binder.in_flight == 0


async def test_slice_ends_after_its_batch() -> None:
    rig = Rig(batch_size=3, slice_seconds=60.0)
    for i in range(8):
        rig.put(a_pod(f"p{i}"))
    assert [rig.loop.decide_slice() for _ in range(4)] == [3, 3, 2, 0]
    assert rig.loop.decided == 8
    await rig.settle()


async def test_stop_begins_no_further_attempt() -> None:
    rig = Rig()
    rig.loop.stop()
    rig.put(a_pod())
    async with asyncio.timeout(5):
        await rig.loop.decide()
    assert rig.reports == []


async def test_class_is_looked_up_again_when_its_key_grows() -> None:
    rig = Rig()
    entry = rig.put(a_pod().labelled(app="a"))
    assert entry is not None
    first = rig.loop._class_of(entry)
    assert rig.loop._class_of(entry) is first
    rig.put(a_pod("x").spread("kubernetes.io/hostname", {"app": "a"}).on("n1"))
    assert rig.loop._class_of(entry) is not first


async def test_binds_without_news_are_looked_after() -> None:
    rig = Rig()
    async with rig.deciding():
        rig.put(a_pod().asking(cpu="1"))
        await rig.settle()
        rig.stage.api.now = rig.stage.on("n1")
        await rig.stage.clock.advance(35)
        assert "read pod" in rig.stage.api.calls
        assert rig.stage.held() == 1000


async def test_audit_runs_at_its_interval() -> None:
    rig = Rig(audit_seconds=100)
    async with rig.deciding():
        await rig.stage.clock.advance(350)
        assert rig.quiet.audits == 3
