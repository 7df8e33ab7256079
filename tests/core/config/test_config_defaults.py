"""A file that says little gives the defaults of kube-scheduler 1.36 and of our own."""

import pytest
from config_texts import arguments, scheduler, tenantry

from tenantry_core.config import (
    Config,
    DefaultPreemptionArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    ResourceWeight,
    VolumeBindingArgs,
    load_config,
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\n",
        "# nothing\n",
        scheduler(),
        tenantry(),
        scheduler() + "---\n" + tenantry(),
        scheduler("profiles: []\n"),
    ],
    ids=["empty", "empty-document", "comment", "scheduler", "tenantry", "both", "no-profiles"],
)
def test_saying_nothing_gives_the_defaults(text: str) -> None:
    assert load_config(text) == Config()


def test_an_empty_value_keeps_the_default() -> None:
    text = scheduler("leaderElection:\nprofiles:\n- plugins:\n  pluginConfig:\n") + "---\n" + tenantry("plugins:\n")
    assert load_config(text) == Config()


def test_arguments_not_given_are_upstreams() -> None:
    profile = Config().scheduler.profiles[0]
    strategy = profile.args(NodeResourcesFitArgs).scoring_strategy
    assert (strategy.type, strategy.resources) == (
        "LeastAllocated",
        (ResourceWeight("cpu", 1), ResourceWeight("memory", 1)),
    )
    assert profile.args(NodeResourcesBalancedAllocationArgs).resources == strategy.resources
    assert profile.args(NodeAffinityArgs).added_affinity is None
    assert [(c.topology_key, c.max_skew) for c in profile.args(PodTopologySpreadArgs).constraints] == [
        ("kubernetes.io/hostname", 3),
        ("topology.kubernetes.io/zone", 5),
    ]
    assert profile.args(InterPodAffinityArgs).hard_pod_affinity_weight == 1
    preemption = profile.args(DefaultPreemptionArgs)
    assert (preemption.min_candidate_nodes_percentage, preemption.min_candidate_nodes_absolute) == (10, 100)
    assert profile.args(VolumeBindingArgs).bind_timeout_seconds == 600


@pytest.mark.parametrize("resources", ["", "resources: []\n"], ids=["absent", "empty"])
def test_a_strategy_without_resources_scores_cpu_and_memory(resources: str) -> None:
    text = arguments(
        "NodeResourcesFit", "scoringStrategy:\n  type: MostAllocated\n" + "  " * bool(resources) + resources
    )
    result = load_config(text)
    assert isinstance(result, Config)
    strategy = result.scheduler.profiles[0].args(NodeResourcesFitArgs).scoring_strategy
    assert strategy.type == "MostAllocated"
    assert [r.name for r in strategy.resources] == ["cpu", "memory"]


def test_a_resource_without_weight_weighs_one() -> None:
    result = load_config(arguments("NodeResourcesFit", "scoringStrategy: {resources: [{name: vendor.example/gpu}]}"))
    assert isinstance(result, Config)
    strategy = result.scheduler.profiles[0].args(NodeResourcesFitArgs).scoring_strategy
    assert strategy.resources == (ResourceWeight("vendor.example/gpu", 1),)
