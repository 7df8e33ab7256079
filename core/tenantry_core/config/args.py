"""Arguments of the built-in plugins, with kube-scheduler 1.36's names and defaults.

A plugin asks its profile: `profile.args(NodeResourcesFitArgs)`. Field names in a file are these in camel case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tenantry_core.config.fields import Duration, choice, within


@dataclass(frozen=True, slots=True)
class ResourceWeight:
    """A resource that takes part in a score."""

    name: str = ""
    """Resource name, as `cpu` or `vendor.example/gpu`."""
    weight: int = within(1, 1, 100)
    """Weight in the mean over resources, 1-100; default 1."""


@dataclass(frozen=True, slots=True)
class ShapePoint:
    """A corner of the broken line that turns utilization into a score."""

    utilization: int = within(0, 0, 100)
    """Percent of the allocatable amount, 0-100; strictly increasing along the shape."""
    score: int = within(0, 0, 10)
    """Score at that utilization, 0-10; the plugin scales it to 0-100."""


CPU_AND_MEMORY = (ResourceWeight("cpu", 1), ResourceWeight("memory", 1))


@dataclass(frozen=True, slots=True)
class RequestedToCapacityRatio:
    """Arguments of the strategy of the same name."""

    shape: tuple[ShapePoint, ...] = ()
    """At least one point, utilization strictly increasing."""


@dataclass(frozen=True, slots=True)
class ScoringStrategy:
    """How NodeResourcesFit scores a node."""

    type: str = choice("LeastAllocated", "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
    """Spread (LeastAllocated, the default), pack (MostAllocated), or by a shape."""
    resources: tuple[ResourceWeight, ...] = CPU_AND_MEMORY
    """Resources in the mean; cpu and memory with weight 1 when empty or absent."""
    requested_to_capacity_ratio: RequestedToCapacityRatio | None = None
    """Needed by, and only allowed for, the type RequestedToCapacityRatio."""


@dataclass(frozen=True, slots=True)
class NodeResourcesFitArgs:
    """Arguments of NodeResourcesFit."""

    ignored_resources: tuple[str, ...] = ()
    """Extended resources that the filter ignores, by name."""
    ignored_resource_groups: tuple[str, ...] = ()
    """Extended resources that the filter ignores, by the part before the slash."""
    scoring_strategy: ScoringStrategy = ScoringStrategy()
    """Default: LeastAllocated over cpu and memory."""


@dataclass(frozen=True, slots=True)
class NodeResourcesBalancedAllocationArgs:
    """Arguments of NodeResourcesBalancedAllocation."""

    resources: tuple[ResourceWeight, ...] = CPU_AND_MEMORY
    """Resources whose utilization should be alike; every weight must be 1."""


@dataclass(frozen=True, slots=True)
class NodeAffinityArgs:
    """Arguments of NodeAffinity."""

    added_affinity: Mapping[str, object] | None = None
    """A NodeAffinity object as Kubernetes writes it; holds for every pod of the profile, beside its own."""


@dataclass(frozen=True, slots=True)
class TopologyConstraint:
    """A spread constraint without selector: that is deduced for each pod from what owns it."""

    max_skew: int = 0
    """Largest allowed difference between domains; above 0."""
    topology_key: str = ""
    """Node label that names the domain."""
    when_unsatisfiable: str = ""
    """DoNotSchedule or ScheduleAnyway."""
    min_domains: int | None = None
    """Domains below which the least count is taken as 0; above 0, and only with DoNotSchedule."""
    node_affinity_policy: str | None = None
    """Honor or Ignore; Honor when unset."""
    node_taints_policy: str | None = None
    """Honor or Ignore; Ignore when unset."""
    match_label_keys: tuple[str, ...] = ()
    """Keys whose values in the pod narrow the selector."""
    label_selector: Mapping[str, object] | None = None
    """Refused here; kept so that the error can say why."""


SYSTEM_CONSTRAINTS = (
    TopologyConstraint(3, "kubernetes.io/hostname", "ScheduleAnyway"),
    TopologyConstraint(5, "topology.kubernetes.io/zone", "ScheduleAnyway"),
)
"""What `defaultingType: System` stands for. With these, a node without the zone label is not left out of the score."""


@dataclass(frozen=True, slots=True)
class PodTopologySpreadArgs:
    """Arguments of PodTopologySpread."""

    default_constraints: tuple[TopologyConstraint, ...] = ()
    """For pods that have none of their own and belong to a service or a set; only with List."""
    defaulting_type: str = choice("System", "System", "List")
    """System (default) uses SYSTEM_CONSTRAINTS, List uses `default_constraints`."""

    @property
    def constraints(self) -> tuple[TopologyConstraint, ...]:
        """The constraints in force."""
        return SYSTEM_CONSTRAINTS if self.defaulting_type == "System" else self.default_constraints


@dataclass(frozen=True, slots=True)
class InterPodAffinityArgs:
    """Arguments of InterPodAffinity."""

    hard_pod_affinity_weight: int = within(1, 0, 100)
    """Score weight of existing pods' required affinity terms that match the new pod, 0-100; default 1."""
    ignore_preferred_terms_of_existing_pods: bool = False
    """Leave existing pods' preferred terms out of the score; default false."""


@dataclass(frozen=True, slots=True)
class DefaultPreemptionArgs:
    """Arguments of DefaultPreemption: how many candidate nodes a dry run looks at."""

    min_candidate_nodes_percentage: int = within(10, 0, 100)
    """Share of the nodes, percent; default 10. Not 0 together with the next."""
    min_candidate_nodes_absolute: int = within(100, 0)
    """At least so many nodes; default 100."""


@dataclass(frozen=True, slots=True)
class VolumeBindingArgs:
    """Arguments of VolumeBinding."""

    bind_timeout_seconds: int = within(600, 0)
    """How long to wait for volumes to be bound, seconds; default 600, 0 fails at once."""
    shape: tuple[ShapePoint, ...] = ()
    """Refused: scoring by storage capacity is behind a gate that is off in 1.36."""


@dataclass(frozen=True, slots=True)
class DynamicResourcesArgs:
    """Arguments of DynamicResources: read, so that a user's file stands, and without effect."""

    filter_timeout: Duration = within(Duration(10.0), 0)
    """Seconds; default 10."""
    binding_timeout: Duration = within(Duration(600.0), 1)
    """Seconds; default 600."""


PluginArgs = (
    NodeResourcesFitArgs
    | NodeResourcesBalancedAllocationArgs
    | NodeAffinityArgs
    | PodTopologySpreadArgs
    | InterPodAffinityArgs
    | DefaultPreemptionArgs
    | VolumeBindingArgs
    | DynamicResourcesArgs
)

ARGS_BY_PLUGIN: Mapping[str, type[PluginArgs]] = {
    "NodeResourcesFit": NodeResourcesFitArgs,
    "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationArgs,
    "NodeAffinity": NodeAffinityArgs,
    "PodTopologySpread": PodTopologySpreadArgs,
    "InterPodAffinity": InterPodAffinityArgs,
    "DefaultPreemption": DefaultPreemptionArgs,
    "VolumeBinding": VolumeBindingArgs,
    "DynamicResources": DynamicResourcesArgs,
}
"""Plugins that take arguments. A plugin of a user's own gets its arguments as they stand in the file."""
