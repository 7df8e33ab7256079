"""Golden scores of soft spread constraints."""

import pytest
from builders import HOSTNAME, ZONE, Builder, PlainBuilder, PodBuilder, a_cluster, a_node, a_pod, a_service
from deciding import scores

from tenantry_core.plugins.spread_defaults import DefaultConstraint, DefaultConstraints
from tenantry_core.plugins.topology_spread import PodTopologySpread

WEB = {"app": "web"}
SOFT = {"whenUnsatisfiable": "ScheduleAnyway"}


def web(name: str = "new") -> PodBuilder:
    return a_pod(name).labelled(app="web")


def soft(key: str, skew: int = 1) -> PodBuilder:
    return web().spread(key, WEB, maxSkew=skew, **SOFT)


def nodes(*counts: int) -> list[Builder]:
    """Nodes n0, n1, …, each in a zone of its own, with so many web pods."""
    found: list[Builder] = []
    for i, count in enumerate(counts):
        found.append(a_node(f"n{i}").zone(f"z{i}"))
        found += [web(f"p{i}-{j}").on(f"n{i}") for j in range(count)]
    return found


GOLDEN = {
    "hostname, skew 1": (nodes(2, 1, 0, 3), soft(HOSTNAME), [20, 60, 100, 0]),
    "hostname, skew 2": (nodes(2, 1, 0, 3), soft(HOSTNAME, 2), [33, 66, 100, 16]),
    "zone, skew 1": (nodes(2, 1, 0), soft(ZONE), [0, 33, 100]),
    "zone, skew 5": (nodes(20, 10, 0), soft(ZONE, 5), [11, 55, 100]),
    "all empty": (nodes(0, 0), soft(ZONE), [100, 100]),
    "hard alone is not scored": (nodes(0, 0), web().spread(ZONE, WEB), [0, 0]),
    "terminating pods do not count": ([*nodes(1, 1), web("t").on("n0").terminating()], soft(ZONE), [100, 100]),
    "a node without the key scores 0": (
        [*nodes(1, 0), a_node("n2")],
        soft(ZONE),
        [0, 100, 0],
    ),
}


@pytest.mark.parametrize(("cluster", "pod", "want"), GOLDEN.values(), ids=GOLDEN.keys())
def test_scores(cluster: list[Builder], pod: PodBuilder, want: list[int]) -> None:
    names = [f"n{i}" for i in range(len(want))]
    assert list(scores(a_cluster(*cluster), pod, PodTopologySpread(), names).values()) == want


HOST, HOST_HARD = DefaultConstraint(1, HOSTNAME), DefaultConstraint(1, HOSTNAME, hard=True)
SERVICE = a_service("s", WEB)
BARE = [a_node("n0"), a_node("n1"), web("p").on("n0")]

DEFAULTS = {
    "system, behind a service, zones and hosts": (DefaultConstraints(), [*nodes(3, 0), SERVICE], web(), [42, 100]),
    "T2 system, no zone labels: hosts still count": (DefaultConstraints(), [*BARE, SERVICE], web(), [66, 100]),
    "system, nobody selects the pod": (DefaultConstraints(), nodes(3, 0), web(), [0, 0]),
    "system, a service selects others": (
        DefaultConstraints(),
        [*nodes(3, 0), a_service("s", {"app": "x"})],
        web(),
        [0, 0],
    ),
    "system, a service of another namespace": (
        DefaultConstraints(),
        [*nodes(3, 0), a_service("s", WEB, "elsewhere")],
        web(),
        [0, 0],
    ),
    "system, the pod brings its own": (
        DefaultConstraints(),
        [*nodes(2, 1, 0), SERVICE],
        soft(ZONE),
        [0, 33, 100],
    ),
    "system, the pod brings a hard one": (
        DefaultConstraints(),
        [*nodes(1, 1), web("q").on("n0"), SERVICE],
        web().spread(ZONE, WEB, maxSkew=5),
        [0, 0],
    ),
    "list": (DefaultConstraints([HOST], system=False), [*nodes(2, 1, 0, 3), SERVICE], web(), [20, 60, 100, 0]),
    "list, empty": (DefaultConstraints([], system=False), [*nodes(2, 0), SERVICE], web(), [0, 0]),
    "list: nodes without the key score 0": (
        DefaultConstraints([DefaultConstraint(1, ZONE)], system=False),
        [*nodes(1, 0), a_node("n2"), SERVICE],
        web(),
        [0, 100, 0],
    ),
}


@pytest.mark.parametrize(("defaults", "cluster", "pod", "want"), DEFAULTS.values(), ids=DEFAULTS.keys())
def test_default_constraints(
    defaults: DefaultConstraints, cluster: list[Builder], pod: PodBuilder, want: list[int]
) -> None:
    names = [f"n{i}" for i in range(len(want))]
    assert list(scores(a_cluster(*cluster), pod, PodTopologySpread(defaults), names).values()) == want


def test_hard_default_constraints_filter() -> None:
    plugin = PodTopologySpread(DefaultConstraints([HOST_HARD], system=False))
    cache = a_cluster(*nodes(1, 0, 1, 0), SERVICE)
    assert sorted(scores(cache, web(), plugin)) == ["n1", "n3"]
    assert sorted(scores(cache, web().meta(namespace="elsewhere"), plugin)) == ["n0", "n1", "n2", "n3"]
    assert sorted(scores(cache, soft(HOSTNAME), plugin)) == ["n0", "n1", "n2", "n3"]


@pytest.mark.parametrize(
    ("constraint", "want"),
    [
        (DefaultConstraint(1, ZONE, hard=True), ["n0", "n1"]),
        (DefaultConstraint(1, ZONE, hard=True, min_domains=5), []),
        (DefaultConstraint(1, ZONE, hard=True, honor_taints=True), ["n0", "n1"]),
    ],
    ids=["plain", "more domains wanted", "taints honoured"],
)
def test_default_constraints_keep_their_policies(constraint: DefaultConstraint, want: list[str]) -> None:
    cache = a_cluster(*nodes(1, 1), SERVICE)
    found = sorted(scores(cache, web(), PodTopologySpread(DefaultConstraints([constraint], system=False))))
    assert found == want


def test_owners_count_like_services() -> None:
    owner = {"kind": "ReplicaSet", "name": "web-1", "uid": "r", "apiVersion": "apps/v1", "controller": True}
    workload = PlainBuilder("ReplicaSet", "web-1", namespace="default").spec(selector={"matchLabels": WEB})
    cache = a_cluster(*nodes(3, 0), workload)
    pod = web().meta(ownerReferences=[owner])
    assert scores(cache, pod, PodTopologySpread(), ["n0", "n1"]) == {"n0": 42, "n1": 100}
    assert scores(cache, web(), PodTopologySpread(), ["n0", "n1"]) == {"n0": 0, "n1": 0}
