"""Taints and tolerations: what refuses, what only costs points."""

from typing import Any

import pytest
from builders import PodBuilder, a_cluster, a_node, a_pod
from deciding import answer, scores

from tenantry_core.model.objects import Taint, Toleration
from tenantry_core.plugins.masks import tolerates
from tenantry_core.plugins.taint_toleration import TaintToleration

TAINT = Taint(key="k", value="v", effect="NoSchedule")


@pytest.mark.parametrize(
    ("toleration", "want"),
    [
        ({"key": "k", "value": "v"}, True),
        ({"key": "k", "value": "v", "operator": "Equal", "effect": "NoSchedule"}, True),
        ({"key": "k", "value": "v", "operator": ""}, True),
        ({"key": "k", "value": "other"}, False),
        ({"key": "other", "value": "v"}, False),
        ({"key": "k", "value": "v", "effect": "NoExecute"}, False),
        ({"key": "k", "operator": "Exists"}, True),
        ({"key": "other", "operator": "Exists"}, False),
        ({"operator": "Exists"}, True),
        ({"operator": "Exists", "effect": "NoSchedule"}, True),
        ({"operator": "Exists", "effect": "PreferNoSchedule"}, False),
        ({"operator": "Equal", "value": "v"}, False),
        ({"key": "k", "operator": "Lt", "value": "v"}, False),
    ],
    ids=lambda v: " ".join(f"{k}={x}" for k, x in v.items()) if isinstance(v, dict) else str(v),
)
def test_tolerates(toleration: dict[str, str], want: bool) -> None:
    assert tolerates(Toleration(**toleration), TAINT) is want


REFUSED = "0/1 nodes are available: 1 node(s) had untolerated taint(s)."
FILTER: dict[str, Any] = {
    "no taint": ([], a_pod(), "node"),
    "NoSchedule": ([("k", "NoSchedule")], a_pod(), REFUSED),
    "NoExecute": ([("k", "NoExecute")], a_pod(), REFUSED),
    "PreferNoSchedule": ([("k", "PreferNoSchedule")], a_pod(), "node"),
    "one of two tolerated": (
        [("k", "NoSchedule"), ("l", "NoExecute")],
        a_pod().tolerating(key="k", operator="Exists"),
        REFUSED,
    ),
    "both tolerated": (
        [("k", "NoSchedule"), ("l", "NoExecute")],
        a_pod().tolerating(key="k", operator="Exists").tolerating(key="l", operator="Exists", tolerationSeconds=3),
        "node",
    ),
    "everything tolerated": ([("k", "NoSchedule"), ("l", "NoExecute")], a_pod().tolerating(operator="Exists"), "node"),
}


@pytest.mark.parametrize(("taints", "pod", "want"), FILTER.values(), ids=FILTER.keys())
def test_filter(taints: list[tuple[str, str]], pod: PodBuilder, want: str) -> None:
    node = a_node()
    for key, effect in taints:
        node.taint(key, effect)
    assert answer(a_cluster(node), pod) == want


SOFT = "PreferNoSchedule"
CLUSTER = [a_node("n0"), a_node("n1").taint("a", SOFT), a_node("n2").taint("a", SOFT).taint("b", SOFT).taint("c", SOFT)]
SCORES: dict[str, Any] = {
    "fewer are better": (a_pod(), [100, 67, 0]),
    "tolerated ones cost nothing": (a_pod().tolerating(key="b", operator="Exists"), [100, 50, 0]),
    "hard effects alone do not cover": (
        a_pod().tolerating(key="b", operator="Exists", effect="NoSchedule"),
        [100, 67, 0],
    ),
    "all tolerated": (a_pod().tolerating(operator="Exists", effect=SOFT), [100, 100, 100]),
}


@pytest.mark.parametrize(("pod", "want"), SCORES.values(), ids=SCORES.keys())
def test_scores(pod: PodBuilder, want: list[int]) -> None:
    assert list(scores(a_cluster(*CLUSTER), pod, TaintToleration(), ["n0", "n1", "n2"]).values()) == want
