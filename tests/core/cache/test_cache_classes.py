"""Pods that scheduling cannot tell apart share a class; those it can do not."""

from typing import Any

import pytest
from builders import ZONE, PodBuilder, a_cluster, a_node, a_pod, a_service, expression, labels_term
from deciding import answer, profile_with

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Placement
from tenantry_core.cycle.run import Cycle
from tenantry_core.plugins.node_resources import NodeResourcesFit
from tenantry_core.plugins.resource_scores import most_allocated


def base() -> PodBuilder:
    return a_pod("p").asking(cpu="1").labelled(app="web")


SAME: dict[str, PodBuilder] = {
    "name and uid": base().meta(name="q", uid="q"),
    "a label nobody looks at": base().labelled({"apps.kubernetes.io/pod-index": "3"}),
    "annotations and times": base().meta(annotations={"a": "b"}, creationTimestamp="2026-01-01T00:00:00Z"),
    "status": base().status(phase="Running", containerStatuses=[{"name": "main", "allocatedResources": {"cpu": "2"}}]),
    "a node": base().on("n1"),
    "an owner that selects nothing": base().meta(
        ownerReferences=[{"kind": "Job", "name": "j", "uid": "j", "apiVersion": "batch/v1", "controller": True}]
    ),
    "a volume that plays no part": base().spec(volumes=[{"name": "v", "emptyDir": {}}]),
}
DIFFERENT: dict[str, PodBuilder] = {
    "namespace": base().meta(namespace="other"),
    "request": base().asking(cpu="2"),
    "priority": base().priority(1),
    "policy": base().spec(preemptionPolicy="Never"),
    "scheduler": base().spec(schedulerName="other"),
    "selector": base().selecting(disk="fast"),
    "affinity": base().wants_nodes(labels_term(expression("disk", "Exists"))),
    "toleration": base().tolerating(operator="Exists"),
    "port": base().port(80),
    "image": base().image("registry.example/other:v1"),
    "spread": base().spread(ZONE, {"app": "web"}),
    "claim": base().spec(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]),
    "overhead": base().spec(overhead={"cpu": "1m"}),
}


@pytest.mark.parametrize("other", SAME.values(), ids=SAME.keys())
def test_shared(other: PodBuilder) -> None:
    cache = ClusterCache()
    assert cache.classes.class_of(base().build()) is cache.classes.class_of(other.build())


@pytest.mark.parametrize("other", DIFFERENT.values(), ids=DIFFERENT.keys())
def test_not_shared(other: PodBuilder) -> None:
    cache = ClusterCache()
    assert cache.classes.class_of(base().build()) is not cache.classes.class_of(other.build())


def seen_by_service(cache: ClusterCache) -> None:
    cache.put("Service", a_service("s", {"tier": "x"}).build())


def seen_by_spread(cache: ClusterCache) -> None:
    cache.classes.class_of(a_pod().spread(ZONE, {"tier": "x"}).build())


def seen_by_label_key(cache: ClusterCache) -> None:
    cache.classes.class_of(a_pod().spread(ZONE, {"app": "web"}, matchLabelKeys=["tier"]).build())


def seen_by_affinity(cache: ClusterCache) -> None:
    cache.upsert_pod(a_pod("holder").apart(ZONE, {"tier": "x"}).on("n1").build())


@pytest.mark.parametrize("look", [seen_by_service, seen_by_spread, seen_by_label_key, seen_by_affinity])
@pytest.mark.parametrize("order", ["with the label first", "without it first"])
def test_a_rule_that_looks_at_a_label_tells_pods_apart_from_then_on(look: Any, order: str) -> None:
    cache = ClusterCache()
    pods = [base().labelled(tier="x").build(), base().build()]
    if order == "without it first":
        pods.reverse()
    assert cache.classes.class_of(pods[0]) is cache.classes.class_of(pods[1])
    version = cache.classes.version
    look(cache)
    assert cache.classes.version > version
    for pod in pods:
        assert cache.classes.class_of(pod).labels == pod.metadata.labels


def test_a_class_seen_before_the_rule_does_not_lend_its_labels() -> None:
    holder = a_pod("holder").apart(ZONE, {"tier": "x"}).on("n1")
    cache = a_cluster(a_node("n1").zone("z1"))
    cache.classes.class_of(base().labelled(tier="x").build())
    cache.upsert_pod(holder.build())
    assert answer(cache, base()) == "n1"


def test_profiles_share_one_cache_and_each_scores_its_own_way() -> None:
    cache = a_cluster(a_node("busy"), a_node("idle"), a_pod("x").asking(cpu="2", memory="8Gi").on("busy"))
    spreading = Cycle(cache, profile_with())
    packing = Cycle(cache, profile_with(NodeResourcesFit(most_allocated((("cpu", 1), ("memory", 1))))))
    pod = base().asking(memory="2Gi").build()
    cls = cache.classes.class_of(pod)
    for _ in range(2):
        assert [_node(spreading.decide(pod, cls)), _node(packing.decide(pod, cls))] == ["idle", "busy"]
    cache.upsert_pod(a_pod("y").asking(cpu="2").on("busy").build())
    assert [_node(spreading.decide(pod, cls)), _node(packing.decide(pod, cls))] == ["idle", "idle"]


def _node(decision: object) -> str:
    assert isinstance(decision, Placement)
    return decision.node
