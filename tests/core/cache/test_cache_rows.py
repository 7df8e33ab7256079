"""Rows of the node table: reuse, ghosts, and columns that grow."""

import numpy as np
import pytest
from builders import HOSTNAME, ZONE, a_cluster, a_node, a_pod
from deciding import answer, decide

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Placement
from tenantry_core.framework.terms import PodSet
from tenantry_core.model.events import Action
from tenantry_core.model.selectors import NOTHING, Requirement, from_labels

WEB = PodSet(("default",), NOTHING, from_labels({"app": "web"}))


def test_a_removed_nodes_row_is_used_again_and_clean() -> None:
    cache = a_cluster(a_node("a").zone("z1").taint("x").cordoned().allocating({"vendor.example/gpu": "4"}), a_node("b"))
    row = cache.nodes.row_of("a")
    cache.remove_node("a")
    cache.upsert_node(a_node("c").build())
    nodes = cache.nodes
    assert nodes.row_of("c") == row
    assert nodes.row_of("a") == -1
    assert nodes.size == 2
    assert nodes.label_ids(ZONE)[row] == -1
    assert nodes.label_value(HOSTNAME, int(nodes.label_ids(HOSTNAME)[row])) == "c"
    assert not nodes.unschedulable[row]
    assert nodes.taint_sets.values[nodes.taint_set[row]] == ()
    assert nodes.allocatable[nodes.resources.find("vendor.example/gpu"), row] == 0


def test_churn_does_not_add_rows() -> None:
    cache = a_cluster(a_node("stays"))
    for i in range(50):
        cache.upsert_node(a_node(f"n{i}").build())
        cache.upsert_pod(a_pod("p").on(f"n{i}").build())
        cache.remove_node(f"n{i}")
        cache.remove_pod("default/p")
    assert cache.nodes.size <= 3
    assert cache.nodes.alive_count == 1


def test_t41_pods_stay_while_their_node_is_away_and_count_when_it_is_back() -> None:
    web = a_pod("web").labelled(app="web").asking(cpu="3").on("n1")
    cache = a_cluster(a_node("n1"), web)
    before = cache.nodes.static_version
    cache.remove_node("n1")
    assert cache.sizes() == {"nodes": 0, "pods": 1, "assumed_pods": 0}
    assert answer(cache, a_pod("new")) == "no nodes available to schedule pods"
    cache.upsert_node(a_node("n1").build())
    row = cache.nodes.row_of("n1")
    assert cache.nodes.requested[0, row] == 3000
    assert cache.count(WEB)[row] == 1
    assert cache.nodes.static_version > before
    assert answer(cache, a_pod("big").asking(cpu="2")) == "0/1 nodes are available: 1 Insufficient cpu."


def test_t41_pods_that_end_while_their_node_is_away_are_gone_when_it_is_back() -> None:
    cache = a_cluster(a_node("n1"), a_pod("p").asking(cpu="3").on("n1"))
    cache.remove_node("n1")
    cache.remove_pod("default/p")
    cache.upsert_node(a_node("n1").build())
    assert cache.nodes.requested[0, cache.nodes.row_of("n1")] == 0


def test_pods_seen_before_their_node_count_once_it_comes() -> None:
    cache = a_cluster(a_pod("early").asking(cpu="3").on("n1"), a_node("n1"))
    assert answer(cache, a_pod("big").asking(cpu="2")) == "0/1 nodes are available: 1 Insufficient cpu."


def test_label_columns_and_counts_survive_growth() -> None:
    cache = a_cluster(a_pod("p0").labelled(app="web").on("n0"))
    cache.count(WEB)
    for i in range(230):
        cache.upsert_node(a_node(f"n{i}").zone(f"z{i % 3}").labelled({f"key-{i % 7}": str(i)}).build())
        if i % 10 == 0:
            cache.upsert_pod(a_pod(f"p{i}").labelled(app="web").on(f"n{i}").build())
    nodes = cache.nodes
    assert nodes.size == 230
    for row, name in enumerate(nodes.names):
        number = int(name[1:])
        assert nodes.label_value(ZONE, int(nodes.label_ids(ZONE)[row])) == f"z{number % 3}"
        assert nodes.label_value(f"key-{number % 7}", int(nodes.label_ids(f"key-{number % 7}")[row])) == str(number)
        assert nodes.label_ids(f"key-{(number + 1) % 7}")[row] == -1
        assert cache.count(WEB)[row] == (number % 10 == 0)
    assert int(nodes.holds(Requirement(ZONE, "In", ("z1",))).sum()) == 77
    assert answer(cache, a_pod("x").selecting(**{"key-5": "222"}).selecting(**{"key-5": "229"})) == "n229"


