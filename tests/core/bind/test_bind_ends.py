"""Every answer to a bind ends right: bound, lost, gone, or queued again, and room is held exactly as long as needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from bind_kit import FAULT, Stage
from builders import a_pod

from tenantry_core.kube.values import AlreadyBound, BindResult, Bound, Failed, NotFound, Throttled, Unknown
from tenantry_core.model.objects import Pod
from tenantry_core.queue import Place

Read = Callable[[Stage], Pod | Exception | None]


def ours(stage: Stage) -> Pod:
    return stage.on("n1")


def theirs(stage: Stage) -> Pod:
    return stage.on("n2")


def pending(stage: Stage) -> Pod:
    return stage.unbound()


def namesake(stage: Stage) -> Pod:
    return stage.on("n1", uid="another")


def gone(stage: Stage) -> None:
    return None


def unanswered(stage: Stage) -> Exception:
    return FAULT


BOUND, HELD, FREE = ["scheduled pod n1"], 1000, 0


@pytest.mark.parametrize(
    ("answers", "reads", "reports", "held"),
    [
        pytest.param([Bound()], [], BOUND, HELD, id="201"),
        pytest.param([AlreadyBound("", "n1")], [ours], BOUND, HELD, id="T44-409-bound-to-our-node"),
        pytest.param([AlreadyBound("", "n2")], [theirs], [], FREE, id="T44-409-bound-elsewhere"),
        pytest.param([AlreadyBound("", "n1")], [namesake], [], FREE, id="409-a-namesake"),
        pytest.param([NotFound("gone")], [], [], FREE, id="404"),
        pytest.param([Throttled(0.5, ""), Bound()], [], BOUND, HELD, id="429-then-201"),
        pytest.param([Unknown("")], [ours], BOUND, HELD, id="T44-no-answer-but-it-happened"),
        pytest.param([Unknown(""), Bound()], [pending], BOUND, HELD, id="T44-no-answer-and-nothing-happened"),
        pytest.param([Unknown("")], [theirs], [], FREE, id="no-answer-and-bound-elsewhere"),
        pytest.param([Unknown("")], [gone], [], FREE, id="no-answer-and-gone"),
        pytest.param([Unknown("")], [unanswered, unanswered, ours], BOUND, HELD, id="T44-read-until-it-is-answered"),
        pytest.param([Failed(500, "")], [ours], BOUND, HELD, id="T44-500-after-it-was-stored"),
        pytest.param([Failed(500, ""), Bound()], [pending], BOUND, HELD, id="500-before-it-was-stored"),
        pytest.param([Failed(0, "refused"), Bound()], [], BOUND, HELD, id="never-sent-then-201"),
        pytest.param([FAULT, Bound()], [], BOUND, HELD, id="no-credentials-then-201"),
        pytest.param([Failed(403, "no")], [], ["SchedulerError: no"], FREE, id="T46-403"),
        pytest.param([Failed(422, "bad")], [], ["SchedulerError: bad"], FREE, id="422"),
        pytest.param([Failed(500, "x")] * 5, [pending] * 6, ["SchedulerError: x"], FREE, id="T46-500-for-ever"),
        pytest.param([Unknown("x")] * 5, [pending] * 5 + [ours], BOUND, HELD, id="T44-last-look-finds-it"),
    ],
)
async def test_answer(answers: list[BindResult | Exception], reads: list[Read], reports: list[str], held: int) -> None:
    stage = Stage()
    stage.api.binds.extend(answers)
    stage.api.reads.extend(read(stage) for read in reads)
    entry = await stage.try_pod()
    await stage.clock.advance(20)
    assert stage.reports.lines == reports
    assert stage.held() == held
    assert not stage.binder.in_flight
    failed = any(line.startswith("SchedulerError") for line in reports)
    assert entry.place is (Place.BACKOFF if failed else Place.OUT)
    assert stage.queue.in_flight == 0
    assert len(stage.api.binds) == len(stage.api.reads) == 0


async def test_room_stays_held_while_nobody_knows() -> None:
    stage = Stage()
    stage.api.binds.append(Unknown(""))
    stage.api.reads.extend([FAULT] * 1000)
    await stage.try_pod()
    await stage.clock.advance(300)
    assert stage.held() == 1000
    assert stage.binder.in_flight == 1
    await stage.binder.close(0.0)


async def test_watch_that_shows_the_bind_first_settles_it() -> None:
    stage = Stage()
    stage.api.binds.append(Unknown(""))
    stage.api.reads.append(FAULT)
    await stage.try_pod()
    stage.cache.upsert_pod(stage.on("n1"))
    await stage.clock.advance(5)
    assert stage.reports.lines == BOUND
    assert stage.held() == 1000


async def test_bind_carries_the_uid_and_ends_inside_the_lease() -> None:
    stage = Stage(lease=3.0)
    await stage.try_pod()
    assert stage.api.calls == ["bind pod n1 default/pod"]
    assert stage.api.timeouts == [3.0]


@pytest.mark.parametrize("cause", [pytest.param("lease", id="lease-lost"), pytest.param("node", id="node-removed")])
async def test_nothing_is_sent_that_must_not_be(cause: str) -> None:
    stage = Stage()
    entry = stage.pop()
    stage.launch(entry)
    if cause == "lease":
        stage.lease = 0.0
    else:
        stage.cache.remove_node("n1")
    await stage.clock.settle()
    assert stage.api.calls == []
    assert stage.cache.placed(entry.uid) is None
    assert entry.place is Place.BACKOFF


@pytest.mark.parametrize("begun", [pytest.param(False, id="gone"), pytest.param(True, id="deletion-begun")])
async def test_pod_that_was_deleted_meanwhile_is_not_queued_again_t54(begun: bool) -> None:
    stage = Stage()
    stage.api.binds.append(Failed(403, "no"))
    entry = stage.pop()
    stage.launch(entry)
    stage.pods.clear()
    if begun:
        stage.pods[entry.uid] = a_pod().terminating().build()
    await stage.clock.settle()
    assert (entry.place, stage.held(), stage.queue.in_flight) == (Place.OUT, 0, 0)


async def test_newer_version_is_what_comes_back_to_the_queue() -> None:
    stage = Stage()
    stage.api.binds.append(Failed(403, "no"))
    entry = stage.pop()
    stage.launch(entry)
    stage.pods[entry.uid] = stage.pods[entry.uid].__class__(
        metadata=entry.pod.metadata, spec=entry.pod.spec, status=stage.on("n1").status
    )
    await stage.clock.settle()
    assert entry.pod is stage.pods[entry.uid]


async def test_number_in_flight_is_bounded_and_the_loop_is_told_to_wait() -> None:
    stage = Stage(concurrency=2, backlog=2)
    stage.api.blocked = asyncio.Event()
    for i in range(4):
        stage.launch(stage.pop(f"p{i}"))
    await stage.clock.settle()
    assert len(stage.api.calls) == 2
    assert stage.binder.full
    stage.api.blocked.set()
    await stage.binder.room()
    await stage.clock.settle()
    assert len(stage.api.calls) == 4
    assert not stage.binder.in_flight


@pytest.mark.parametrize(
    ("read", "held", "place"),
    [
        pytest.param(ours, 1000, None, id="T44-bound-as-meant"),
        pytest.param(pending, 0, Place.ACTIVE, id="T44-not-bound-after-all"),
        pytest.param(gone, 0, None, id="gone"),
    ],
)
async def test_assumed_pod_without_news_is_read_and_then_confirmed_or_forgotten(
    read: Read, held: int, place: Place | None
) -> None:
    stage = Stage()
    entry = await stage.try_pod()
    await stage.clock.advance(31)
    overdue = stage.cache.overdue(stage.clock.monotonic())
    assert [placed.uid for placed in overdue] == [entry.uid]
    stage.api.reads.append(read(stage))
    stage.binder.look_after_overdue()
    stage.binder.look_after_overdue()
    await stage.clock.settle()
    assert stage.api.calls.count("read pod") == 1
    known = stage.queue.get(entry.uid)
    assert (stage.held(), known.place if known else None) == (held, place)
    assert stage.cache.overdue(stage.clock.monotonic()) == []
