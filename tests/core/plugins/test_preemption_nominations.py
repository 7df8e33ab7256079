"""Preemption and the promises made to other pods."""

from __future__ import annotations

from preemption_world import World, names, node, pod


def test_t45_the_second_of_two_preemptors_looks_elsewhere() -> None:
    world = World(node("n1"), node("n2"), pod("a", 0, "4", "n1"), pod("b", 0, "4", "n2"))
    first, second = pod("p", 100, "4"), pod("q", 100, "4")
    chosen = world.preempt(first)
    assert chosen.nominated_node == "n1"
    world.cache.nominate(first, "n1")
    assert world.preempt(second).nominated_node == "n2"


def test_t45_no_second_eviction_for_the_same_room() -> None:
    world = World(node("n1"), pod("a", 0, "4", "n1"))
    world.cache.nominate(pod("p", 100, "4"), "n1")
    result = world.preempt(pod("q", 100, "4"))
    assert (result.nominated_node, result.victims) == (None, ())
    assert result.message == "preemption: 0/1 nodes are available: 1 Insufficient cpu."


def test_t16_promises_of_another_scheduler_count() -> None:
    world = World(node("n1"), pod("a", 0, "4", "n1"))
    world.cache.nominate(pod("p", 100, "4", spec={"schedulerName": "another"}), "n1")
    assert world.preempt(pod("q", 100, "4")).victims == ()


def test_t13_lower_promises_are_taken_back() -> None:
    world = World(node("n1"), pod("a", 0, "4", "n1"))
    world.cache.nominate(pod("low", 50, "4"), "n1")
    world.cache.nominate(pod("elsewhere", 50, "4"), "n2")
    result = world.preempt(pod("p", 100, "4"))
    assert (result.nominated_node, result.clear_nominations) == ("n1", ("low",))


def test_a_promise_that_leaves_room_is_kept() -> None:
    world = World(node("n1"), pod("a", 0, "2", "n1"), pod("b", 0, "2", "n1"))
    world.cache.nominate(pod("p", 100, "2"), "n1")
    assert names(world.preempt(pod("q", 100, "2"))) == ["a", "b"]
