"""Required pod affinity and anti-affinity, in both directions."""

import pytest
from builders import HOSTNAME, ZONE, Builder, PodBuilder, a_cluster, a_namespace, a_node, a_pod
from deciding import answer, feasible

AFFINITY = "node(s) didn't match pod affinity rules"
ANTI = "node(s) didn't match pod anti-affinity rules"
EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"
NODES: list[Builder] = [a_node("n0").zone("z0"), a_node("n1").zone("z0"), a_node("n2").zone("z1"), a_node("bare")]
A, B = {"app": "a"}, {"app": "b"}


def pod(app: str = "x", name: str = "", namespace: str = "default") -> PodBuilder:
    return a_pod(name or app, namespace).labelled(app=app)


SPACES = [a_namespace("default", team="blue"), a_namespace("ns1", team="red"), a_namespace("ns2", team="blue")]
IN_NS1 = pod("a", "p", "ns1").on("n0")

CASES = {
    "near, by zone": ([pod("a").on("n0")], pod().near(ZONE, A), ["n0", "n1"]),
    "near, by host": ([pod("a").on("n0")], pod().near(HOSTNAME, A), ["n0"]),
    "near nobody": ([], pod().near(ZONE, A), []),
    "T6 two terms, each met by another pod": (
        [pod("a").on("n0"), pod("b").on("n1")],
        pod().near(ZONE, A).near(ZONE, {"tier": "t"}),
        [],
    ),
    "T6 two terms, met by one pod": (
        [pod("a").labelled(tier="t").on("n0")],
        pod().near(ZONE, A).near(ZONE, {"tier": "t"}),
        ["n0", "n1"],
    ),
    "T6 two terms over two keys, met by one pod": (
        [pod("a").labelled(tier="t").on("n0")],
        pod().near(ZONE, A).near(HOSTNAME, {"tier": "t"}),
        ["n0"],
    ),
    "T7 the first of its own kind": ([], pod("a").near(ZONE, A), ["n0", "n1", "n2"]),
    "T7 the second goes to the first": ([pod("a").on("n2")], pod("a", "b").near(ZONE, A), ["n2"]),
    "T7 the first, not of its own kind": ([], pod("b").near(ZONE, A), []),
    "T7 the first, matching one of two terms": ([], pod("a").near(ZONE, A).near(ZONE, {"tier": "t"}), []),
    "T7 a match elsewhere that only meets one term leaves it the first": (
        [pod("a").on("n0")],
        pod("a", "new").labelled(tier="t").near(ZONE, A).near(ZONE, {"tier": "t"}),
        ["n0", "n1", "n2"],
    ),
    "T7 a match where no node has the key leaves it the first": (
        [pod("a").on("bare")],
        pod("a", "new").near(ZONE, A),
        ["n0", "n1", "n2"],
    ),
    "T9 nothing said: the pod's own namespace": ([IN_NS1], pod().near(ZONE, A), []),
    "T9 nothing said, from that namespace": ([IN_NS1], pod("x", namespace="ns1").near(ZONE, A), ["n0", "n1"]),
    "T9 empty list: the pod's own namespace": ([IN_NS1], pod().near(ZONE, A, namespaces=[]), []),
    "T9 listed": ([IN_NS1], pod().near(ZONE, A, namespaces=["ns1"]), ["n0", "n1"]),
    "T9 empty selector: all": ([IN_NS1], pod().near(ZONE, A, namespaceSelector={}), ["n0", "n1"]),
    "T9 selected": ([IN_NS1], pod().near(ZONE, A, namespaceSelector={"matchLabels": {"team": "red"}}), ["n0", "n1"]),
    "T9 not selected": ([IN_NS1], pod().near(ZONE, A, namespaceSelector={"matchLabels": {"team": "blue"}}), []),
    "T9 listed or selected": (
        [IN_NS1],
        pod().near(ZONE, A, namespaces=["ns1"], namespaceSelector={"matchLabels": {"team": "blue"}}),
        ["n0", "n1"],
    ),
    "apart, by zone": ([pod("a").on("n0")], pod().apart(ZONE, A), ["bare", "n2"]),
    "apart, by host": ([pod("a").on("n0")], pod().apart(HOSTNAME, A), ["bare", "n1", "n2"]),
    "apart from its own kind": ([pod("a", "p").on("n0")], pod("a").apart(HOSTNAME, A), ["bare", "n1", "n2"]),
    "apart, two terms: any of them refuses": (
        [pod("a").on("n0"), pod("b").on("n2")],
        pod().apart(HOSTNAME, A).apart(HOSTNAME, B),
        ["bare", "n1"],
    ),
    "a pod in place keeps others away": ([pod("a").apart(ZONE, B).on("n0")], pod("b"), ["bare", "n2"]),
    "a pod in place keeps away whom it names": (
        [pod("a").apart(ZONE, B).on("n0")],
        pod("c"),
        ["bare", "n0", "n1", "n2"],
    ),
    "a pod in place, by namespace": (
        [pod("a").apart(ZONE, B, namespaceSelector={"matchLabels": {"team": "red"}}).on("n0")],
        pod("b", namespace="ns1"),
        ["bare", "n2"],
    ),
    "a pod in place, of another namespace": (
        [pod("a").apart(ZONE, B).on("n0")],
        pod("b", namespace="ns1"),
        ["bare", "n0", "n1", "n2"],
    ),
    "a terminating pod still counts": ([pod("a").terminating().on("n0")], pod().near(HOSTNAME, A), ["n0"]),
    "a nil selector matches nobody": ([pod("a").on("n0")], pod().apart(HOSTNAME, None), ["bare", "n0", "n1", "n2"]),
    "an empty selector matches everybody": ([pod("a").on("n0")], pod().apart(HOSTNAME, {}), ["bare", "n1", "n2"]),
}


