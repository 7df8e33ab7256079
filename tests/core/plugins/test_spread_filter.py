"""Hard spread constraints: skew, missing labels, who counts and which nodes do."""

import pytest
from builders import HOSTNAME, ZONE, Builder, PodBuilder, a_cluster, a_node, a_pod
from deciding import answer, feasible

NO = "node(s) didn't match pod topology spread constraints"
MISSING = f"{NO} (missing required label)"
WEB = {"app": "web"}


def web(name: str = "new") -> PodBuilder:
    return a_pod(name).labelled(app="web")


def zones(*counts: int) -> list[Builder]:
    """A node per zone, holding so many web pods."""
    found: list[Builder] = []
    for i, count in enumerate(counts):
        found.append(a_node(f"n{i}").zone(f"z{i}"))
        found += [web(f"p{i}-{j}").on(f"n{i}") for j in range(count)]
    return found


ALLOWED = {
    "even: everywhere": (zones(1, 1, 1), web().spread(ZONE, WEB), ["n0", "n1", "n2"]),
    "one behind: only there": (zones(1, 0, 1), web().spread(ZONE, WEB), ["n1"]),
    "a wider skew": (zones(2, 0, 1), web().spread(ZONE, WEB, maxSkew=2), ["n1", "n2"]),
    "the pod itself does not match": (zones(1, 0, 2), a_pod("x").spread(ZONE, WEB), ["n0", "n1"]),
    "a nil selector counts nobody": (zones(5, 0), web().spread(ZONE, None), ["n0", "n1"]),
    "an empty selector counts nobody": (zones(5, 0), web().spread(ZONE, {}), ["n0", "n1"]),
    "fewer domains than wanted: the least is 0": (zones(1, 1), web().spread(ZONE, WEB, minDomains=3), []),
    "as many domains as wanted": (zones(1, 1, 1), web().spread(ZONE, WEB, minDomains=3), ["n0", "n1", "n2"]),
    "two constraints must both hold": (
        [*zones(1, 0), a_node("n2").zone("z1"), web("q").on("n2")],
        web().spread(ZONE, WEB).spread(HOSTNAME, WEB),
        ["n1"],
    ),
    "pods of other namespaces do not count": (
        [*zones(0, 0), a_pod("other", "elsewhere").labelled(app="web").on("n0")],
        web().spread(ZONE, WEB),
        ["n0", "n1"],
    ),
    "T3 terminating pods do not count": (
        [*zones(1, 1), web("ending").on("n0").terminating(), web("ending2").on("n0").terminating()],
        web().spread(ZONE, WEB),
        ["n0", "n1"],
    ),
    "T3 only the pods of the new revision count": (
        zones(0, 0, 0)
        + [web(f"old{i}").labelled(rev="1").on("n0") for i in range(3)]
        + [web("fresh").labelled(rev="2").on("n1")],
        web().labelled(rev="2").spread(ZONE, WEB, matchLabelKeys=["rev"]),
        ["n0", "n2"],
    ),
    "T3 without the key the old revision counts": (
        [*zones(0, 0, 0), web("old").labelled(rev="1").on("n0")],
        web().labelled(rev="2").spread(ZONE, WEB),
        ["n1", "n2"],
    ),
    "a key of matchLabelKeys that the pod lacks is left out": (
        zones(1, 0),
        web().spread(ZONE, WEB, matchLabelKeys=["rev"]),
        ["n1"],
    ),
    "nodes that the selector leaves out do not lower the least": (
        [a_node("n0").zone("z0").labelled(disk="fast"), a_node("n1").zone("z1"), web("p").on("n0")],
        web().selecting(disk="fast").spread(ZONE, WEB),
        ["n0"],
    ),
    "unless they are asked to": (
        [a_node("n0").zone("z0").labelled(disk="fast"), a_node("n1").zone("z1"), web("p").on("n0")],
        web().selecting(disk="fast").spread(ZONE, WEB, nodeAffinityPolicy="Ignore"),
        [],
    ),
    "T4 a tainted zone pins the least at 0": (
        [*zones(1, 1), a_node("n2").zone("z2").taint("x")],
        web().spread(ZONE, WEB),
        [],
    ),
    "T4 with taints honoured it is left out": (
        [*zones(1, 1), a_node("n2").zone("z2").taint("x")],
        web().spread(ZONE, WEB, nodeTaintsPolicy="Honor"),
        ["n0", "n1"],
    ),
    "nodes without all keys are no domains": (
        [*zones(1), a_node("bare").meta(labels={ZONE: "z9"})],
        web().spread(ZONE, WEB).spread(HOSTNAME, WEB, maxSkew=5),
        ["n0"],
    ),
}


@pytest.mark.parametrize(("cluster", "pod", "want"), ALLOWED.values(), ids=ALLOWED.keys())
def test_where_a_pod_may_go(cluster: list[Builder], pod: PodBuilder, want: list[str]) -> None:
    assert feasible(a_cluster(*cluster), pod) == want


MESSAGES = {
    "T1 a key that no node has": (
        [a_node("n0"), a_node("n1")],
        web().spread(ZONE, WEB),
        f"0/2 nodes are available: 2 {MISSING}.",
    ),
    "some lack it, others are too full": (
        [*zones(1), a_node("bare"), a_node("t").zone("z1").taint("x")],
        web().spread(ZONE, WEB),
        f"0/3 nodes are available: 1 {NO}, 1 {MISSING}, 1 node(s) had untolerated taint(s).",
    ),
    "T4 pending beside a tainted zone": (
        [*zones(1, 1), a_node("n2").zone("z2").taint("x")],
        web().spread(ZONE, WEB),
        f"0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 {NO}.",
    ),
}


@pytest.mark.parametrize(("cluster", "pod", "want"), MESSAGES.values(), ids=MESSAGES.keys())
def test_what_is_said(cluster: list[Builder], pod: PodBuilder, want: str) -> None:
    assert answer(a_cluster(*cluster), pod) == want


def test_t3_a_pod_stops_counting_when_its_deletion_begins() -> None:
    cache = a_cluster(*zones(1, 0))
    assert feasible(cache, web().spread(ZONE, WEB)) == ["n1"]
    cache.upsert_pod(web("p0-0").on("n0").terminating().build())
    assert feasible(cache, web().spread(ZONE, WEB)) == ["n0", "n1"]


def test_t3_a_rollout_ends_even() -> None:
    cache = a_cluster(*zones(0, 0, 0))
    new = web().labelled(rev="2").spread(ZONE, WEB, matchLabelKeys=["rev"])
    for i in range(6):
        cache.upsert_pod(web(f"old{i}").labelled(rev="1").on(f"n{i % 2}").build())
    places = []
    for i in range(6):
        node = answer(cache, new)
        places.append(node)
        cache.upsert_pod(web(f"new{i}").labelled(rev="2").on(node).build())
        cache.upsert_pod(web(f"old{i}").labelled(rev="1").on(f"n{i % 2}").terminating().build())
    assert sorted(places) == ["n0", "n0", "n1", "n1", "n2", "n2"]
