"""The choice among feasible nodes: the best, ties in turn, and no pod in another's way."""

from collections import Counter

import pytest
from builders import HOSTNAME, PodBuilder, a_cluster, a_node, a_pod, expression, labels_term
from deciding import answer, decide, profile_with

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Placement
from tenantry_core.cycle.run import Cycle


def place(cache: ClusterCache, pods: list[PodBuilder]) -> list[str]:
    """Decide and assume the pods in order, on one cycle; "" where none would do."""
    cycle, found = Cycle(cache, profile_with()), []
    for builder in pods:
        pod = builder.build()
        cls = cache.classes.class_of(pod)
        decision = cycle.decide(pod, cls)
        found.append(decision.node if isinstance(decision, Placement) else "")
        if isinstance(decision, Placement):
            cache.assume(pod, cls, decision.row)
    return found


def many(template: PodBuilder, count: int) -> list[PodBuilder]:
    return [template.copy().meta(name=f"p{i}", uid=f"p{i}") for i in range(count)]


def test_ties_are_taken_in_turn() -> None:
    cache = a_cluster(*(a_node(f"n{i}") for i in range(5)))
    assert place(cache, many(a_pod().asking(cpu="100m", memory="1Gi"), 10)) == [f"n{i % 5}" for i in range(10)]


def test_a_lone_feasible_node_is_not_scored() -> None:
    cache = a_cluster(a_node("n1").taint("x"), a_node("n2"))
    assert decide(cache, a_pod()) == Placement(1, "n2", feasible=1, evaluated=2, score=0)


def test_the_total_is_the_weighted_sum() -> None:
    cache = a_cluster(a_node("n1"), a_node("n2"), a_pod("x").asking(cpu="1", memory="4Gi").on("n1"))
    decision = decide(cache, a_pod().asking(cpu="1", memory="2Gi"))
    least, balanced, taints = 84, 70, 3 * 100
    assert decision == Placement(1, "n2", feasible=2, evaluated=2, score=least + balanced + taints)


def test_t34_pods_without_requests_do_not_herd() -> None:
    cache = a_cluster(a_node("n1"), a_node("n2"))
    assert Counter(place(cache, many(a_pod(), 50))) == {"n1": 25, "n2": 25}


def test_t34_nor_where_one_node_starts_fuller() -> None:
    cache = a_cluster(a_node("n1"), a_node("n2"))
    for i in range(10):
        cache.upsert_pod(a_pod(f"old{i}").on("n1").build())
    assert Counter(place(cache, many(a_pod(), 20))) == {"n1": 5, "n2": 15}


def test_t33_a_pod_that_never_fits_is_in_nobodys_way() -> None:
    cache = a_cluster(a_node("n1"), a_node("n2"))
    never = a_pod("never").wants_nodes(labels_term(expression("disk", "Exists")))
    lonely = a_pod("lonely").near(HOSTNAME, {"app": "nobody"})
    huge = a_pod("huge").asking(cpu="9")
    found = place(cache, [never, *many(a_pod(), 2), lonely, huge, a_pod("last")])
    assert found == ["", "n1", "n2", "", "", "n1"]


def test_a_full_cluster_fills_up_and_then_says_so() -> None:
    cache = a_cluster(a_node("n1"), a_node("n2").allocating(cpu="2"))
    found = place(cache, many(a_pod().asking(cpu="1"), 8))
    assert Counter(found) == {"n1": 4, "n2": 2, "": 2}
    assert answer(cache, a_pod("more").asking(cpu="1")) == "0/2 nodes are available: 2 Insufficient cpu."


@pytest.mark.parametrize("gone", ["remove", "cordon", "taint", "shrink"])
def test_a_node_that_changes_between_two_pods_of_a_class_is_seen(gone: str) -> None:
    cache = a_cluster(a_node("n1"), a_node("n2"))
    cycle = Cycle(cache, profile_with())
    pod = a_pod().asking(cpu="1").build()
    cls = cache.classes.class_of(pod)
    assert isinstance(cycle.decide(pod, cls), Placement)
    changed = {
        "cordon": a_node("n2").cordoned(),
        "taint": a_node("n2").taint("x"),
        "shrink": a_node("n2").allocating(cpu="500m"),
    }
    if gone == "remove":
        cache.remove_node("n2")
    else:
        cache.upsert_node(changed[gone].build())
    for _ in range(3):
        decision = cycle.decide(pod, cls)
        assert isinstance(decision, Placement)
        assert (decision.node, decision.feasible) == ("n1", 1)
