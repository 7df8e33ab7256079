"""A plugin's answer for one row is what it says of that row among all rows, huge and missing amounts included."""

from typing import Any

import numpy as np
import pytest
from builders import a_cluster, a_node, a_pod
from hypothesis import given, settings
from hypothesis import strategies as st

from tenantry_core.framework.columns import ALL
from tenantry_core.framework.context import CycleContext
from tenantry_core.plugins.balanced_allocation import BalancedAllocation
from tenantry_core.plugins.node_ports import NodePorts
from tenantry_core.plugins.node_resources import NodeResourcesFit
from tenantry_core.plugins.resource_scores import least_allocated, most_allocated, requested_to_capacity

GPU = "vendor.example/gpu"
WEIGHTS = (("cpu", 3), ("memory", 1), ("ephemeral-storage", 2), (GPU, 5))
HUGE = str(1 << 62)
small = st.integers(0, 8).map(str)
amounts = st.one_of(
    small, st.sampled_from(["0", "1n", "9E", HUGE, str((1 << 62) - 1), str(1 << 55), "36028797018963969"])
)
given_amounts = st.fixed_dictionaries(
    {}, optional={"cpu": amounts, "memory": amounts, "ephemeral-storage": amounts, GPU: amounts}
)

SCORERS = {
    "least": NodeResourcesFit(least_allocated(WEIGHTS)),
    "most": NodeResourcesFit(most_allocated(WEIGHTS)),
    "ratio up": NodeResourcesFit(requested_to_capacity(WEIGHTS, [(0, 0), (50, 7), (100, 10)])),
    "ratio down": NodeResourcesFit(requested_to_capacity(WEIGHTS, [(0, 10), (30, 3), (70, 4), (100, 0)])),
    "least of cpu and memory": NodeResourcesFit(),
    "balanced": BalancedAllocation(),
    "balanced of three": BalancedAllocation(["cpu", "memory", GPU]),
    "balanced of four": BalancedAllocation(["cpu", "memory", "ephemeral-storage", GPU]),
}


def contexts(nodes: list[dict[str, str]], placed: list[tuple[int, dict[str, str]]], asked: dict[str, str]) -> Any:
    """A cluster with these allocatable amounts and these pods, and a pending pod with a host port."""
    cache = a_cluster(*(a_node(f"n{i}").allocating(n) for i, n in enumerate(nodes)))
    for number, (node, requests) in enumerate(placed):
        pod = a_pod(f"p{number}").asking(requests).on(f"n{node % len(nodes)}").port(80 + number % 2)
        cache.upsert_pod(pod.build())
    pod = a_pod("new").asking(asked).port(80).build()
    return CycleContext(cache, cache.classes.class_of(pod), pod)


worlds = (
    st.lists(given_amounts, min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), given_amounts), max_size=6),
    given_amounts,
)


@pytest.mark.parametrize("name", SCORERS)
@settings(max_examples=60)
@given(*worlds)
def test_scores_agree_and_stay_between_0_and_100(
    name: str, nodes: list[dict[str, str]], placed: list[tuple[int, dict[str, str]]], asked: dict[str, str]
) -> None:
    plugin = SCORERS[name]
    ctx = contexts(nodes, placed, asked)
    if isinstance(plugin, BalancedAllocation) and plugin.skips(ctx):
        return
    every = plugin.score(ctx, ALL)
    assert every.tolist() == [plugin.score_row(ctx, row) for row in range(len(nodes))]
    assert every.tolist() == plugin.score(ctx, np.arange(len(nodes), dtype=np.int64)).tolist()
    assert every.min() >= 0
    assert every.max() <= 100


@pytest.mark.parametrize("plugin", [NodeResourcesFit(), NodePorts()], ids=lambda p: p.name)
@settings(max_examples=60)
@given(*worlds)
def test_filters_agree(
    plugin: Any, nodes: list[dict[str, str]], placed: list[tuple[int, dict[str, str]]], asked: dict[str, str]
) -> None:
    ctx = contexts(nodes, placed, asked)
    every = plugin.filter(ctx, ALL)
    assert every.tolist() == [plugin.filter_row(ctx, row) for row in range(len(nodes))]
    assert every.tolist() == plugin.filter(ctx, np.arange(len(nodes), dtype=np.int64)).tolist()
    refused = np.flatnonzero(~every)
    said = np.zeros(len(refused), dtype=np.bool_)
    for refusal in plugin.refusals(ctx, refused) if len(refused) else ():
        said |= refusal.rows
    assert said.all(), "every refused row has a reason"
