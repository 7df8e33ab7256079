"""What preemption decided is carried out, or taken back as a whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bind_kit import FAULT, OK, Stage
from builders import a_pod
from deciding import profile_with
from test_permit_waits import Gate

from tenantry_core.bind.evictor import Preemption
from tenantry_core.framework.placed import PlacedPod
from tenantry_core.framework.post_filter import PostFilterResult
from tenantry_core.kube.values import Refused, Unknown
from tenantry_core.queue import Place, QueuedPod

GONE = Refused(404, "NotFound", "")
NAMESAKE = Refused(409, "Conflict", "Precondition failed: UID in precondition: a, UID in object meta: b")
BUSY = Refused(503, "", "")
NO = Refused(403, "Forbidden", "no")


def victim(stage: Stage, name: str = "victim") -> PlacedPod:
    placed = stage.cache.upsert_pod(a_pod(name).asking(cpu="1").on("n1").build())
    assert placed is not None
    return placed


def preempt(stage: Stage, *victims: PlacedPod, clear: tuple[str, ...] = ()) -> QueuedPod:
    entry = stage.pop("preemptor", priority=10)
    result = PostFilterResult("n1", victims, clear_nominations=clear)
    stage.evictor.start(Preemption(entry, frozenset({"NodeResourcesFit"}), result))
    return entry


async def test_victim_is_marked_deleted_and_reported() -> None:
    stage = Stage()
    entry = preempt(stage, victim(stage))
    assert entry.place is Place.IN_FLIGHT
    assert stage.evictions.holds(entry.uid)
    await stage.clock.settle()
    assert stage.api.calls == ["patch victim", "delete victim default/victim"]
    assert stage.reports.lines == ["nominated preemptor n1", "preempted victim by preemptor on n1"]
    assert [n.node for n in stage.cache.nominations.values()] == ["n1"]
    assert (entry.place, entry.rejected_by) == (Place.PARKED, frozenset({"NodeResourcesFit"}))
    assert not stage.evictions.holds(entry.uid)


@pytest.mark.parametrize(
    ("patches", "deletes", "calls"),
    [
        pytest.param([GONE], [], 1, id="gone-before-it-was-marked"),
        pytest.param([], [GONE], 2, id="gone-before-it-was-deleted"),
        pytest.param([], [NAMESAKE], 2, id="a-namesake-is-spared"),
        pytest.param([BUSY, OK], [], 3, id="busy-then-marked"),
        pytest.param([], [Unknown("")], 3, id="answer-lost-then-deleted"),
        pytest.param([], [FAULT], 3, id="fault-then-deleted"),
    ],
)
async def test_passing_trouble_is_ridden_out(patches: list[Any], deletes: list[Any], calls: int) -> None:
    stage = Stage()
    stage.api.patches.extend(patches)
    stage.api.deletes.extend(deletes)
    entry = preempt(stage, victim(stage))
    await stage.clock.advance(10)
    assert len(stage.api.calls) == calls
    assert entry.place is Place.PARKED


@pytest.mark.parametrize(
    ("patches", "deletes"),
    [
        pytest.param([NO], [], id="T17-mark-refused"),
        pytest.param([], [NO], id="T17-delete-refused"),
        pytest.param([], [BUSY] * 4, id="T17-delete-never-answered-well"),
    ],
)
async def test_failure_clears_the_nomination_and_tries_the_preemptor_again(
    patches: list[Any], deletes: list[Any]
) -> None:
    stage = Stage()
    stage.api.patches.extend(patches)
    stage.api.deletes.extend(deletes)
    entry = preempt(stage, victim(stage))
    await stage.clock.advance(10)
    assert stage.cache.nominations == {}
    assert stage.reports.lines == ["nominated preemptor n1", "nominated preemptor"]
    assert entry.place is Place.BACKOFF
    assert "default/victim" not in stage.evictions


async def test_nothing_is_evicted_without_the_lease() -> None:
    stage = Stage(lease=0.0)
    entry = preempt(stage, victim(stage))
    await stage.clock.settle()
    assert stage.api.calls == []
    assert entry.place is Place.BACKOFF


async def test_victim_that_waits_in_permit_is_rejected_instead() -> None:
    gates = (Gate("a"),)
    stage = Stage(replace(profile_with(), permit=gates, plugins=gates))
    waiting = await stage.try_pod("victim")
    placed = stage.cache.placed(waiting.uid)
    assert placed is not None
    preempt(stage, placed)
    await stage.clock.settle()
    assert stage.api.calls == []
    assert stage.held() == 0
    assert "preempted victim by preemptor on n1" in stage.reports.lines


async def test_lower_pods_that_were_promised_the_node_look_for_another() -> None:
    stage = Stage()
    lower = stage.pop("lower")
    stage.queue.unschedulable(lower, ["NodeResourcesFit"], 0.0)
    stage.cache.nominate(lower.pod, "n1")
    preempt(stage, victim(stage), clear=(lower.uid,))
    assert lower.uid not in stage.cache.nominations
    assert lower.place is Place.ACTIVE
    assert "nominated lower" in stage.reports.lines
    await stage.clock.settle()


async def test_deleted_preemptor_is_not_queued_again_t54() -> None:
    stage = Stage()
    entry = preempt(stage, victim(stage))
    stage.queue.delete(entry.uid)
    await stage.clock.settle()
    assert (entry.place, stage.queue.in_flight, stage.queue.events_kept) == (Place.OUT, 0, 0)
