"""Node affinity: selector, required terms, preferred terms, and what a profile adds."""

from typing import Any

import msgspec
import pytest
from builders import PREFERRED, REQUIRED, PodBuilder, a_cluster, a_node, a_pod, expression, labels_term, named_term
from deciding import answer, feasible, profile_with, scores

from tenantry_core.model.objects import NodeAffinity as RawAffinity
from tenantry_core.plugins.node_affinity import NodeAffinity

CLUSTER = [
    a_node("fast").labelled(disk="fast", size="10"),
    a_node("slow").labelled(disk="slow", size="5"),
    a_node("none"),
]
FAST, SLOW = labels_term(expression("disk", "In", "fast")), labels_term(expression("disk", "In", "slow"))

FILTER = {
    "nothing asked": (a_pod(), ["fast", "none", "slow"]),
    "selector": (a_pod().selecting(disk="fast"), ["fast"]),
    "selector of two labels": (a_pod().selecting(disk="fast", size="5"), []),
    "any of the terms": (a_pod().wants_nodes(FAST, SLOW), ["fast", "slow"]),
    "all expressions of a term": (
        a_pod().wants_nodes(labels_term(expression("disk", "Exists"), expression("size", "Gt", "5"))),
        ["fast"],
    ),
    "selector and terms": (a_pod().selecting(disk="fast").wants_nodes(SLOW), []),
    "no terms match nothing": (a_pod().wants_nodes(), []),
    "an empty term matches nothing": (a_pod().wants_nodes({}), []),
    "an empty term beside another": (a_pod().wants_nodes({}, FAST), ["fast"]),
    "not in": (a_pod().wants_nodes(labels_term(expression("disk", "NotIn", "slow"))), ["fast", "none"]),
    "does not exist": (a_pod().wants_nodes(labels_term(expression("disk", "DoesNotExist"))), ["none"]),
    "less than": (a_pod().wants_nodes(labels_term(expression("size", "Lt", "10"))), ["slow"]),
    "by name": (a_pod().wants_nodes(named_term("none")), ["none"]),
    "by name, not in": (
        a_pod().wants_nodes({"matchFields": [expression("metadata.name", "NotIn", "none")]}),
        ["fast", "slow"],
    ),
    "by name and label": (a_pod().wants_nodes({**named_term("fast", "slow"), **SLOW}), ["slow"]),
    "a field that does not exist": (
        a_pod().wants_nodes({"matchFields": [expression("metadata.uid", "In", "none")]}),
        [],
    ),
}


@pytest.mark.parametrize(("pod", "want"), FILTER.values(), ids=FILTER.keys())
def test_filter(pod: PodBuilder, want: list[str]) -> None:
    assert feasible(a_cluster(*CLUSTER), pod) == want


SCORES = {
    "nothing preferred": (a_pod(), [0, 0, 0]),
    "one term": (a_pod().prefers_nodes(5, FAST), [100, 0, 0]),
    "two terms": (a_pod().prefers_nodes(5, FAST).prefers_nodes(2, SLOW), [100, 40, 0]),
    "weights add up": (
        a_pod().prefers_nodes(1, FAST).prefers_nodes(3, labels_term(expression("disk", "Exists"))),
        [100, 75, 0],
    ),
    "nothing matches": (a_pod().prefers_nodes(9, labels_term(expression("gpu", "Exists"))), [0, 0, 0]),
    "an empty preference matches nothing": (a_pod().prefers_nodes(9, {}), [0, 0, 0]),
}


@pytest.mark.parametrize(("pod", "want"), SCORES.values(), ids=SCORES.keys())
def test_scores(pod: PodBuilder, want: list[int]) -> None:
    found = scores(a_cluster(*CLUSTER), pod, NodeAffinity(), ["fast", "slow", "none"])
    assert list(found.values()) == want


def added(raw: dict[str, Any]) -> NodeAffinity:
    return NodeAffinity(msgspec.convert(raw, RawAffinity))


ENFORCED = added({REQUIRED: {"nodeSelectorTerms": [FAST]}})


def test_a_profiles_required_affinity_holds_for_every_pod() -> None:
    cache, profile = a_cluster(*CLUSTER), profile_with(ENFORCED)
    assert feasible(cache, a_pod(), profile) == ["fast"]
    assert answer(cache, a_pod().selecting(disk="slow"), profile) == (
        "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, "
        "2 node(s) didn't match scheduler-enforced node affinity."
    )


def test_a_profiles_preferred_affinity_adds_to_the_pods() -> None:
    plugin = added({PREFERRED: [{"weight": 3, "preference": SLOW}]})
    cache = a_cluster(*CLUSTER)
    assert scores(cache, a_pod(), plugin, ["fast", "slow", "none"]) == {"fast": 0, "slow": 100, "none": 0}
    pod = a_pod().prefers_nodes(1, FAST)
    assert scores(cache, pod, plugin, ["fast", "slow", "none"]) == {"fast": 33, "slow": 100, "none": 0}
