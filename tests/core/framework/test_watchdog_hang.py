"""A call that hangs is ended; calls that do not are left alone."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from tenantry_core.framework.watchdog import CallInterrupted, Watchdog

LIMIT = 0.15


def _spin() -> None:
    while True:
        pass


def _sleep() -> None:
    time.sleep(30)


def _swallow() -> None:
    while True:
        try:
            while True:
                pass
        except Exception:
            continue


def _swallow_everything_once() -> None:
    try:
        _spin()
    except BaseException:
        _spin()


HANGS = {"spins": _spin, "sleeps": _sleep, "swallows exceptions": _swallow, "swallows once": _swallow_everything_once}


@pytest.mark.parametrize("hang", HANGS.values(), ids=HANGS)
def test_hang_is_interrupted(hang: Callable[[], None]) -> None:
    began = time.monotonic()
    with pytest.raises(CallInterrupted):
        Watchdog(LIMIT).call(hang)
    assert time.monotonic() - began < 5


def test_a_hang_on_another_thread_is_interrupted() -> None:
    watchdog, ended = Watchdog(LIMIT), threading.Event()

    def work() -> None:
        try:
            watchdog.call(_spin)
        except CallInterrupted:
            ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert ended.wait(10)
    thread.join(10)


async def test_the_event_loop_goes_on_after_a_hang() -> None:
    with pytest.raises(CallInterrupted):
        Watchdog(LIMIT).call(_spin)
    assert await asyncio.wait_for(asyncio.sleep(0, "still here"), 5) == "still here"


def test_results_and_exceptions_pass_through() -> None:
    watchdog = Watchdog(LIMIT)
    assert watchdog.call(lambda: 7) == 7
    with pytest.raises(KeyError):
        watchdog.call(lambda: {}["x"])


def test_many_short_calls_are_never_interrupted() -> None:
    watchdog = Watchdog(LIMIT)
    until = time.monotonic() + 4 * LIMIT
    count = 0
    while time.monotonic() < until:
        count += watchdog.call(lambda: 1)
    assert count > 100


def test_a_call_within_a_call_belongs_to_the_outer_one() -> None:
    watchdog = Watchdog(LIMIT)
    with pytest.raises(CallInterrupted):
        watchdog.call(lambda: (watchdog.call(lambda: 1), _spin()))
    assert watchdog.call(lambda: 2) == 2
