"""Pods that wait in Permit are allowed, rejected, or run out of time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bind_kit import Stage
from builders import a_pod
from deciding import profile_with
from fakes.clock import FakeClock

from tenantry_core.bind.permits import LONGEST_WAIT, WaitingPod
from tenantry_core.framework.binding import PermitResult
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.status import Code, Status
from tenantry_core.queue import Place


class Gate:
    """Permit that waits for ten seconds."""

    def __init__(self, name: str, seconds: float = 10.0) -> None:
        self.name = name
        self.seconds = seconds

    def permit(self, ctx: CycleContext, node: str) -> PermitResult:
        return PermitResult(Status(Code.WAIT), self.seconds)


def waiting_stage(*gates: Gate) -> Stage:
    return Stage(replace(profile_with(), permit=gates, plugins=gates))


async def test_pod_goes_on_when_all_have_allowed_it() -> None:
    stage = waiting_stage(Gate("a"), Gate("b"))
    entry = await stage.try_pod()
    assert stage.binder.in_flight == 0
    stage.binder.permits.allow(entry.uid, "a")
    await stage.clock.settle()
    assert stage.api.calls == []
    stage.binder.permits.allow(entry.uid, "b")
    await stage.clock.settle()
    assert stage.reports.lines == ["scheduled pod n1"]
    assert len(stage.binder.permits) == 0


async def test_one_rejection_ends_the_wait() -> None:
    stage = waiting_stage(Gate("a"), Gate("b"))
    entry = await stage.try_pod()
    stage.binder.permits.reject(entry.uid, "b", "no longer wanted")
    await stage.clock.settle()
    assert stage.reports.lines == ["Unschedulable: 0/1 nodes are available: 1 no longer wanted."]
    assert (entry.place, stage.held(), entry.rejected_by) == (Place.PARKED, 0, frozenset({"b"}))


async def test_time_out_rejects_in_the_name_of_the_shortest_wait() -> None:
    stage = waiting_stage(Gate("long", 60.0), Gate("short", 5.0))
    entry = await stage.try_pod()
    await stage.clock.advance(4.9)
    assert entry.place is Place.IN_FLIGHT
    await stage.clock.advance(0.2)
    assert entry.rejected_by == frozenset({"short"})
    assert "timed out waiting 5s at permit" in stage.reports.lines[0]


async def test_deleted_pod_waits_no_more() -> None:
    stage = waiting_stage(Gate("a"))
    entry = await stage.try_pod()
    stage.pods.clear()
    stage.binder.pod_gone(entry.uid)
    await stage.clock.settle()
    assert (stage.held(), stage.queue.in_flight, stage.reports.lines) == (0, 0, [])


@pytest.mark.parametrize(("asked", "granted"), [(60.0, 60.0), (3600.0, LONGEST_WAIT)])
async def test_no_plugin_waits_longer_than_fifteen_minutes(asked: float, granted: float) -> None:
    assert WaitingPod(a_pod().build(), "n1", {"a": asked}).timeouts == {"a": granted}


async def test_stop_rejects_who_waits() -> None:
    stage = waiting_stage(Gate("a"))
    await stage.try_pod()
    assert await stage.binder.close(1.0) == 0
    assert stage.held() == 0


async def test_answer_before_the_wait_counts() -> None:
    waiting = WaitingPod(a_pod().build(), "n1", {"a": 1.0})
    waiting.allow("a")
    waiting.reject("a", "too late")
    waiting.timeouts["a"] = 1.0
    assert (await waiting.wait(FakeClock())).ok
