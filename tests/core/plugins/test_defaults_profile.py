"""A configuration becomes the profile it describes: plugins, weights and arguments."""

from typing import Any

import pytest
from builders import HOSTNAME, ZONE, Builder, PodBuilder, a_cluster, a_node, a_pod, a_service
from deciding import feasible, scores

from tenantry_core.config.args import (
    DefaultPreemptionArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PluginArgs,
    PodTopologySpreadArgs,
    RequestedToCapacityRatio,
    ResourceWeight,
    ScoringStrategy,
    ShapePoint,
    TopologyConstraint,
)
from tenantry_core.config.resolve import resolve_profile
from tenantry_core.config.schema import PluginConfig, PluginRef, Plugins, PluginSet
from tenantry_core.config.schema import Profile as Settings
from tenantry_core.framework.profile import Profile
from tenantry_core.plugins.ports import Ports
from tenantry_core.plugins.profiles import build_profile, default_profile

GPU = "vendor.example/gpu"
A = {"app": "a"}


def profile_of_args(name: str, args: PluginArgs) -> Profile:
    return build_profile(resolve_profile(Settings(plugin_config=(PluginConfig(name, args),))), Ports())


def plugin_of(name: str, args: PluginArgs) -> Any:
    return next(p for p in profile_of_args(name, args).plugins if p.name == name)


def test_the_default_plugins_and_weights_are_kube_schedulers() -> None:
    weights = {name: weight for name, _, weight in default_profile().score}
    assert weights.pop("DynamicResources", 2) == 2
    assert weights.pop("VolumeBinding", 1) == 1
    assert weights == {
        "TaintToleration": 3,
        "NodeAffinity": 2,
        "NodeResourcesFit": 1,
        "PodTopologySpread": 2,
        "InterPodAffinity": 2,
        "NodeResourcesBalancedAllocation": 1,
        "ImageLocality": 1,
    }
    filters = [f.name for f in default_profile().filter if f.name not in ("NodeDeclaredFeatures", "DynamicResources")]
    assert filters == [
        "NodeUnschedulable",
        "NodeName",
        "TaintToleration",
        "NodeAffinity",
        "NodePorts",
        "NodeResourcesFit",
        "VolumeRestrictions",
        "NodeVolumeLimits",
        "VolumeBinding",
        "VolumeZone",
        "PodTopologySpread",
        "InterPodAffinity",
    ]


def test_a_plugin_switched_off_is_not_called_and_a_weight_counts() -> None:
    plugins = Plugins(
        filter=PluginSet(disabled=(PluginRef("TaintToleration"),)),
        score=PluginSet(enabled=(PluginRef("NodeResourcesFit", 7),)),
    )
    profile = build_profile(resolve_profile(Settings(plugins=plugins)), Ports())
    assert "TaintToleration" not in [f.name for f in profile.filter]
    assert {name: weight for name, _, weight in profile.score}["NodeResourcesFit"] == 7
    assert feasible(a_cluster(a_node("n1").taint("x")), a_pod(), profile) == ["n1"]


BUSY: list[Builder] = [
    a_node("busy").allocating({GPU: "4"}),
    a_node("idle").allocating({GPU: "4"}),
    a_pod("x").asking({"cpu": "2", "memory": "16Gi", GPU: "1"}).on("busy"),
]
EVEN = a_pod().asking(cpu="1", memory="8Gi")
FIT = "NodeResourcesFit"


def strategy(kind: str, *resources: str, **more: Any) -> NodeResourcesFitArgs:
    weights = tuple(ResourceWeight(name) for name in resources or ("cpu", "memory"))
    return NodeResourcesFitArgs(scoring_strategy=ScoringStrategy(kind, weights, **more))


SHAPE = RequestedToCapacityRatio((ShapePoint(0, 10), ShapePoint(100, 0)))
FITS = {
    "default": (NodeResourcesFitArgs(), EVEN, {"busy": 25, "idle": 75}),
    "least": (strategy("LeastAllocated"), EVEN, {"busy": 25, "idle": 75}),
    "most": (strategy("MostAllocated"), EVEN, {"busy": 75, "idle": 25}),
    "ratio": (
        strategy("RequestedToCapacityRatio", requested_to_capacity_ratio=SHAPE),
        EVEN,
        {"busy": 25, "idle": 75},
    ),
    "another resource": (strategy("MostAllocated", GPU), a_pod().asking({GPU: "1"}), {"busy": 50, "idle": 25}),
}


