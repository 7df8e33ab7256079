"""Golden scores of NodeResourcesFit's strategies and of BalancedAllocation."""

from typing import Any

import pytest
from builders import NodeBuilder, PodBuilder, a_cluster, a_node, a_pod
from deciding import raw_score, scores

from tenantry_core.plugins.balanced_allocation import BalancedAllocation
from tenantry_core.plugins.node_resources import NodeResourcesFit
from tenantry_core.plugins.resource_scores import Weights, least_allocated, most_allocated, requested_to_capacity

GPU = "vendor.example/gpu"
BOTH: Weights = (("cpu", 1), ("memory", 1))
UP = [(0, 0), (100, 10)]
MAX = str((1 << 63) - 1)


def least(weights: Weights = BOTH) -> NodeResourcesFit:
    return NodeResourcesFit(least_allocated(weights))


def most(weights: Weights = BOTH) -> NodeResourcesFit:
    return NodeResourcesFit(most_allocated(weights))


def ratio(shape: list[tuple[int, int]], weights: Weights = BOTH) -> NodeResourcesFit:
    return NodeResourcesFit(requested_to_capacity(weights, shape))


def node(**amounts: str) -> NodeBuilder:
    return a_node("n1").allocating(amounts)


def used(**amounts: str) -> PodBuilder:
    return a_pod("there").asking(amounts).on("n1")


WORKED = (node(), used(cpu="1", memory="4Gi"), a_pod().asking(cpu="1", memory="2Gi"))
EMPTY = a_pod("there").asking(cpu="0", memory="0").on("n1")

