"""The cheap sums say what the filters say, and no search leaves a trace."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from preemption_world import World, budget, node, pod

from tenantry_core.cycle.preempt import Preemption, Search
from tenantry_core.cycle.preempt_dry_run import ByArithmetic, Exact, Need
from tenantry_core.cycle.preempt_victims import Budgets
from tenantry_core.framework.columns import CPU, MEMORY

PLACED = st.lists(
    st.tuples(
        st.sampled_from(["n0", "n1", "n2"]),
        st.sampled_from([0, 1, 5, 200]),
        st.sampled_from(["0", "500m", "1", "2"]),
        st.sampled_from(["", "web", "db"]),
        st.sampled_from(["", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]),
    ),
    max_size=14,
)


def _world(placed: list[tuple[str, int, str, str, str]], slots: str) -> World:
    world = World(*(node(f"n{i}", pods=slots) for i in range(3)))
    for i, (on, priority, cpu, app, start) in enumerate(placed):
        more = {"start": start} if start else {}
        labels = {"app": app} if app else {}
        world.cache.upsert_pod(pod(f"e{i}", priority, cpu, on, labels=labels, **more))
    world.cache.put("PodDisruptionBudget", budget(1, {"app": "web"}))
    world.cache.put("PodDisruptionBudget", budget(0, {"app": "db"}))
    return world


@settings(max_examples=60, deadline=None)
@given(
    placed=PLACED,
    cpu=st.sampled_from(["0", "1", "3", "4"]),
    slots=st.sampled_from(["3", "110"]),
    start=st.integers(0, 4),
)
def test_preemption_arithmetic_equals_filters(placed: list, cpu: str, slots: str, start: int) -> None:
    world = _world(placed, slots)
    world.cache.nominate(pod("promised", 100, "1"), "n2")
    ctx = world.context(pod("p", 100, cpu))
    budgets = Budgets(world.cache.budgets)
    exact = Exact(world.profile, ctx, budgets, start)
    amounts = (("cpu", CPU), ("memory", MEMORY))
    needs = [Need(name, axis, ctx.cls.request[name]) for name, axis in amounts if name in ctx.cls.request]
    sums = ByArithmetic(ctx, needs, budgets, exact, {})
    for row in range(3):
        assert sums.victims(row) == exact.victims(row)


@settings(max_examples=30, deadline=None)
@given(placed=PLACED)
def test_a_search_leaves_the_view_as_it_was(placed: list) -> None:
    world = _world(placed, "110")
    ctx = world.context(pod("p", 100, "4"))
    cache = world.cache

    def view() -> object:
        nodes = cache.nodes
        rows = [[p.uid for p in cache.pods_on(row) if p.priority < 100] for row in range(nodes.size)]
        return nodes.requested.tolist(), nodes.nonzero.tolist(), nodes.pod_count.tolist(), rows

    before = view()
    exact = Exact(world.profile, ctx, Budgets(cache.budgets), 0)
    answers = [exact.victims(row) for row in range(3)]
    assert view() == before
    assert [exact.victims(row) for row in range(3)] == answers


def test_one_search_is_repeatable() -> None:
    world = _world([(f"n{i % 3}", i % 2, "1", "web", "") for i in range(12)], "110")
    preemptor = pod("p", 100, "2")
    diagnosis = world.diagnosis(preemptor)
    run = Preemption(world.profile, Search(offset=4))
    first = run.run(world.context(preemptor), diagnosis)
    assert first.victims
    assert run.run(world.context(preemptor), diagnosis) == first