@pytest.mark.parametrize(("args", "pod", "want"), FITS.values(), ids=FITS.keys())
def test_fit_strategies(args: NodeResourcesFitArgs, pod: PodBuilder, want: dict[str, int]) -> None:
    assert scores(a_cluster(*BUSY), pod, plugin_of(FIT, args)) == want


def test_ignored_resources_and_groups() -> None:
    cache = a_cluster(a_node("n1"))
    pod = a_pod().asking({GPU: "1", "other.example/fpga": "1"})
    args = NodeResourcesFitArgs(ignored_resources=(GPU,), ignored_resource_groups=("other.example",))
    assert feasible(cache, pod, profile_of_args(FIT, args)) == ["n1"]
    assert feasible(cache, pod, profile_of_args(FIT, NodeResourcesFitArgs(ignored_resources=(GPU,)))) == []


def test_balanced_resources() -> None:
    args = NodeResourcesBalancedAllocationArgs((ResourceWeight("cpu"), ResourceWeight(GPU)))
    plugin = plugin_of("NodeResourcesBalancedAllocation", args)
    assert scores(a_cluster(*BUSY), a_pod().asking({GPU: "1"}), plugin) == {"busy": 81, "idle": 68}


def test_added_affinity() -> None:
    term = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["fast"]}]}
    args = NodeAffinityArgs({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}})
    cache = a_cluster(a_node("n1").labelled(disk="fast"), a_node("n2"))
    assert feasible(cache, a_pod(), profile_of_args("NodeAffinity", args)) == ["n1"]


SPREAD = "PodTopologySpread"
LISTED: dict[str, tuple[TopologyConstraint, list[str]]] = {
    "hard": (TopologyConstraint(1, ZONE, "DoNotSchedule"), ["n1"]),
    "soft": (TopologyConstraint(1, ZONE, "ScheduleAnyway"), ["n0", "n1"]),
    "more domains than there are": (TopologyConstraint(1, ZONE, "DoNotSchedule", min_domains=5), ["n1"]),
    "taints honoured": (TopologyConstraint(1, ZONE, "DoNotSchedule", node_taints_policy="Honor"), ["n0", "n1"]),
    "by host": (TopologyConstraint(1, HOSTNAME, "DoNotSchedule"), ["n1"]),
}


@pytest.mark.parametrize(("constraint", "want"), LISTED.values(), ids=LISTED.keys())
def test_listed_constraints(constraint: TopologyConstraint, want: list[str]) -> None:
    args = PodTopologySpreadArgs((constraint,), "List")
    pod = a_pod("new").labelled(A)
    cluster = [a_node("n0").zone("z0"), a_node("n1").zone("z1"), a_node("t").zone("z2").taint("x"), a_service("s", A)]
    if constraint.node_taints_policy:
        cluster.append(a_pod("q").labelled(A).on("n1"))
    cache = a_cluster(*cluster, a_pod("p").labelled(A).on("n0"))
    assert feasible(cache, pod, profile_of_args(SPREAD, args)) == want
    assert feasible(cache, a_pod("free"), profile_of_args(SPREAD, args)) == ["n0", "n1"]


def test_system_constraints_are_the_default() -> None:
    cache = a_cluster(a_node("n0"), a_node("n1"), a_pod("p").labelled(A).on("n0"), a_service("s", A))
    plugin = plugin_of(SPREAD, PodTopologySpreadArgs())
    assert scores(cache, a_pod("new").labelled(A), plugin) == {"n0": 66, "n1": 100}
    none = plugin_of(SPREAD, PodTopologySpreadArgs((), "List"))
    assert scores(cache, a_pod("new").labelled(A), none) == {"n0": 0, "n1": 0}


@pytest.mark.parametrize(
    ("args", "want"),
    [
        (InterPodAffinityArgs(), {"n0": 100, "n1": 0}),
        (InterPodAffinityArgs(hard_pod_affinity_weight=0), {"n0": 0, "n1": 0}),
        (InterPodAffinityArgs(ignore_preferred_terms_of_existing_pods=True), {"n0": 0, "n1": 0}),
    ],
    ids=["default", "no hard weight", "existing pods ignored"],
)
def test_pod_affinity_arguments(args: InterPodAffinityArgs, want: dict[str, int]) -> None:
    cache = a_cluster(a_node("n0"), a_node("n1"), a_pod("p").near(HOSTNAME, A).labelled(A).on("n0"))
    assert scores(cache, a_pod("new").labelled(A), plugin_of("InterPodAffinity", args)) == want


def test_every_call_makes_new_plugins() -> None:
    args = DefaultPreemptionArgs(min_candidate_nodes_absolute=5)
    assert plugin_of("DefaultPreemption", args) is not plugin_of("DefaultPreemption", args)
