"""How many nodes are looked at when a profile asks for a share of them."""

import numpy as np
import pytest
from builders import a_cluster, a_node, a_pod, named_term
from deciding import profile_with

from tenantry_core.cycle.decision import Placement
from tenantry_core.cycle.run import Cycle
from tenantry_core.cycle.sampling import sampled, wanted


@pytest.mark.parametrize(
    ("nodes", "percentage", "want"),
    [
        (50, 0, 50),
        (99, 30, 99),
        (100, 0, 100),
        (500, 0, 230),
        (1000, 0, 420),
        (2000, 0, 680),
        (5000, 0, 500),
        (5625, 0, 281),
        (10_000, 0, 500),
        (15_000, 0, 750),
        (5000, 100, 5000),
        (5000, 1, 100),
        (1000, 40, 400),
        (6000, 40, 2400),
    ],
)
def test_how_many(nodes: int, percentage: int, want: int) -> None:
    assert wanted(nodes, percentage) == want


EVEN_ROWS = {
    "from the top": (0, range(0, 200, 2), 199, 199),
    "wraps": (150, [*range(150, 250, 2), *range(0, 100, 2)], 199, 99),
    "from the last row": (249, range(0, 200, 2), 200, 199),
    "past the end": (250, range(0, 200, 2), 199, 199),
}


@pytest.mark.parametrize(("start", "kept", "evaluated", "following"), EVEN_ROWS.values(), ids=EVEN_ROWS.keys())
def test_the_search_stops_after_enough_feasible_rows(
    start: int, kept: list[int], evaluated: int, following: int
) -> None:
    alive = np.ones(250, dtype=np.bool_)
    feasible = alive.copy()
    feasible[1::2] = False
    found = sampled(feasible, alive, start, 40)
    assert sorted(kept) == np.flatnonzero(found.feasible).tolist()
    assert (found.evaluated, found.following) == (evaluated, following)


def test_rows_without_a_node_are_not_looked_at() -> None:
    alive = np.zeros(400, dtype=np.bool_)
    alive[::2] = True
    found = sampled(alive, alive, 0, 10)
    assert found.evaluated == 100
    assert found.feasible.sum() == 100


def test_too_few_feasible_rows_end_the_search_where_it_began() -> None:
    alive = np.ones(200, dtype=np.bool_)
    few = np.zeros(200, dtype=np.bool_)
    few[[5, 150]] = True
    found = sampled(few, alive, 30, 50)
    assert np.flatnonzero(found.feasible).tolist() == [5, 150]
    assert (found.evaluated, found.following) == (200, 30)


def test_a_profile_with_a_share_looks_at_that_share_and_goes_on_from_there() -> None:
    cache = a_cluster(*(a_node(f"n{i}") for i in range(300)))
    cycle = Cycle(cache, profile_with(percentage=40))
    pod = a_pod("p").asking(cpu="1").build()
    cls = cache.classes.class_of(pod)
    rows = []
    for _ in range(4):
        decision = cycle.decide(pod, cls)
        assert isinstance(decision, Placement)
        assert (decision.feasible, decision.evaluated) == (120, 120)
        rows.append(decision.row)
    assert rows == [0, 120, 240, 60]


@pytest.mark.parametrize("percentage", [0, 100])
def test_by_default_every_node_is_looked_at(percentage: int) -> None:
    cache = a_cluster(*(a_node(f"n{i}") for i in range(300)))
    pod = a_pod("p").build()
    decision = Cycle(cache, profile_with(percentage=percentage)).decide(pod, cache.classes.class_of(pod))
    assert isinstance(decision, Placement)
    assert (decision.feasible, decision.evaluated) == (300, 300)


@pytest.mark.parametrize("percentage", [0, 40])
def test_a_narrowed_search_looks_at_the_named_nodes_alone(percentage: int) -> None:
    cache = a_cluster(*(a_node(f"n{i}") for i in range(300)))
    pod = a_pod("p").wants_nodes(named_term("n7", "n250")).build()
    decision = Cycle(cache, profile_with(percentage=percentage)).decide(pod, cache.classes.class_of(pod))
    assert isinstance(decision, Placement)
    assert (decision.feasible, decision.evaluated) == (2, 2)
