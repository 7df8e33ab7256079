"""Scores of pod affinity: preferred terms of both sides, the hard weight, and leaving pods in place out."""

import pytest
from builders import HOSTNAME, ZONE, Builder, PodBuilder, a_cluster, a_node, a_pod
from deciding import scores

from tenantry_core.plugins.pod_affinity import InterPodAffinity

NODES: list[Builder] = [a_node("n0").zone("z0"), a_node("n1").zone("z0"), a_node("n2").zone("z1"), a_node("n3")]
A = {"app": "a"}


def pod(app: str = "x", name: str = "") -> PodBuilder:
    return a_pod(name or app).labelled(app=app)


DEFAULT = InterPodAffinity()
CASES = {
    "nobody around": (DEFAULT, [], pod().near(ZONE, A, 10), [0, 0, 0, 0]),
    "nothing preferred": (DEFAULT, [pod("a").on("n0")], pod(), [0, 0, 0, 0]),
    "preferred, by zone": (DEFAULT, [pod("a").on("n0")], pod().near(ZONE, A, 10), [100, 100, 0, 0]),
    "preferred, by host": (DEFAULT, [pod("a").on("n0")], pod().near(HOSTNAME, A, 10), [100, 0, 0, 0]),
    "more pods weigh more": (
        DEFAULT,
        [pod("a", "1").on("n0"), pod("a", "2").on("n0"), pod("a", "3").on("n2")],
        pod().near(HOSTNAME, A, 10),
        [100, 0, 50, 0],
    ),
    "not preferred": (DEFAULT, [pod("a").on("n0")], pod().apart(ZONE, A, 10), [0, 0, 100, 100]),
    "both, between the lowest and the highest": (
        DEFAULT,
        [pod("a").on("n0"), pod("b").on("n2")],
        pod().near(HOSTNAME, A, 50).apart(HOSTNAME, {"app": "b"}, 100),
        [100, 66, 0, 66],
    ),
    "a pod in place prefers the new one": (
        DEFAULT,
        [pod("a").near(ZONE, {"app": "x"}, 7).on("n2")],
        pod(),
        [0, 0, 100, 0],
    ),
    "a pod in place would rather not": (
        DEFAULT,
        [pod("a").apart(ZONE, {"app": "x"}, 7).on("n2")],
        pod(),
        [100, 100, 0, 100],
    ),
    "a pod in place needs such pods: weight 1": (
        DEFAULT,
        [pod("a").near(HOSTNAME, {"app": "x"}).on("n0"), pod("b").near(HOSTNAME, {"app": "x"}, 2).on("n1")],
        pod(),
        [50, 100, 0, 0],
    ),
    "the hard weight is the profile's": (
        InterPodAffinity(hard_weight=100),
        [pod("a").near(HOSTNAME, {"app": "x"}).on("n0"), pod("b").near(HOSTNAME, {"app": "x"}, 2).on("n1")],
        pod(),
        [100, 2, 0, 0],
    ),
    "a hard weight of 0 adds nothing": (
        InterPodAffinity(hard_weight=0),
        [pod("a").near(HOSTNAME, {"app": "x"}).on("n0")],
        pod(),
        [0, 0, 0, 0],
    ),
    "pods in place left out, the pod prefers nothing": (
        InterPodAffinity(ignore_existing=True),
        [pod("a").near(ZONE, {"app": "x"}, 7).on("n2"), pod("b").near(ZONE, {"app": "x"}).on("n2")],
        pod(),
        [0, 0, 0, 0],
    ),
    "pods in place are heard where the pod prefers something": (
        InterPodAffinity(ignore_existing=True),
        [pod("a").near(ZONE, {"app": "x"}, 7).on("n2")],
        pod().near(HOSTNAME, {"app": "nobody"}, 1),
        [0, 0, 100, 0],
    ),
}


@pytest.mark.parametrize(("plugin", "placed", "new", "want"), CASES.values(), ids=CASES.keys())
def test_scores(plugin: InterPodAffinity, placed: list[Builder], new: PodBuilder, want: list[int]) -> None:
    found = scores(a_cluster(*NODES, *placed), new, plugin, ["n0", "n1", "n2", "n3"])
    assert list(found.values()) == want
