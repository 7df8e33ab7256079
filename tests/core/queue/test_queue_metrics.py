"""Gauges go down on every way out, and each arrival counts under the event that caused it."""

from collections.abc import Callable

import pytest
from queue_kit import FORCE, NODE_ADD, Door, Tape, parked, pod, popped, queue_with

from tenantry_core.queue import SchedulingQueue

Act = Callable[[SchedulingQueue, Door], None]


def _delete(queue: SchedulingQueue, _door: Door) -> None:
    queue.delete("p")


def _wake_and_pop(queue: SchedulingQueue, _door: Door) -> None:
    queue.on_event(FORCE, 60.0)
    queue.done(popped(queue, 60.0).uid)


def _wake_and_delete(queue: SchedulingQueue, _door: Door) -> None:
    queue.on_event(FORCE, 0.1)
    queue.delete("p")


def _time_out(queue: SchedulingQueue, _door: Door) -> None:
    queue.flush(400.0)
    popped(queue, 400.0)


def _activate(queue: SchedulingQueue, _door: Door) -> None:
    queue.activate(["p"], 0.1)
    popped(queue, 0.1)


def _gate_and_delete(queue: SchedulingQueue, door: Door) -> None:
    door.is_open = False
    queue.on_event(FORCE, 60.0)
    queue.delete("p")


def _recreate(queue: SchedulingQueue, _door: Door) -> None:
    queue.update(pod("p"), pod("p", uid="other"), 1.0)


_WAYS = [_delete, _wake_and_pop, _wake_and_delete, _time_out, _activate, _gate_and_delete, _recreate]


@pytest.mark.parametrize("way_out", _WAYS, ids=[f"T55{w.__name__.replace('_', '-')}" for w in _WAYS])
def test_unschedulable_gauge_falls(way_out: Act) -> None:
    tape, door = Tape(), Door(is_open=True)
    queue = queue_with(door, recorder=tape)
    parked(queue, pod(), "A", "B")
    queue.publish()
    assert tape.held == {"A": 1, "B": 1}
    way_out(queue, door)
    queue.publish()
    assert {plugin: count for plugin, count in tape.held.items() if count} == {}
    assert tape.gauges["unschedulable"] == 0


def _open(queue: SchedulingQueue, door: Door) -> None:
    door.is_open = True
    queue.on_event(NODE_ADD, 1.0)


def _still_shut(queue: SchedulingQueue, _door: Door) -> None:
    queue.on_event(NODE_ADD, 1.0)
    queue.on_event(NODE_ADD, 2.0)
    queue.delete("p")


@pytest.mark.parametrize("way_out", [_delete, _open, _still_shut], ids=["T55-delete", "T55-lift", "T55-asked-again"])
def test_gauge_of_gated_pods_falls(way_out: Act) -> None:
    tape, door = Tape(), Door()
    queue = queue_with(door, recorder=tape)
    queue.add(pod(), 0.0)
    queue.publish()
    assert (tape.held, tape.gauges["gated"]) == ({"Door": 1}, 1)
    way_out(queue, door)
    queue.publish()
    assert (tape.held, tape.gauges["gated"]) == ({"Door": 0}, 0)


def test_rejected_again_by_another_plugin_moves_the_gauge() -> None:
    tape = Tape()
    queue = queue_with(recorder=tape)
    qp = parked(queue, pod(), "A")
    queue.on_event(FORCE, 60.0)
    queue.pop(60.0)
    queue.unschedulable(qp, ["B"], 60.0)
    queue.publish()
    assert tape.held == {"A": 0, "B": 1} or tape.held == {"B": 1}


def test_arrivals_by_queue_and_event() -> None:
    tape = Tape()
    queue = queue_with(recorder=tape)
    parked(queue, pod("a"), "NodeResourcesFit")
    parked(queue, pod("b"), "TaintToleration")
    queue.on_event(NODE_ADD, 0.1)
    queue.flush(2.0)
    queue.error(popped(queue, 2.0), 2.0)
    queue.add(pod("g", gates=["x"]), 2.0)
    queue.update(None, pod("g"), 2.5)
    queue.publish()
    assert tape.moves == {
        ("active", "UnschedulablePodAdd"): 2,
        ("unschedulable", "ScheduleAttemptFailure"): 2,
        ("backoff", "NodeAdd"): 2,
        ("active", "BackoffComplete"): 2,
        ("backoff", "ScheduleAttemptFailure"): 1,
        ("gated", "UnschedulablePodAdd"): 1,
        ("active", "UnschedulablePodUpdatePodSchedulingGatesEliminated"): 1,
    }
    assert tape.gauges == {"active": 2, "backoff": 1, "unschedulable": 0, "gated": 0}


def test_nothing_new_is_not_said_again() -> None:
    tape = Tape()
    queue = queue_with(recorder=tape)
    queue.add(pod(), 0.0)
    queue.publish()
    tape.gauges.clear()
    queue.publish()
    assert tape.gauges == {}
    assert tape.moves == {("active", "UnschedulablePodAdd"): 1}
