"""Pods come by priority, then by time of entry, then in the order of their arrival, over all namespaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from queue_kit import names, pod, popped, queue_with

from tenantry_core.queue import NamespaceOrder, Place, QueuedPod


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        pytest.param([("a", "x", 0, 0.0), ("b", "x", 10, 1.0)], ["b", "a"], id="priority-first"),
        pytest.param([("a", "x", 5, 2.0), ("b", "x", 5, 1.0)], ["b", "a"], id="then-earlier-entry"),
        pytest.param([("b", "x", 5, 1.0), ("a", "y", 5, 1.0)], ["b", "a"], id="then-arrival"),
        pytest.param([("a", "x", 0, 0.0), ("b", "y", 1, 0.0), ("c", "x", 2, 0.0)], ["c", "b", "a"], id="namespaces"),
        pytest.param([("a", "x", -1, 0.0), ("b", "y", 0, 9.0)], ["b", "a"], id="negative-priority-last"),
    ],
)
def test_order(added: list[tuple[str, str, int, float]], expected: list[str]) -> None:
    queue = queue_with()
    for name, namespace, priority, at in added:
        queue.add(pod(name, namespace, priority=priority), at)
    assert names(queue.pop_batch(10.0, 99)) == expected


def test_batch_equals_single_pops() -> None:
    one, many = queue_with(), queue_with()
    for i in range(40):
        for queue in (one, many):
            queue.add(pod(f"p{i}", f"ns{i % 7}", priority=i % 3), i * 0.1)
    singles = [popped(one, 5.0).uid for _ in range(40)]
    batches = many.pop_batch(5.0, 15) + many.pop_batch(5.0, 15) + many.pop_batch(5.0, 15)
    assert [qp.uid for qp in batches] == singles
    assert [qp.attempts for qp in batches] == [1] * 40


def test_failed_attempt_goes_behind_its_equals() -> None:
    queue = queue_with()
    queue.add(pod("a"), 0.0)
    queue.add(pod("b"), 1.0)
    queue.error(popped(queue, 2.0), 2.0)
    queue.done(popped(queue, 2.0).uid)
    queue.add(pod("c"), 2.5)
    queue.flush(30.0)
    queue.add(pod("d"), 30.0)
    assert names(queue.pop_batch(30.0, 9)) == ["a", "c", "d"]


def test_priority_changed_while_active() -> None:
    queue = queue_with()
    for name in "ab":
        queue.add(pod(name), 0.0)
    assert queue.update(pod("b"), pod("b", priority=7), 1.0) is Place.ACTIVE
    assert names(queue.pop_batch(1.0, 9)) == ["b", "a"]


def test_positions_count_from_one_over_all_and_in_the_lane() -> None:
    order = NamespaceOrder()
    pods = [QueuedPod(pod(f"p{i}", f"ns{i % 2}"), f"p{i}", float(i)) for i in range(6)]
    for qp in pods:
        order.push(qp)
    order.remove(pods[0])
    assert order.positions(pods[1])[:2] == (1, 1)
    assert order.positions(pods[4]) == (4, 2, "ns0")


_STEP = st.tuples(st.sampled_from(["push", "push", "pop", "remove", "peek"]), st.integers(0, 3), st.integers(-1, 2))


@given(st.lists(_STEP, max_size=400))
def test_same_as_a_sorted_list(steps: list[tuple[str, int, int]]) -> None:
    order, model = NamespaceOrder(), list[QueuedPod]()
    for number, (step, lane, priority) in enumerate(steps):
        model.sort(key=lambda qp: (-qp.priority, qp.timestamp, qp.token))
        if step == "push":
            qp = QueuedPod(pod(f"p{number}", f"ns{lane}", priority=priority), f"p{number}", float(lane))
            order.push(qp)
            model.append(qp)
        elif step == "pop":
            assert order.pop() is (model.pop(0) if model else None)
        elif step == "peek":
            assert order.peek() is (model[0] if model else None)
        elif model:
            order.remove(model.pop(lane % len(model)))
        assert len(order) == len(model)


def test_removals_leave_no_garbage() -> None:
    order = NamespaceOrder()
    keep = QueuedPod(pod("keep", priority=-5), "keep", 0.0)
    order.push(keep)
    for i in range(5000):
        qp = QueuedPod(pod(f"p{i}", f"ns{i % 3}", priority=-9), f"p{i}", 0.0)
        order.push(qp)
        order.remove(qp)
    entries = sum(len(lane) for lane in order._lanes.values())
    assert entries < 200
    assert len(order._heads) < 200


def test_heads_do_not_pile_up_under_passing_pods() -> None:
    order = NamespaceOrder()
    order.push(QueuedPod(pod("low"), "low", 0.0))
    for i in range(1000):
        order.push(QueuedPod(pod(f"p{i}", priority=5), f"p{i}", 0.0))
        assert order.pop() is not None
    assert len(order._heads) == 1


def test_empty_namespaces_are_forgotten() -> None:
    order = NamespaceOrder()
    for i in range(100):
        order.push(QueuedPod(pod(f"p{i}", f"ns{i}"), f"p{i}", 0.0))
        assert order.pop() is not None
    assert order._lanes == {}