def test_the_resource_axis_grows_with_nodes_pods_and_questions() -> None:
    cache = a_cluster(a_node("n1"), a_node("n2"))
    for i in range(12):
        wanted = {f"vendor.example/thing-{i}": "2"}
        text = f"0/2 nodes are available: 2 Insufficient vendor.example/thing-{i}."
        assert answer(cache, a_pod(f"ask-{i}").asking(wanted)) == text
        cache.upsert_pod(a_pod(f"odd-{i}").asking({f"vendor.example/odd-{i}": "1"}).on("n2").build())
        cache.upsert_node(a_node("n1").allocating({f"vendor.example/thing-{j}": "3" for j in range(i + 1)}).build())
        assert answer(cache, a_pod(f"ask-{i}").asking(wanted)) == "n1"
        cache.upsert_pod(a_pod(f"take-{i}").asking(wanted).on("n1").build())
        assert answer(cache, a_pod(f"more-{i}").asking(wanted)) == text
    assert len(cache.nodes.requested) >= 28


def test_more_than_one_profiles_worth_of_readers_see_one_cache() -> None:
    cache = a_cluster(a_node("n1").allocating(cpu="1"))
    first = decide(cache, a_pod("a").asking(cpu="1"))
    assert isinstance(first, Placement)
    pod = a_pod("a").asking(cpu="1").build()
    cache.assume(pod, cache.classes.class_of(pod), first.row)
    assert answer(cache, a_pod("b").asking(cpu="1")).endswith("1 Insufficient cpu.")


CHANGES = {
    "nothing": (a_node(), Action(0)),
    "labels": (a_node().zone("z1"), Action.UPDATE_LABEL),
    "taints": (a_node().taint("x"), Action.UPDATE_TAINT),
    "cordon": (a_node().cordoned(), Action.UPDATE_TAINT),
    "room": (a_node().allocating(cpu="8"), Action.UPDATE_ALLOCATABLE),
    "images": (a_node().image("a", 1), Action.UPDATE_OTHER),
    "features": (a_node().status(declaredFeatures=["x"]), Action.UPDATE_DECLARED_FEATURES),
    "annotations alone": (a_node().meta(annotations={"a": "b"}), Action(0)),
    "room and labels": (a_node().allocating(cpu="8").zone("z1"), Action.UPDATE_ALLOCATABLE | Action.UPDATE_LABEL),
}


@pytest.mark.parametrize(("changed", "want"), CHANGES.values(), ids=CHANGES.keys())
def test_an_update_says_what_changed(changed: object, want: Action) -> None:
    cache = ClusterCache()
    assert cache.upsert_node(a_node().build()) == Action.ADD
    end = cache.log_end
    assert cache.upsert_node(changed.build()) == want  # type: ignore[attr-defined]
    assert (cache.log_end > end) == bool(want)


def test_a_reader_too_far_behind_is_told_to_read_everything() -> None:
    cache = a_cluster(a_node("n1"), a_node("n2"))
    start = cache.log_end
    cache.nodes.touch(1)
    assert cache.changes_since(start) == [1]
    for _ in range(1 << 17):
        cache.nodes.touch(0)
    assert cache.changes_since(start) is None
    assert cache.changes_since(cache.log_end) == []


def test_saturated_sums_are_exact_again_once_the_huge_pod_is_gone() -> None:
    cache = a_cluster(a_node("n1"), a_pod("small").asking(memory="1Gi", cpu="1").on("n1"))
    for name in ("huge", "vast"):
        cache.upsert_pod(a_pod(name).asking(memory="9E", cpu="9E").on("n1").build())
    assert np.all(cache.nodes.requested >= 0)
    cache.remove_pod("default/huge")
    cache.remove_pod("default/vast")
    assert cache.nodes.requested[:2, 0].tolist() == [1000, 1 << 30]
    assert cache.nodes.nonzero[:, 0].tolist() == [1000, 1 << 30]