@pytest.mark.parametrize(("placed", "new", "want"), CASES.values(), ids=CASES.keys())
def test_where_a_pod_may_go(placed: list[Builder], new: PodBuilder, want: list[str]) -> None:
    assert feasible(a_cluster(*SPACES, *NODES, *placed), new) == want


@pytest.mark.parametrize(
    ("placed", "new", "want"),
    [
        (
            [pod("a").on("n0")],
            pod().near(HOSTNAME, A).apart(ZONE, A),
            f"0/3 nodes are available: 1 {ANTI}, 2 {AFFINITY}.",
        ),
        ([], pod().near(ZONE, A), f"0/3 nodes are available: 3 {AFFINITY}."),
        (
            [pod("a").apart(ZONE, B).on("n0"), pod("c").on("n2")],
            pod("b").apart(HOSTNAME, {"app": "c"}),
            f"0/3 nodes are available: 1 {ANTI}, 2 {EXISTING}.",
        ),
    ],
    ids=["affinity is said first", "affinity alone", "both kinds of anti-affinity"],
)
def test_what_is_said(placed: list[Builder], new: PodBuilder, want: str) -> None:
    assert answer(a_cluster(*NODES[:3], *placed), new) == want


def test_a_relabelled_namespace_changes_who_is_meant() -> None:
    term = {"namespaceSelector": {"matchLabels": {"team": "red"}}}
    cache = a_cluster(*SPACES, *NODES, IN_NS1, pod("a", "keeper").apart(ZONE, B, **term).on("n2"))
    assert feasible(cache, pod().near(ZONE, A, **term)) == ["n0", "n1"]
    assert feasible(cache, pod("b", namespace="ns2")) == ["bare", "n0", "n1", "n2"]
    cache.put("Namespace", a_namespace("ns1", team="blue").build())
    cache.put("Namespace", a_namespace("ns2", team="red").build())
    assert feasible(cache, pod().near(ZONE, A, **term)) == []
    assert feasible(cache, pod("b", namespace="ns2")) == ["bare", "n0", "n1"]


def test_a_relabelled_pod_changes_who_matches() -> None:
    cache = a_cluster(*NODES, pod("b", "p").on("n0"))
    assert feasible(cache, pod().near(HOSTNAME, A)) == []
    cache.upsert_pod(pod("a", "p").on("n0").build())
    assert feasible(cache, pod().near(HOSTNAME, A)) == ["n0"]
