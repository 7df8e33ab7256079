"""The breaker of a plugin: isolated after failures in a row, tried again later, unloaded when it hangs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fakes.clock import FakeClock
from plugin_samples import Noted, guards

from tenantry_core.framework.guard import BadValueError, Guard, Guards, GuardState


def _raise() -> Any:
    raise ZeroDivisionError


def _out_of_range() -> Any:
    raise BadValueError("2.0")


def _clock(shared: Guards) -> FakeClock:
    clock = getattr(shared.monotonic, "__self__", None)
    assert isinstance(clock, FakeClock)
    return clock


def _noted(shared: Guards) -> list[tuple[str, str]]:
    assert isinstance(shared.recorder, Noted)
    return shared.recorder.seen


def _isolated(shared: Guards) -> Guard:
    guard = shared.make("X")
    for _ in range(3):
        assert guard.run(_raise) is None
    assert guard.state is GuardState.ISOLATED
    return guard


@pytest.mark.parametrize(
    ("cause", "work"), [("raised", _raise), ("range", _out_of_range), ("slow", None)], ids=["raised", "range", "slow"]
)
def test_three_failures_isolate(cause: str, work: Callable[[], Any] | None) -> None:
    shared = guards()
    guard = shared.make("X")

    def slow() -> int:
        _clock(shared).jump(0.2)
        return 1

    for _ in range(2):
        guard.run(work or slow)
        assert guard.state is GuardState.CLOSED
    guard.run(work or slow)
    assert guard.state is GuardState.ISOLATED
    assert _noted(shared) == [("X", cause)]
    assert guard.run(lambda: 1) is None
    assert shared.notes() == [f'plugin "X" is isolated ({cause})']


def test_a_success_in_between_is_forgiven() -> None:
    shared = guards()
    guard = shared.make("X")
    for work in (_raise, _raise, lambda: 1, _raise, _raise):
        guard.run(work)
    assert guard.state is GuardState.CLOSED


def test_a_slow_answer_still_counts() -> None:
    shared = guards()

    def slow() -> int:
        _clock(shared).jump(0.2)
        return 5

    assert shared.make("X").run(slow) == 5


def test_it_is_restored_by_a_trial_that_works() -> None:
    shared = guards()
    guard = _isolated(shared)
    _clock(shared).jump(29)
    assert guard.run(lambda: 1) is None
    _clock(shared).jump(1)
    assert guard.run(lambda: 1) == 1
    assert guard.state is GuardState.CLOSED
    assert _noted(shared) == [("X", "raised"), ("X", "restored")]


def test_a_trial_that_fails_doubles_the_wait() -> None:
    shared = guards()
    guard = _isolated(shared)
    _clock(shared).jump(30)
    assert guard.run(_raise) is None
    _clock(shared).jump(59)
    assert guard.run(lambda: 1) is None
    _clock(shared).jump(1)
    assert guard.run(lambda: 1) == 1


def test_a_hang_unloads_for_good() -> None:
    shared = guards(hang_seconds=0.1)
    guard = shared.make("X")

    def spin() -> Any:
        while True:
            pass

    assert guard.run(spin) is None
    assert guard.state is GuardState.UNLOADED
    _clock(shared).jump(10_000)
    assert guard.run(lambda: 1) is None
    assert _noted(shared) == [("X", "hung")]


def test_what_an_isolated_filter_says() -> None:
    shared = guards()
    guard = shared.make("X")
    guard.run(_raise)
    assert guard.refuses
    assert guard.text == 'plugin "X" failed (raised)'
    assert not _isolated(shared).refuses
    required = shared.make("Y", required=True)
    for _ in range(3):
        required.run(_raise)
    assert required.refuses


def test_changes_of_state_are_told() -> None:
    shared, told = guards(), []
    shared.on_change = lambda: told.append(shared.version)
    _isolated(shared)
    assert told == [1]


def test_a_new_guard_takes_the_place_of_the_old() -> None:
    shared = guards()
    _isolated(shared)
    shared.make("X")
    assert shared.state("X") is GuardState.CLOSED
    shared.drop("X")
    assert shared.state("X") is GuardState.CLOSED
