"""Disruption budgets: kept where possible, and nobody is charged twice (T18)."""

from __future__ import annotations

import pytest
from preemption_world import World, budget, names, node, pod

WEB = {"app": "web"}


def _web(name: str, **more: object) -> object:
    return pod(name, 0, "2", "n1", labels=WEB, **more)


CASES = {
    "T18 within the budget": (budget(2, WEB), [_web("a"), _web("b")], 0),
    "T18 beyond the budget": (budget(1, WEB), [_web("a"), _web("b")], 1),
    "T18 none allowed": (budget(0, WEB), [_web("a"), _web("b")], 2),
    "T18 already charged by the server": (budget(0, WEB, ("a",)), [_web("a"), _web("b")], 1),
    "T18 already terminating": (budget(0, WEB), [_web("a", ending="other"), _web("b")], 1),
    "T18 an empty selector selects nothing": (budget(0, {}), [_web("a"), _web("b")], 0),
    "T18 no selector selects nothing": (budget(0, None), [_web("a"), _web("b")], 0),
    "T18 other pods' budget": (budget(0, {"app": "db"}), [_web("a"), _web("b")], 0),
}


@pytest.mark.parametrize(("guard", "placed", "violations"), CASES.values(), ids=CASES)
def test_budget_accounting(guard: object, placed: list, violations: int) -> None:
    world = World(node("n1"), *placed)
    world.cache.put("PodDisruptionBudget", guard)
    result = world.preempt(pod("p", 100, "4"))
    assert sorted(names(result)) == ["a", "b"]
    assert result.pdb_violations == violations


def test_t18_the_node_without_a_budget_is_chosen() -> None:
    placed = [pod(f"w{i}", 0, "2", "n1", labels=WEB) for i in range(2)]
    plain = [pod(f"x{i}", 1, "2", "n2") for i in range(2)]
    world = World(node("n1"), node("n2"), *placed, *plain)
    world.cache.put("PodDisruptionBudget", budget(1, WEB))
    result = world.preempt(pod("p", 100, "4"))
    assert (result.nominated_node, result.pdb_violations) == ("n2", 0)


def test_guarded_pods_come_back_first() -> None:
    placed = [pod("plain", 50, "2", "n1"), pod("guarded", 0, "2", "n1", labels=WEB)]
    world = World(node("n1"), *placed)
    world.cache.put("PodDisruptionBudget", budget(0, WEB))
    assert names(world.preempt(pod("p", 100, "2"))) == ["plain"]
