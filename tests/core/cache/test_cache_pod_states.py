"""The life of a pod in the cache: assumed, confirmed, terminating, gone; each counted once and released once."""

import pytest
from builders import PodBuilder, a_cluster, a_node, a_pod
from deciding import answer

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.framework.terms import PodSet
from tenantry_core.model.selectors import NOTHING, from_labels

UID = "default/p"
WEB = PodSet(("default",), NOTHING, from_labels({"app": "web"}))


def pod(cpu: str = "1") -> PodBuilder:
    return a_pod("p").asking(cpu=cpu).labelled(app="web")


def assumed(cache: ClusterCache, node: str = "n1") -> None:
    built = pod().build()
    cache.assume(built, cache.classes.class_of(built), cache.nodes.row_of(node))


def used(cache: ClusterCache, node: str = "n1") -> tuple[int, int, int]:
    """Milli-CPU requested, pods, pods labelled web."""
    row = cache.nodes.row_of(node)
    return int(cache.nodes.requested[0, row]), int(cache.nodes.pod_count[row]), int(cache.count(WEB)[row])


@pytest.fixture
def cache() -> ClusterCache:
    return a_cluster(a_node("n1"), a_node("n2"))


def test_an_assumed_pod_takes_room_and_its_news_confirms_it(cache: ClusterCache) -> None:
    assumed(cache)
    assert used(cache) == (1000, 1, 1)
    assert cache.sizes()["assumed_pods"] == 1
    cache.upsert_pod(pod().on("n1").build())
    assert used(cache) == (1000, 1, 1)
    assert cache.sizes()["assumed_pods"] == 0
    assert not cache.forget(UID)
    assert used(cache) == (1000, 1, 1)


def test_a_failed_bind_is_forgotten_once(cache: ClusterCache) -> None:
    assumed(cache)
    assert cache.forget(UID)
    assert not cache.forget(UID)
    assert used(cache) == (0, 0, 0)


def test_t44_a_bind_that_happened_elsewhere_moves_the_pod(cache: ClusterCache) -> None:
    assumed(cache)
    cache.upsert_pod(pod().on("n2").build())
    assert used(cache, "n1") == (0, 0, 0)
    assert used(cache, "n2") == (1000, 1, 1)
    assert not cache.forget(UID), "a bind that timed out but happened is not undone"


def test_t44_an_assumed_pod_without_news_is_overdue_but_keeps_its_room(cache: ClusterCache) -> None:
    assumed(cache)
    assert cache.overdue(1e9) == []
    cache.finish_binding(UID, deadline=30.0)
    assert cache.overdue(29.9) == []
    assert [p.uid for p in cache.overdue(30.0)] == [UID]
    assert used(cache) == (1000, 1, 1)
    cache.upsert_pod(pod().on("n1").build())
    assert cache.overdue(1e9) == []


@pytest.mark.parametrize("leave", ["forget", "remove", "end"])
def test_t44_no_deadline_outlives_its_pod(cache: ClusterCache, leave: str) -> None:
    assumed(cache)
    cache.finish_binding(UID, deadline=30.0)
    if leave == "forget":
        cache.forget(UID)
    elif leave == "remove":
        cache.remove_pod(UID)
    else:
        cache.upsert_pod(pod().on("n1").phase("Failed").build())
    assert cache.overdue(1e9) == []
    assert used(cache) == (0, 0, 0)


def test_assuming_twice_is_a_fault(cache: ClusterCache) -> None:
    assumed(cache)
    with pytest.raises(ValueError, match="already holds room"):
        assumed(cache, "n2")
    assert used(cache) == (1000, 1, 1)


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_t38_a_terminal_pod_holds_nothing(cache: ClusterCache, phase: str) -> None:
    assert cache.upsert_pod(pod().on("n1").phase(phase).build()) is None
    assert used(cache) == (0, 0, 0)
    cache.upsert_pod(pod().on("n1").phase("Running").build())
    cache.upsert_pod(pod().on("n1").phase(phase).build())
    assert used(cache) == (0, 0, 0)


