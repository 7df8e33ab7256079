"""Pods that no event woke for five minutes are tried again, and marked, because an event was missed."""

import pytest
from queue_kit import FORCE, NODE_ADD, Door, parked, pod, popped, queue_with

from tenantry_core.queue import Place


@pytest.mark.parametrize(
    ("at", "moved"),
    [pytest.param(299.0, 0, id="not-yet"), pytest.param(300.0, 1, id="five-minutes")],
)
def test_parked_pod_is_retried(at: float, moved: int) -> None:
    queue = queue_with()
    qp = parked(queue, pod(), "NodeResourcesFit")
    assert queue.flush(at) == moved
    assert (qp.place, qp.flushed) == ((Place.ACTIVE, True) if moved else (Place.PARKED, False))


def test_looked_at_every_thirty_seconds_only() -> None:
    queue = queue_with()
    parked(queue, pod(), "NodeResourcesFit", now=10.0)
    assert queue.flush(300.0) == 0
    assert queue.flush(320.0) == 0
    assert queue.flush(330.0) == 1


def test_mark_goes_with_the_next_failure() -> None:
    queue = queue_with()
    qp = parked(queue, pod(), "NodeResourcesFit")
    queue.flush(300.0)
    assert popped(queue, 300.0).flushed
    queue.unschedulable(qp, ["NodeResourcesFit"], 300.0)
    assert not qp.flushed


def test_pod_woken_by_an_event_has_no_mark() -> None:
    queue = queue_with()
    qp = parked(queue, pod(), "NodeResourcesFit")
    queue.on_event(NODE_ADD, 299.0)
    queue.flush(400.0)
    assert (qp.place, qp.flushed) == (Place.ACTIVE, False)


def test_gate_that_events_can_lift_is_asked_again() -> None:
    door = Door()
    queue = queue_with(door)
    queue.add(pod(), 0.0)
    assert queue.flush(300.0) == 0
    door.is_open = True
    assert queue.flush(330.0) == 0, "asked 30 seconds ago"
    assert queue.flush(600.0) == 1
    assert popped(queue, 600.0).flushed


def test_gate_in_the_pod_itself_is_left_alone() -> None:
    queue = queue_with()
    queue.add(pod(gates=["a"]), 0.0)
    assert queue.flush(10_000.0) == 0
    assert queue.on_event(FORCE, 10_000.0) == 0


def test_flush_ends_backoffs() -> None:
    queue = queue_with()
    queue.add(pod(), 0.0)
    qp = popped(queue)
    queue.error(qp, 0.0)
    queue.flush(0.5)
    assert qp.place is Place.BACKOFF
    queue.flush(1.0)
    assert qp.place is Place.ACTIVE
