"""Kept dry runs: the same answers as a fresh search, whatever happened in between."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from preemption_world import World, budget, node, pod

from tenantry_core.cycle.preempt import Preemption, Search
from tenantry_core.cycle.preempt_floor import PriorityFloor
from tenantry_core.cycle.preempt_memo import VictimMemo
from tenantry_core.framework.context import CycleContext
from tenantry_core.plugins.node_resources import NodeResourcesFit

STARTED = "2026-01-01T00:00:00Z"
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("place"), st.integers(0, 2), st.integers(0, 3)),
        st.tuples(st.just("remove"), st.integers(0, 12), st.just(0)),
        st.tuples(st.just("start"), st.integers(0, 12), st.integers(1, 3)),
        st.tuples(st.just("budget"), st.integers(0, 2), st.just(0)),
        st.tuples(st.just("promise"), st.integers(0, 2), st.just(0)),
        st.tuples(st.just("grow"), st.integers(0, 2), st.integers(4, 6)),
    ),
    max_size=12,
)


class Fit(NodeResourcesFit):
    """Says what it is checked for, so that sums may be done."""

    def room(self, ctx: CycleContext) -> Any:
        nodes = ctx.snapshot.nodes
        return [(nodes.resources.id_of(name), amount) for name, amount in ctx.cls.request.items()]


def _apply(world: World, step: tuple[str, int, int], count: int) -> None:
    kind, i, j = step
    cache = world.cache
    if kind == "place":
        cache.upsert_pod(pod(f"new{count}", j, "1", f"n{i}", labels={"app": "web"}))
    elif kind == "remove":
        cache.remove_pod(f"e{i}")
    elif kind == "start" and cache.placed(f"e{i}") is not None:
        old = cache.placed(f"e{i}")
        assert old is not None
        on = cache.nodes.names[old.row]
        started = f"2026-01-0{j}T00:00:00Z"
        cache.upsert_pod(pod(f"e{i}", old.priority, "1", on, labels={"app": "web"}, start=started))
    elif kind == "budget":
        cache.put("PodDisruptionBudget", budget(i, {"app": "web"}))
    elif kind == "promise":
        cache.nominate(pod(f"promised{count}", 100, "1"), f"n{i}")
    elif kind == "grow":
        cache.upsert_node(node(f"n{i}", cpu=str(j)))


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, cpu=st.sampled_from(["2", "3"]))
def test_preemption_memo_equals_fresh(steps: list[tuple[str, int, int]], cpu: str) -> None:
    world = World(*(node(f"n{i}") for i in range(3)))
    for i in range(13):
        world.cache.upsert_pod(pod(f"e{i}", i % 3, "1", f"n{i % 3}", labels={"app": "web"}))
    profile = world.profile_with(Fit())
    floor, memo = PriorityFloor(), VictimMemo()
    preemptor = pod("p", 100, cpu)
    for count, step in enumerate([("none", 0, 0), *steps]):
        _apply(world, step, count)
        ctx = world.context(preemptor)
        rejected = world.rejected_everywhere()
        kept = Preemption(profile, Search(offset=count), floor, memo).run(ctx, rejected)
        fresh = Preemption(profile, Search(offset=count)).run(ctx, rejected)
        assert kept == fresh


def test_a_burst_of_equal_preemptors_works_out_each_row_once() -> None:
    world = World(*(node(f"n{i}") for i in range(30)), *(pod(f"e{i}", 0, "4", f"n{i}") for i in range(30)))
    profile, memo = world.profile_with(Fit()), VictimMemo()
    first = pod("p", 100, "4")
    ctx = world.context(first)
    Preemption(profile, memo=memo).run(ctx, world.rejected_everywhere())
    rows = memo.rows(world.cache, ctx.cls, world.cache.budgets, 0)
    assert len(rows) == 30
    world.cache.remove_pod("e7")
    assert sorted(set(range(30)) - memo.rows(world.cache, ctx.cls, world.cache.budgets, 0).keys()) == [7]