def test_t38_a_terminating_pod_holds_its_room_until_it_is_gone(cache: ClusterCache) -> None:
    cache.upsert_pod(pod("4").on("n1").phase("Running").build())
    cache.upsert_pod(pod("4").on("n2").meta(uid="other", name="o").build())
    cache.upsert_pod(pod("4").on("n1").phase("Running").terminating().build())
    assert answer(cache, a_pod("new").asking(cpu="1")) == "0/2 nodes are available: 2 Insufficient cpu."
    cache.upsert_pod(pod("4").on("n1").phase("Succeeded").terminating().build())
    assert answer(cache, a_pod("new").asking(cpu="1")) == "n1"


def test_t39_releasing_twice_releases_once(cache: ClusterCache) -> None:
    cache.upsert_pod(pod().on("n1").build())
    cache.upsert_pod(pod("2").meta(uid="other", name="o").on("n1").build())
    cache.upsert_pod(pod().on("n1").phase("Succeeded").build())
    assert cache.remove_pod(UID) is None
    cache.upsert_pod(pod().on("n1").phase("Succeeded").build())
    assert used(cache) == (2000, 1, 1)


def test_the_same_news_twice_counts_once(cache: ClusterCache) -> None:
    for _ in range(3):
        cache.upsert_pod(pod().on("n1").build())
    assert used(cache) == (1000, 1, 1)


def test_a_pod_of_the_same_name_with_another_uid_is_another_pod(cache: ClusterCache) -> None:
    cache.upsert_pod(pod().on("n1").build())
    cache.upsert_pod(pod().meta(uid="second").on("n1").build())
    assert used(cache) == (2000, 2, 2)
    cache.remove_pod(UID)
    assert used(cache) == (1000, 1, 1)


def test_t36_a_resize_is_followed(cache: ClusterCache) -> None:
    def running(cpu: str, allocated: str) -> PodBuilder:
        status = {"name": "main", "allocatedResources": {"cpu": allocated}}
        return pod(cpu).on("n1").status(phase="Running", containerStatuses=[status])

    cache.upsert_pod(running("2", "2").build())
    cache.upsert_pod(running("1", "2").build())
    assert used(cache) == (2000, 1, 1)
    cache.upsert_pod(running("1", "1").build())
    assert used(cache) == (1000, 1, 1)
    cache.remove_pod(UID)
    assert used(cache) == (0, 0, 0)


def test_t36_one_pods_resize_is_not_its_twins(cache: ClusterCache) -> None:
    status = {"name": "main", "allocatedResources": {"cpu": "3"}}
    cache.upsert_pod(pod().on("n1").status(containerStatuses=[status]).build())
    cache.upsert_pod(pod().meta(uid="twin", name="twin").on("n2").build())
    assert used(cache, "n1")[0] == 3000
    assert used(cache, "n2")[0] == 1000
    assert cache.classes.class_of(pod().build()).request == {"cpu": 1000}


def test_a_pod_level_resize_is_followed(cache: ClusterCache) -> None:
    def running(actual: str) -> PodBuilder:
        return pod().on("n1").spec(resources={"requests": {"cpu": "1"}}).status(resources={"requests": {"cpu": actual}})

    cache.upsert_pod(running("3").build())
    assert used(cache)[0] == 3000
    cache.upsert_pod(running("1").build())
    assert used(cache)[0] == 1000


@pytest.mark.parametrize("confirmed", [False, True], ids=["pending", "assumed before"])
def test_a_bound_pods_nomination_ends(cache: ClusterCache, confirmed: bool) -> None:
    if confirmed:
        assumed(cache)
    cache.nominate(pod().build(), "n2")
    cache.upsert_pod(pod().on("n1").build())
    assert cache.nominations == {}


def test_a_removed_pods_nomination_ends(cache: ClusterCache) -> None:
    cache.nominate(pod().build(), "n2")
    cache.remove_pod(UID)
    assert not cache.clear_nomination(UID)


def test_t43_pods_bound_by_the_leader_before_us_are_counted_before_we_decide() -> None:
    cache = a_cluster(a_node("n1"))
    for i in range(168):
        cache.upsert_pod(a_pod(f"p{i}").on("n1").build())
    assert answer(cache, a_pod("new")) == "0/1 nodes are available: 1 Too many pods."
    for i in range(58):
        cache.remove_pod(f"default/p{i}")
    assert answer(cache, a_pod("new")) == "0/1 nodes are available: 1 Too many pods."
    cache.remove_pod("default/p58")
    assert answer(cache, a_pod("new")) == "n1"
