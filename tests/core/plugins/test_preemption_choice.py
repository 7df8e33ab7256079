"""Which node loses its pods: six rules, each deciding only what the ones before left open."""

from __future__ import annotations

import pytest
from preemption_world import World, budget, names, node, pod

from tenantry_core.cycle.preempt import Search

EARLY, LATE = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
CASES = {
    "fewest budget violations": (
        [pod("a", 0, "4", "n1", labels={"app": "guarded"}), pod("b", 5, "4", "n2")],
        "n2",
        ["b"],
    ),
    "lowest top priority": ([pod("a", 5, "4", "n1"), pod("b", 4, "4", "n2")], "n2", ["b"]),
    "lowest sum": (
        [pod("a", 5, "2", "n1"), pod("b", 5, "2", "n1"), pod("c", 5, "2", "n2"), pod("d", 4, "2", "n2")],
        "n2",
        ["c", "d"],
    ),
    "fewer victims weigh less, whatever their sign": (
        [pod("a", -1, "2", "n1"), pod("b", -1, "2", "n1"), pod("c", -1, "4", "n2")],
        "n2",
        ["c"],
    ),
    "latest start": ([pod("a", 0, "4", "n1", start=EARLY), pod("b", 0, "4", "n2", start=LATE)], "n2", ["b"]),
    "not started counts as now": ([pod("a", 0, "4", "n1", start=LATE), pod("b", 0, "4", "n2")], "n2", ["b"]),
    "first": ([pod("a", 0, "4", "n1"), pod("b", 0, "4", "n2")], "n1", ["a"]),
}


@pytest.mark.parametrize(("placed", "chosen", "victims"), CASES.values(), ids=CASES)
def test_preemption_choice(placed: list, chosen: str, victims: list[str]) -> None:
    world = World(node("n1"), node("n2"), *placed)
    world.cache.put("PodDisruptionBudget", budget(0, {"app": "guarded"}))
    result = world.preempt(pod("p", 100, "4"))
    assert (result.nominated_node, names(result)) == (chosen, victims)
    assert result.message == ""


def test_the_search_begins_at_the_offset() -> None:
    world = World(node("n1"), node("n2"), pod("a", 0, "4", "n1"), pod("b", 0, "4", "n2"))
    found = [world.preempt(pod("p", 100, "4"), Search(offset=o)).nominated_node for o in range(3)]
    assert found == ["n1", "n2", "n1"]


def test_the_search_stops_at_enough_candidates() -> None:
    nodes = [node(f"n{i}") for i in range(20)]
    world = World(*nodes, *(pod(f"v{i}", 0, "4", f"n{i}") for i in range(20)))
    result = world.preempt(pod("p", 100, "4"), Search(percentage=10, absolute=3))
    assert result.candidates == 3


def test_more_important_pods_stay() -> None:
    placed = [pod("old", 1, "1", "n1", start=EARLY), pod("new", 1, "1", "n1", start=LATE), pod("top", 2, "2", "n1")]
    result = World(node("n1"), *placed).preempt(pod("p", 100, "1"))
    assert names(result) == ["new"]
