"""Events that come while a pod is being decided are replayed for it, and forgotten when nobody needs them."""

from collections.abc import Callable

import pytest
from queue_kit import FIT, NODE_ADD, NODE_TAINT, POD_GONE, Tape, parked, pod, popped, queue_with

from tenantry_core.model.events import ClusterEvent
from tenantry_core.queue import Place, QueueSettings, SchedulingQueue


@pytest.mark.parametrize(
    ("events", "place"),
    [
        pytest.param([], Place.PARKED, id="nothing-happened"),
        pytest.param([NODE_TAINT], Place.PARKED, id="nothing-that-helps"),
        pytest.param([NODE_TAINT, NODE_ADD], Place.BACKOFF, id="helping-event"),
    ],
)
def test_events_in_flight_are_replayed(events: list[ClusterEvent], place: Place) -> None:
    queue = queue_with()
    queue.add(pod(), 0.0)
    qp = popped(queue)
    for event in events:
        queue.on_event(event, 0.1)
    assert queue.unschedulable(qp, ["NodeResourcesFit"], 0.2) is place
    assert queue.events_kept == 0


def test_only_events_after_the_pop_are_replayed() -> None:
    queue = queue_with()
    queue.add(pod("a"), 0.0)
    first = popped(queue)
    queue.on_event(NODE_ADD, 0.1)
    queue.add(pod("b"), 0.2)
    second = popped(queue, 0.2)
    assert queue.unschedulable(second, ["NodeResourcesFit"], 0.3) is Place.PARKED
    assert queue.unschedulable(first, ["NodeResourcesFit"], 0.3) is Place.BACKOFF


def test_nothing_is_kept_without_a_pod_in_flight() -> None:
    queue = queue_with()
    parked(queue, pod(), "NodeResourcesFit")
    queue.on_event(NODE_TAINT, 1.0)
    assert queue.events_kept == 0


def _bound(queue: SchedulingQueue, uid: str) -> None:
    queue.done(uid)


def _rejected(queue: SchedulingQueue, uid: str) -> None:
    qp = queue.get(uid)
    assert qp is not None
    queue.unschedulable(qp, ["NodeResourcesFit"], 1.0)


def _failed(queue: SchedulingQueue, uid: str) -> None:
    qp = queue.get(uid)
    assert qp is not None
    queue.error(qp, 1.0)


def _deleted_then_done(queue: SchedulingQueue, uid: str) -> None:
    queue.delete(uid)
    queue.done(uid)


def _deleted_then_rejected(queue: SchedulingQueue, uid: str) -> None:
    qp = queue.get(uid)
    assert qp is not None
    queue.delete(uid)
    assert queue.unschedulable(qp, ["NodeResourcesFit"], 1.0) is Place.OUT


def _recreated(queue: SchedulingQueue, uid: str) -> None:
    queue.update(pod("same", uid=uid), pod("same", uid=f"{uid}-again"), 1.0)
    queue.delete(f"{uid}-again")
    queue.done(uid)


_WAYS = [_bound, _rejected, _failed, _deleted_then_done, _deleted_then_rejected, _recreated]


@pytest.mark.parametrize("way_out", _WAYS, ids=[f"T54{way.__name__.replace('_', '-')}" for way in _WAYS])
def test_list_of_events_does_not_grow(way_out: Callable[[SchedulingQueue, str], None]) -> None:
    tape = Tape()
    queue = queue_with(recorder=tape)
    queue.add(pod("same", uid="u0"), 0.0)
    popped(queue)
    for i in range(1, 200):
        # Pods overlap, so that the list is never empty by chance.
        queue.add(pod("same", uid=f"u{i}"), 0.0)
        assert queue.pop(0.0) is not None
        queue.on_event(POD_GONE, 0.5)
        way_out(queue, f"u{i - 1}")
        queue.delete(f"u{i - 1}")
        assert queue.events_kept == 1
        assert queue.in_flight == 1
    queue.publish()
    assert tape.kept == {"AssignedPodDelete": 1}
    queue.done("u199")
    queue.publish()
    assert (queue.events_kept, queue.in_flight, tape.kept) == (0, 0, {"AssignedPodDelete": 0})


def test_same_name_with_another_uid_is_another_pod() -> None:
    queue = queue_with()
    queue.add(pod("web", uid="one"), 0.0)
    old = popped(queue)
    queue.delete("one")
    queue.add(pod("web", uid="two"), 0.1)
    queue.done("one")
    assert old.place is Place.OUT
    assert popped(queue, 0.2).uid == "two"


def test_deleted_in_flight_does_not_come_back() -> None:
    queue = queue_with()
    queue.add(pod(), 0.0)
    qp = popped(queue)
    assert queue.delete(qp.uid)
    assert queue.error(qp, 0.1) is Place.OUT
    assert qp.uid not in queue
    assert len(queue) == 0


def test_deleted_and_listed_again_in_flight_is_decided_once() -> None:
    queue = queue_with()
    queue.add(pod(), 0.0)
    qp = popped(queue)
    queue.delete(qp.uid)
    assert queue.add(pod(labels={"new": "1"}), 0.1) is Place.IN_FLIGHT
    assert queue.pop(0.1) is None
    queue.unschedulable(qp, ["NodeResourcesFit"], 0.2)
    assert qp.pod.metadata.labels == {"new": "1"}


def test_done_twice_and_done_of_unknown_are_harmless() -> None:
    queue = queue_with()
    queue.add(pod(), 0.0)
    qp = popped(queue)
    queue.done(qp.uid)
    queue.done(qp.uid)
    queue.done("unknown")
    assert (queue.in_flight, len(queue)) == (0, 0)


def test_error_after_done_brings_the_pod_back_once() -> None:
    queue = queue_with(FIT, settings=QueueSettings(backoff_window=0.0))
    queue.add(pod(), 0.0)
    qp = popped(queue)
    queue.done(qp.uid)
    assert queue.error(qp, 1.0) is Place.BACKOFF
    assert queue.error(qp, 1.5) is Place.BACKOFF
    assert (len(queue), qp.error_count) == (1, 1)
