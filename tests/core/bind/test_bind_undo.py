"""One way back: whatever fails, every Unreserve runs once, in reverse, the room is free and the pod is queued."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bind_kit import Stage
from deciding import profile_with

from tenantry_core.framework.binding import PermitResult
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.status import SKIP, SUCCESS, Code, Status, fault, unschedulable
from tenantry_core.kube.values import Failed
from tenantry_core.queue import Place


class Recorder:
    """Takes part in every point and writes it down; answers as told."""

    def __init__(self, name: str, log: list[str], **answers: Any) -> None:
        self.name = name
        self.log = log
        self.answers = answers

    def _say(self, point: str, default: Any) -> Any:
        self.log.append(f"{point} {self.name}")
        answer = self.answers.get(point, default)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def reserve(self, ctx: CycleContext, node: str) -> Status:
        return self._say("reserve", SUCCESS)  # type: ignore[no-any-return]

    def unreserve(self, ctx: CycleContext, node: str) -> None:
        self._say("unreserve", None)

    def permit(self, ctx: CycleContext, node: str) -> PermitResult:
        return self._say("permit", PermitResult(SUCCESS))  # type: ignore[no-any-return]

    def pre_bind_needed(self, ctx: CycleContext, node: str) -> bool:
        return True

    async def pre_bind(self, ctx: CycleContext, node: str) -> Status:
        return self._say("pre_bind", SUCCESS)  # type: ignore[no-any-return]

    async def bind(self, ctx: CycleContext, node: str) -> Status:
        return self._say("bind", SKIP)  # type: ignore[no-any-return]

    def post_bind(self, ctx: CycleContext, node: str) -> None:
        self._say("post_bind", None)


def stage_with(first: dict[str, Any], second: dict[str, Any]) -> tuple[Stage, list[str]]:
    log: list[str] = []
    both = (Recorder("a", log, **first), Recorder("b", log, **second))
    profile = replace(profile_with(), reserve=both, permit=both, pre_bind=both, bind=both, post_bind=both, plugins=both)
    return Stage(profile), log


NO = unschedulable("not now")
UNDO = ["unreserve b", "unreserve a"]


async def test_everything_in_order() -> None:
    stage, log = stage_with({}, {})
    await stage.try_pod()
    points = ("reserve", "permit", "pre_bind", "bind", "post_bind")
    assert log == [f"{point} {name}" for point in points for name in "ab"]
    assert stage.reports.lines == ["scheduled pod n1"]


@pytest.mark.parametrize(
    ("first", "second", "report", "place"),
    [
        pytest.param({"reserve": NO}, {}, "Unschedulable", Place.PARKED, id="T46-first-reserve-refuses"),
        pytest.param({}, {"reserve": NO}, "Unschedulable", Place.PARKED, id="T46-second-reserve-refuses"),
        pytest.param({}, {"reserve": fault("x")}, "SchedulerError", Place.BACKOFF, id="T46-reserve-breaks"),
        pytest.param({"reserve": RuntimeError("x")}, {}, "SchedulerError", Place.BACKOFF, id="T46-reserve-raises"),
        pytest.param({}, {"permit": PermitResult(NO)}, "Unschedulable", Place.PARKED, id="T46-permit-refuses"),
        pytest.param({"permit": RuntimeError("x")}, {}, "SchedulerError", Place.BACKOFF, id="T46-permit-raises"),
        pytest.param({"pre_bind": NO}, {}, "Unschedulable", Place.PARKED, id="T46-pre-bind-refuses"),
        pytest.param({}, {"pre_bind": RuntimeError("x")}, "SchedulerError", Place.BACKOFF, id="T46-pre-bind-raises"),
        pytest.param({"bind": fault("x")}, {}, "SchedulerError", Place.BACKOFF, id="T46-own-bind-fails"),
        pytest.param({"bind": RuntimeError("x")}, {}, "SchedulerError", Place.BACKOFF, id="T46-own-bind-raises"),
    ],
)
async def test_failure(first: dict[str, Any], second: dict[str, Any], report: str, place: Place) -> None:
    stage, log = stage_with(first, second)
    entry = await stage.try_pod()
    assert log[-2:] == UNDO
    assert sum(line.startswith("unreserve") for line in log) == 2
    assert [line.partition(":")[0] for line in stage.reports.lines] == [report]
    assert (stage.held(), entry.place) == (0, place)
    assert stage.queue.in_flight == 0


async def test_refused_bind_undoes_too_t46() -> None:
    stage, log = stage_with({}, {})
    stage.api.binds.append(Failed(500, "x"))
    stage.api.binds.extend([Failed(403, "x")])
    stage.api.now = stage.unbound()
    await stage.try_pod()
    await stage.clock.advance(5)
    assert log[-2:] == UNDO
    assert stage.held() == 0


async def test_unreserve_that_raises_does_not_stop_the_others_t46() -> None:
    stage, log = stage_with({"pre_bind": NO}, {"unreserve": RuntimeError("x")})
    await stage.try_pod()
    assert log[-2:] == UNDO
    assert stage.held() == 0


async def test_refusal_is_worded_as_upstream_does() -> None:
    stage, _ = stage_with({"reserve": NO}, {})
    await stage.try_pod()
    assert stage.reports.lines == ["Unschedulable: 0/1 nodes are available: 1 not now."]


async def test_post_bind_that_raises_changes_nothing() -> None:
    stage, _ = stage_with({"post_bind": RuntimeError("x")}, {})
    await stage.try_pod()
    assert stage.reports.lines == ["scheduled pod n1"]


async def test_own_bind_plugin_takes_the_pod() -> None:
    stage, log = stage_with({}, {"bind": SUCCESS})
    await stage.try_pod()
    assert stage.api.calls == []
    assert log[-2:] == ["post_bind a", "post_bind b"]
    assert stage.reports.lines == ["scheduled pod n1"]


async def test_nomination_comes_back_when_the_bind_fails_t13() -> None:
    stage = Stage()
    stage.api.binds.append(Failed(403, "no"))
    entry = stage.pop()
    stage.cache.nominate(entry.pod, "n1")
    stage.launch(entry)
    assert stage.cache.nominations == {}
    await stage.clock.settle()
    assert [n.node for n in stage.cache.nominations.values()] == ["n1"]


async def test_pending_status_waits_for_its_own_event() -> None:
    stage, _ = stage_with({}, {"reserve": Status(Code.PENDING, ("made a volume",))})
    entry = await stage.try_pod()
    assert entry.pending_on == frozenset({"b"})
