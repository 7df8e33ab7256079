"""What a cycle keeps about promised rows: tried once, tried again when it may have changed, gone with the promise."""

from unittest.mock import patch

import pytest
from builders import a_cluster, a_node, a_pod
from deciding import profile_with

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle import nominated
from tenantry_core.cycle.decision import Decision, Placement
from tenantry_core.cycle.run import Cycle
from tenantry_core.model.objects import Pod


def promised() -> tuple[ClusterCache, Cycle]:
    """Two empty nodes of 4 CPU; all of n1 is promised."""
    cache = a_cluster(a_node("n1"), a_node("n2"))
    cache.nominate(nominee("4"), "n1")
    return cache, Cycle(cache, profile_with())


def nominee(cpu: str) -> Pod:
    built: Pod = a_pod("nominee").asking(cpu=cpu).priority(10).build()
    return built


def told(cache: ClusterCache, cycle: Cycle) -> tuple[str, int]:
    """Where a pod of 1 CPU goes, and how many nodes would do."""
    pod = a_pod("other").asking(cpu="1").build()
    found: Decision = cycle.decide(pod, cache.classes.class_of(pod))
    return (found.node, found.feasible) if isinstance(found, Placement) else ("", 0)


def test_a_promised_row_is_tried_once_while_nothing_changes() -> None:
    cache, cycle = promised()
    with patch.object(nominated, "row_passes", wraps=nominated.row_passes) as tried:
        assert [told(cache, cycle) for _ in range(5)] == [("n2", 1)] * 5
    assert tried.call_count == 1


@pytest.mark.parametrize("change", ["dropped", "smaller", "larger node"])
def test_a_row_is_free_again_once_its_promise_leaves_room(change: str) -> None:
    cache, cycle = promised()
    assert [told(cache, cycle) for _ in range(3)] == [("n2", 1)] * 3
    if change == "dropped":
        cache.clear_nomination("default/nominee")
    elif change == "smaller":
        cache.nominate(nominee("1"), "n1")
    else:
        cache.upsert_node(a_node("n1").allocating(cpu="8").build())
    assert sorted(told(cache, cycle) for _ in range(2))[0] == ("n1", 2)


def test_a_row_that_fills_up_is_tried_again() -> None:
    cache, cycle = promised()
    cache.nominate(nominee("3"), "n1")
    assert [told(cache, cycle)[1] for _ in range(3)] == [2, 2, 2]
    cache.upsert_pod(a_pod("more").asking(cpu="500m").on("n1").build())
    assert [told(cache, cycle) for _ in range(3)] == [("n2", 1)] * 3
