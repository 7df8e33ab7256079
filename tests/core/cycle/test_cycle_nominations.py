"""Room promised by preemption: kept for its owner, against pods of no higher priority."""

import pytest
from builders import HOSTNAME, PodBuilder, a_cluster, a_node, a_pod
from deciding import answer, decide

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Placement, Unplaced


def nominee(priority: int = 10) -> PodBuilder:
    return a_pod("nominee").asking(cpu="3").priority(priority)


def promised(priority: int = 10, *more: PodBuilder) -> ClusterCache:
    cache = a_cluster(a_node("n1"), *more)
    cache.nominate(nominee(priority).build(), "n1")
    return cache


@pytest.mark.parametrize(
    ("priority", "fits"), [(0, False), (10, False), (11, True)], ids=["lower", "equal", "higher goes first"]
)
def test_others_respect_the_promise_by_priority(priority: int, fits: bool) -> None:
    want = "n1" if fits else "0/1 nodes are available: 1 Insufficient cpu."
    assert answer(promised(), a_pod("other").asking(cpu="2").priority(priority)) == want


def test_what_fits_beside_the_promise_goes_in() -> None:
    assert answer(promised(), a_pod("small").asking(cpu="1")) == "n1"


def test_the_owner_takes_the_promised_node_even_where_others_are_better() -> None:
    cache = promised()
    cache.upsert_node(a_node("better").allocating(cpu="64").build())
    assert decide(cache, nominee()) == Placement(cache.nodes.row_of("n1"), "n1", 1, 1, 0)


@pytest.mark.parametrize("gone", ["tainted", "deleted", "filled"])
def test_t11_a_promised_node_that_became_useless_is_left(gone: str) -> None:
    cache = promised()
    cache.upsert_node(a_node("other").build())
    if gone == "tainted":
        cache.upsert_node(a_node("n1").taint("x").build())
    elif gone == "deleted":
        cache.remove_node("n1")
    else:
        cache.upsert_pod(a_pod("intruder").asking(cpu="4").on("n1").build())
    assert answer(cache, nominee()) == "other"


def test_t13_a_cleared_promise_holds_nothing() -> None:
    cache = promised()
    assert cache.clear_nomination("default/nominee")
    assert answer(cache, a_pod("other").asking(cpu="2")) == "n1"


def test_t16_promises_of_other_schedulers_count_too() -> None:
    cache = a_cluster(a_node("n1"))
    cache.nominate(nominee().spec(schedulerName="another").build(), "n1")
    assert answer(cache, a_pod("other").asking(cpu="2")).endswith("1 Insufficient cpu.")


def test_a_promise_is_no_pod_to_be_near_to() -> None:
    cache = a_cluster(a_node("n1"))
    cache.nominate(a_pod("nominee").labelled(app="web").priority(10).build(), "n1")
    wants = a_pod("wants").near(HOSTNAME, {"app": "web"})
    assert answer(cache, wants) == "0/1 nodes are available: 1 node(s) didn't match pod affinity rules."


def test_a_promise_is_a_pod_to_keep_away_from() -> None:
    cache = a_cluster(a_node("n1"), a_node("n2"))
    cache.nominate(a_pod("nominee").labelled(app="web").priority(10).build(), "n1")
    assert answer(cache, a_pod("shy").apart(HOSTNAME, {"app": "web"})) == "n2"


def test_several_promises_on_one_node_add_up() -> None:
    cache = a_cluster(a_node("n1"))
    for i in range(3):
        cache.nominate(a_pod(f"nominee{i}").asking(cpu="1").priority(10).build(), "n1")
    assert answer(cache, a_pod("a").asking(cpu="1")) == "n1"
    decision = decide(cache, a_pod("b").asking(cpu="1100m"))
    assert isinstance(decision, Unplaced)
    assert decision.diagnosis.plugins == {"NodeResourcesFit"}


def test_a_promise_follows_labels_that_only_a_later_rule_looks_at() -> None:
    cache = a_cluster(a_node("n1"), a_node("n2"))
    cache.classes.class_of(a_pod("twin").priority(10).build())
    cache.nominate(a_pod("nominee").labelled(tier="x").priority(10).build(), "n1")
    assert answer(cache, a_pod("shy").apart(HOSTNAME, {"tier": "x"})) == "n2"