SCORES = {
    "reference: least": (least(), *WORKED, 65),
    "reference: balanced": (BalancedAllocation(), *WORKED, 70),
    "most of the same": (most(), *WORKED, (50 + 18) // 2),
    "least, weighted": (least((("cpu", 3), ("memory", 1))), *WORKED, (3 * 50 + 81) // 4),
    "T34 no request counts 100m and 200Mi": (least(), node(memory="2000Mi"), EMPTY, a_pod(), (97 + 90) // 2),
    "T34 so do pods in place": (least(), node(memory="2000Mi"), a_pod("t").on("n1"), a_pod(), (95 + 80) // 2),
    "least, over capacity scores nothing": (
        least(),
        node(cpu="1"),
        used(cpu="1", memory="0"),
        a_pod().asking(memory="0", cpu="1"),
        50,
    ),
    "most, over capacity is full": (
        most(),
        node(cpu="1"),
        used(cpu="1", memory="0"),
        a_pod().asking(memory="0", cpu="1"),
        50,
    ),
    "no capacity is left out of the mean": (least(), node(memory="0"), EMPTY, a_pod().asking(cpu="1"), 75),
    "nothing to score": (least(), node(cpu="0", memory="0"), EMPTY, a_pod(), 0),
    "extended, asked for": (
        least(((GPU, 1),)),
        node(**{GPU: "4"}),
        used(**{GPU: "1"}),
        a_pod().asking({GPU: "1"}),
        50,
    ),
    "extended, not asked for": (least(((GPU, 1),)), node(**{GPU: "4"}), used(**{GPU: "1"}), a_pod(), 0),
    "extended, not asked for, is left out of the mean": (
        least((*BOTH, (GPU, 8))),
        node(**{GPU: "4"}),
        used(cpu="1", memory="4Gi"),
        a_pod().asking(cpu="1", memory="2Gi"),
        65,
    ),
    "storage has no scoring default": (
        least((("ephemeral-storage", 1),)),
        node(**{"ephemeral-storage": "100"}),
        EMPTY,
        a_pod(),
        100,
    ),
    "T30 near the largest number, least": (
        least(((GPU, 1),)),
        node(**{GPU: MAX}),
        EMPTY,
        a_pod().asking({GPU: MAX}),
        0,
    ),
    "T30 near the largest number, most": (
        most(((GPU, 1),)),
        node(**{GPU: MAX}),
        EMPTY,
        a_pod().asking({GPU: MAX}),
        100,
    ),
    "T30 half of the largest number": (
        most(((GPU, 1),)),
        node(**{GPU: MAX}),
        EMPTY,
        a_pod().asking({GPU: str(1 << 61)}),
        50,
    ),
    "T30 twice the largest number": (
        most(((GPU, 1),)),
        node(**{GPU: MAX}),
        used(**{GPU: MAX}),
        a_pod().asking({GPU: MAX}),
        100,
    ),
    "balanced: nothing changes": (
        BalancedAllocation(),
        node(cpu="4", memory="4Gi"),
        EMPTY,
        a_pod().asking(cpu="1", memory="1Gi"),
        75,
    ),
    "balanced: made even": (
        BalancedAllocation(),
        node(cpu="4", memory="4Gi"),
        used(cpu="2"),
        a_pod().asking(memory="2Gi"),
        87,
    ),
    "balanced: made uneven": (BalancedAllocation(), node(cpu="4", memory="4Gi"), EMPTY, a_pod().asking(cpu="2"), 62),
    "balanced: made as uneven as can be": (
        BalancedAllocation(),
        node(cpu="4", memory="4Gi"),
        EMPTY,
        a_pod().asking(cpu="4"),
        50,
    ),
    "balanced: no scoring defaults": (
        BalancedAllocation(),
        node(cpu="1", memory="1Gi"),
        a_pod("t").on("n1"),
        a_pod().asking(cpu="1"),
        50,
    ),
    "balanced: one resource is always even": (
        BalancedAllocation(),
        node(memory="0"),
        EMPTY,
        a_pod().asking(cpu="4"),
        75,
    ),
    "balanced: more than there is counts as full": (
        BalancedAllocation(),
        node(cpu="1", memory="1Gi"),
        used(cpu="5", memory="1Gi"),
        a_pod().asking(cpu="1"),
        75,
    ),
    "balanced: three resources, standard deviation": (
        BalancedAllocation(["cpu", "memory", GPU]),
        node(cpu="4", memory="4Gi", **{GPU: "4"}),
        EMPTY,
        a_pod().asking({"cpu": "4", GPU: "2"}),
        50 + (50 + 59 - 100) // 2,
    ),
}


@pytest.mark.parametrize(("plugin", "node", "there", "pod", "want"), SCORES.values(), ids=SCORES.keys())
def test_scores(plugin: Any, node: NodeBuilder, there: PodBuilder, pod: PodBuilder, want: int) -> None:
    assert raw_score(a_cluster(node, there), pod, plugin, "n1") == want


RATIOS = {
    "empty": (UP, "0", 0),
    "a quarter": (UP, "1", 25),
    "utilisation is truncated": (UP, "1333m", 33),
    "full": (UP, "4", 100),
    "over": (UP, "5", 100),
    "falling line": ([(0, 10), (100, 0)], "1", 75),
    "falling line, truncated towards zero": ([(0, 10), (30, 3), (100, 0)], "40m", 98),
    "before the first corner": ([(20, 4), (80, 9)], "0", 40),
    "between": ([(20, 4), (80, 9)], "2", 65),
    "after the last corner": ([(20, 4), (80, 9)], "4", 90),
}


@pytest.mark.parametrize(("shape", "cpu", "want"), RATIOS.values(), ids=RATIOS.keys())
def test_requested_to_capacity_ratio(shape: list[tuple[int, int]], cpu: str, want: int) -> None:
    cache = a_cluster(node())
    assert raw_score(cache, a_pod().asking(cpu=cpu), ratio(shape, (("cpu", 1),)), "n1") == want


RATIO_MEANS = {
    "resources that score 0 are left out": (UP, (("cpu", 1), ("memory", 1)), {"cpu": "2", "memory": "0"}, 50),
    "the mean is rounded half up": (UP, (("cpu", 1), ("memory", 1)), {"cpu": "1", "memory": "14418Mi"}, 35),
    "weighted": (UP, (("cpu", 3), ("memory", 1)), {"cpu": "4", "memory": "16Gi"}, 88),
    "nothing scores": ([(0, 0), (100, 0)], (("cpu", 1), ("memory", 1)), {"cpu": "1", "memory": "1Gi"}, 0),
}


@pytest.mark.parametrize(("shape", "weights", "asked", "want"), RATIO_MEANS.values(), ids=RATIO_MEANS.keys())
def test_requested_to_capacity_means(shape: Any, weights: Weights, asked: dict[str, str], want: int) -> None:
    assert raw_score(a_cluster(node()), a_pod().asking(asked), ratio(shape, weights), "n1") == want


def test_balanced_is_skipped_where_none_of_its_resources_is_asked_for() -> None:
    cache = a_cluster(a_node("n1"), a_node("n2"), a_pod("x").asking(cpu="3").on("n1"))
    assert scores(cache, a_pod(), BalancedAllocation()) == {"n1": 0, "n2": 0}
    assert scores(cache, a_pod().asking(memory="1Gi"), BalancedAllocation()) != {"n1": 0, "n2": 0}
