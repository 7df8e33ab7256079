"""A failed pod waits: one second, doubled by each failure, ten at most; rejections and errors count apart."""

import pytest
from queue_kit import FORCE, NODE_ADD, names, parked, pod, popped, queue_with

from tenantry_core.queue import Place, QueuedPod, QueueSettings
from tenantry_core.queue.backoff import BackoffQueue

EXACT = QueueSettings(backoff_window=0.0)


@pytest.mark.parametrize(
    ("rejections", "errors", "seconds"),
    [
        pytest.param(0, 0, 0.0, id="never-tried"),
        pytest.param(1, 0, 1.0, id="first"),
        pytest.param(2, 0, 2.0, id="second"),
        pytest.param(4, 0, 8.0, id="fourth"),
        pytest.param(5, 0, 10.0, id="capped"),
        pytest.param(5000, 0, 10.0, id="far-beyond-the-cap"),
        pytest.param(4, 1, 1.0, id="first-error-after-rejections"),
        pytest.param(0, 3, 4.0, id="third-error"),
    ],
)
def test_duration(rejections: int, errors: int, seconds: float) -> None:
    qp = QueuedPod(pod(), "p", 0.0, unschedulable_count=rejections, error_count=errors)
    assert BackoffQueue(QueueSettings()).duration(qp) == seconds


def test_durations_follow_the_settings() -> None:
    qp = QueuedPod(pod(), "p", 0.0, unschedulable_count=2)
    assert BackoffQueue(QueueSettings(backoff_initial=3.0, backoff_max=5.0)).duration(qp) == 5.0


@pytest.mark.parametrize(
    ("window", "errors", "end"),
    [
        pytest.param(0.0, 0, 101.7, id="no-window"),
        pytest.param(1.0, 0, 101.0, id="rejection-to-start-of-window"),
        pytest.param(1.0, 1, 101.7, id="error-exact"),
    ],
)
def test_end_of_backoff(window: float, errors: int, end: float) -> None:
    qp = QueuedPod(pod(), "p", 100.7, unschedulable_count=1, error_count=errors)
    assert BackoffQueue(QueueSettings(backoff_window=window)).ends(qp) == pytest.approx(end)


def test_woken_pod_waits_out_its_backoff() -> None:
    queue = queue_with(settings=QueueSettings(pop_from_backoff=False))
    qp = parked(queue, pod(), "NodeResourcesFit", now=10.0)
    queue.on_event(NODE_ADD, 10.2)
    assert qp.place is Place.BACKOFF
    assert queue.pop(10.9) is None
    assert queue.next_backoff_end() == 11.0
    assert not queue.ready(10.9)
    assert queue.ready(11.0)
    assert queue.pop(11.0) is qp


def test_woken_pod_whose_backoff_is_over_is_active() -> None:
    queue = queue_with()
    qp = parked(queue, pod(), "NodeResourcesFit", now=10.0)
    queue.on_event(NODE_ADD, 11.0)
    assert qp.place is Place.ACTIVE


def test_idle_scheduler_takes_rejected_pods_early_best_of_the_window_first() -> None:
    queue = queue_with()
    for name, priority in (("low", 0), ("high", 9)):
        queue.add(pod(name, priority=priority), 10.0)
    batch = queue.pop_batch(10.0, 2)
    for qp, at in zip(reversed(batch), (10.1, 10.4), strict=True):
        queue.unschedulable(qp, ["NodeResourcesFit"], at)
    queue.on_event(NODE_ADD, 10.5)
    assert queue.ready(10.5)
    assert names(queue.pop_batch(10.5, 9)) == ["high", "low"]


def test_active_pods_come_before_those_in_backoff() -> None:
    queue = queue_with()
    parked(queue, pod("rejected", priority=9), "NodeResourcesFit", now=10.0)
    queue.on_event(NODE_ADD, 10.1)
    queue.add(pod("fresh"), 10.2)
    assert names(queue.pop_batch(10.3, 9)) == ["fresh", "rejected"]


def test_error_is_never_taken_early() -> None:
    queue = queue_with()
    queue.add(pod(), 10.0)
    qp = popped(queue, 10.0)
    assert queue.error(qp, 10.3) is Place.BACKOFF
    assert not queue.ready(11.2)
    assert queue.pop(11.2) is None
    assert queue.pop(11.3) is qp


def test_rejection_ends_a_run_of_errors() -> None:
    queue = queue_with(settings=EXACT)
    queue.add(pod(), 0.0)
    for at in (0.0, 100.0, 200.0):
        queue.error(popped(queue, at), at)
    qp = popped(queue, 300.0)
    assert (qp.error_count, qp.unschedulable_count, qp.attempts) == (3, 0, 4)
    queue.unschedulable(qp, ["NodeResourcesFit"], 300.0)
    assert (qp.error_count, qp.unschedulable_count, qp.ready_at) == (0, 1, 301.0)


def test_rejection_without_a_plugin_is_an_error() -> None:
    queue = queue_with()
    queue.add(pod(), 0.0)
    qp = popped(queue)
    assert queue.unschedulable(qp, [], 0.0) is Place.BACKOFF
    assert qp.error_count == 1


def test_removals_leave_no_garbage() -> None:
    backoff = BackoffQueue(QueueSettings())
    for i in range(5000):
        qp = QueuedPod(pod(), str(i), 0.0, ready_at=1.0, error_count=i % 2)
        backoff.push(qp)
        backoff.remove(qp)
    assert len(backoff) == 0
    assert len(backoff._rejected._heap) + len(backoff._failed._heap) < 200


@pytest.mark.parametrize("early", [True, False], ids=["T60-pop-from-backoff", "T60-backoff-always-waits"])
def test_pod_that_never_fits_does_not_hold_the_others(early: bool) -> None:
    queue = queue_with(settings=QueueSettings(pop_from_backoff=early))
    queue.add(pod("huge", priority=10, cpu="9"), 0.0)
    for i in range(100):
        queue.add(pod(f"small{i:03}"), 0.0)
    order, now = list[str](), 0.0
    while len(order) < 101:
        qp = popped(queue, now)
        order.append(qp.uid)
        if qp.uid == "huge":
            queue.unschedulable(qp, ["NodeResourcesFit"], now)
        else:
            queue.done(qp.uid)
        queue.on_event(FORCE, now)
        now += 0.001
    assert order == ["huge", *(f"small{i:03}" for i in range(100))]
