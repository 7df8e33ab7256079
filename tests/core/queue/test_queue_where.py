"""The queue tells where a pod is and what it waits for."""

from queue_kit import NODE_ADD, Named, parked, pod, popped, queue_with

from tenantry_core.queue import Place, Positions


def test_active_with_positions() -> None:
    queue = queue_with()
    queue.add(pod("first", "x", priority=1), 0.0)
    queue.add(pod("second", "y"), 0.0)
    where = queue.where("second", 3.0)
    assert where is not None
    assert (where.place, where.positions, where.waiting, where.helped_by) == (
        Place.ACTIVE,
        Positions(2, 1, "y"),
        3.0,
        (),
    )


def test_parked_names_plugins_and_helping_events() -> None:
    queue = queue_with()
    parked(queue, pod(), "TaintToleration")
    where = queue.where("p", 0.0)
    assert where is not None
    assert (where.place, where.rejected_by, where.attempts, where.positions) == (
        Place.PARKED,
        ("TaintToleration",),
        1,
        None,
    )
    assert where.helped_by == ("NodeAdd", "NodeUpdateNodeTaint", "UnschedulablePodUpdate")


def test_plugin_that_names_no_events_is_helped_by_any() -> None:
    queue = queue_with(Named("P"))
    parked(queue, pod(), "P")
    where = queue.where("p", 0.0)
    assert where is not None
    assert where.helped_by == ("*",)


def test_backoff_remaining() -> None:
    queue = queue_with()
    parked(queue, pod(), "NodeResourcesFit", now=10.0)
    queue.on_event(NODE_ADD, 10.25)
    where = queue.where("p", 10.25)
    assert where is not None
    assert (where.place, where.backoff_remaining) == (Place.BACKOFF, 0.75)


def test_gated() -> None:
    queue = queue_with()
    queue.add(pod(gates=["a"]), 0.0)
    where = queue.where("p", 1.0)
    assert where is not None
    assert (where.place, where.gated_by) == (Place.GATED, "SchedulingGates")
    assert where.helped_by == ("UnschedulablePodUpdatePodSchedulingGatesEliminated",)


def test_in_flight_and_unknown() -> None:
    queue = queue_with()
    queue.add(pod(), 0.0)
    popped(queue)
    where = queue.where("p", 0.0)
    assert where is not None
    assert where.place is Place.IN_FLIGHT
    queue.done("p")
    assert queue.where("p", 0.0) is None


def test_pod_taken_early_has_no_backoff_left() -> None:
    queue = queue_with()
    parked(queue, pod(), "NodeResourcesFit", now=10.0)
    queue.on_event(NODE_ADD, 10.25)
    popped(queue, 10.25)
    where = queue.where("p", 10.25)
    assert where is not None
    assert (where.place, where.backoff_remaining, where.rejected_by) == (Place.IN_FLIGHT, 0.0, ())
