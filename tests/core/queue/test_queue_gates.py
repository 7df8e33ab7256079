"""Gated pods wait outside active and backoff until their gate lifts."""

import pytest
from queue_kit import FIT, NODE_ADD, NODE_TAINT, Door, GatePlugin, parked, pod, popped, queue_with

from tenantry_core.queue import Place


def test_gated_pod_is_not_tried() -> None:
    queue = queue_with()
    assert queue.add(pod(gates=["wait"]), 0.0) is Place.GATED
    assert queue.pop(1000.0) is None
    qp = queue.get("p")
    assert qp is not None
    assert (qp.gated_by, qp.entered) == ("SchedulingGates", None)


@pytest.mark.parametrize(
    ("gates", "place"),
    [
        pytest.param([], Place.ACTIVE, id="all-gates-gone"),
        pytest.param(["b"], Place.GATED, id="one-gate-left"),
    ],
)
def test_update_lifts_the_gate(gates: list[str], place: Place) -> None:
    queue = queue_with()
    queue.add(pod(gates=["a", "b"]), 0.0)
    assert queue.update(pod(gates=["a", "b"]), pod(gates=gates), 5.0) is place


def test_time_past_the_gate_starts_when_it_lifts() -> None:
    queue = queue_with()
    queue.add(pod(gates=["a"]), 0.0)
    queue.update(None, pod(), 5.0)
    assert popped(queue, 6.0).entered == 5.0


def test_cluster_event_of_the_gating_plugin_asks_it_again() -> None:
    door = Door()
    queue = queue_with(door)
    queue.add(pod(), 0.0)
    assert queue.on_event(NODE_ADD, 1.0) == 0
    door.is_open = True
    assert queue.on_event(NODE_TAINT, 2.0) == 0
    assert queue.on_event(NODE_ADD, 3.0) == 1
    assert popped(queue, 3.0).entered == 3.0


def test_gate_holds_a_woken_pod() -> None:
    door = Door(is_open=True)
    queue = queue_with(door, FIT)
    qp = parked(queue, pod(), "NodeResourcesFit")
    door.is_open = False
    queue.on_event(NODE_ADD, 60.0)
    assert qp.place is Place.GATED
    door.is_open = True
    queue.on_event(NODE_ADD, 61.0)
    assert qp.place is Place.ACTIVE


def test_gate_holds_an_activated_pod() -> None:
    queue = queue_with()
    queue.add(pod(gates=["a"]), 0.0)
    assert queue.activate(["p"], 1.0) == 0
    assert queue.lengths()[Place.GATED] == 1


def test_second_gate_takes_over_from_the_first() -> None:
    door = Door("Second")
    queue = queue_with(GatePlugin(), door)
    queue.add(pod(gates=["a"]), 0.0)
    queue.update(None, pod(), 1.0)
    qp = queue.get("p")
    assert qp is not None
    assert (qp.place, qp.gated_by) == (Place.GATED, "Second")


def test_gate_that_raises_holds(caplog: pytest.LogCaptureFixture) -> None:
    door = Door(is_open=True)
    door.raises = True
    queue = queue_with(door)
    assert queue.add(pod(), 0.0) is Place.GATED
    assert "stays gated" in caplog.text
    door.raises = False
    assert queue.on_event(NODE_ADD, 1.0) == 1


def test_deleted_while_gated() -> None:
    queue = queue_with()
    queue.add(pod(gates=["a"]), 0.0)
    assert queue.delete("p")
    assert len(queue) == 0
