"""A cycle with simple plugins: filters, scores and constraints decide together, and a broken one stops nothing."""

from __future__ import annotations

from typing import Any

import pytest
from plugin_samples import ByIndex, EvenOnly, NotLast, cluster, context, guards

from tenantry_core.cycle.decision import Placement, Unplaced
from tenantry_core.cycle.message import fit_message
from tenantry_core.cycle.run import Cycle
from tenantry_core.framework.guard import Guards
from tenantry_core.framework.profile import profile_of
from tenantry_core.framework.simple import ConstraintPlugin, FilterPlugin, NodeView, SchedulerPlugin, Scope, Task
from tenantry_core.framework.simple_adapter import adapt


class Nowhere(ConstraintPlugin):
    """Allows nothing."""

    def name(self) -> str:
        return "Nowhere"

    def allows(self, task: Task, node: NodeView) -> bool | str:
        return "node(s) had no seat"


class Stuck(FilterPlugin):
    """Never answers."""

    def name(self) -> str:
        return "Stuck"

    def filter(self, task: Task, node: NodeView) -> bool | str:
        while True:
            pass


class Broken(Stuck):
    """Raises."""

    def filter(self, task: Task, node: NodeView) -> bool | str:
        raise RuntimeError


def _decide(cycle: Cycle, cache: Any) -> Placement | Unplaced:
    ctx = context(cache)
    return cycle.decide(ctx.pod, ctx.cls)


def _cycle(cache: Any, *plugins: SchedulerPlugin, shared: Guards | None = None) -> Cycle:
    kept = shared or guards(hang_seconds=0.1)
    return Cycle(cache, profile_of("s", [(adapt(p, kept.make(p.name())), 1) for p in plugins]))


CASES: dict[str, tuple[list[SchedulerPlugin], str]] = {
    "score": ([ByIndex()], "n3"),
    "filter and score": ([EvenOnly(), ByIndex()], "n2"),
    "constraint": ([EvenOnly(), ByIndex(), NotLast()], "n0"),
    "constraint alone": ([NotLast()], "n0"),
}


@pytest.mark.parametrize("scope", [Scope.GLOBAL, Scope.ROW, Scope.STATIC])
@pytest.mark.parametrize(("plugins", "node"), CASES.values(), ids=CASES)
def test_cycle_with_simple_plugins(plugins: list[SchedulerPlugin], node: str, scope: Scope) -> None:
    for plugin in plugins:
        plugin.scope = scope
    cache = cluster(4)
    decision = _decide(_cycle(cache, *plugins), cache)
    assert isinstance(decision, Placement)
    assert decision.node == node


def test_a_refused_tie_goes_to_the_next_row() -> None:
    cache = cluster(4)
    cycle = _cycle(cache, NotLast())
    found = [_decide(cycle, cache) for _ in range(4)]
    assert [p.node for p in found if isinstance(p, Placement)] == ["n0", "n1", "n3", "n0"]


def test_no_node_allowed() -> None:
    cache = cluster(4)
    decision = _decide(_cycle(cache, EvenOnly(), Nowhere()), cache)
    assert isinstance(decision, Unplaced)
    assert fit_message(decision.diagnosis) == (
        "0/4 nodes are available: 2 node(s) had an odd index, 2 node(s) had no seat."
    )
    assert decision.diagnosis.plugins == {"EvenOnly", "Nowhere"}


def test_a_nominated_node_must_be_allowed_too() -> None:
    cache = cluster(4)
    ctx = context(cache)
    cache.nominate(ctx.pod, "n2")
    decision = _cycle(cache, NotLast()).decide(ctx.pod, ctx.cls)
    assert isinstance(decision, Placement)
    assert decision.node != "n2"


def test_a_hanging_filter_is_unloaded_and_scheduling_goes_on() -> None:
    cache = cluster(4)
    shared = guards(hang_seconds=0.1)
    decision = _decide(_cycle(cache, Stuck(), ByIndex(), shared=shared), cache)
    assert isinstance(decision, Placement)
    assert decision.node == "n3"
    assert shared.notes() == ['plugin "Stuck" is unloaded (hung)']


def test_a_broken_filter_is_named_and_then_left_out() -> None:
    cache = cluster(4)
    cycle = _cycle(cache, Broken(), ByIndex())
    first = _decide(cycle, cache)
    assert isinstance(first, Unplaced)
    assert 'plugin "Stuck"' in fit_message(first.diagnosis)
    second = _decide(cycle, cache)
    assert isinstance(second, Placement)
    assert second.node == "n3"
