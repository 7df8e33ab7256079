"""The built-in plugins by name, made with the arguments of a profile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tenantry_core.config.args import (
    DefaultPreemptionArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    ScoringStrategy,
    TopologyConstraint,
    VolumeBindingArgs,
)
from tenantry_core.config.schema import Profile as ProfileSettings
from tenantry_core.framework.plugin import Plugin
from tenantry_core.model.objects import NodeAffinity as RawAffinity
from tenantry_core.plugins.balanced_allocation import BalancedAllocation
from tenantry_core.plugins.default_binder import DefaultBinder
from tenantry_core.plugins.default_preemption import DefaultPreemption
from tenantry_core.plugins.dynamic_resources import DynamicResources
from tenantry_core.plugins.image_locality import ImageLocality
from tenantry_core.plugins.node_affinity import NodeAffinity
from tenantry_core.plugins.node_declared_features import NodeDeclaredFeatures
from tenantry_core.plugins.node_ports import NodePorts
from tenantry_core.plugins.node_resources import NodeResourcesFit
from tenantry_core.plugins.node_rules import NodeName, NodeUnschedulable
from tenantry_core.plugins.pod_affinity import InterPodAffinity
from tenantry_core.plugins.ports import Ports
from tenantry_core.plugins.resource_scores import Strategy, least_allocated, most_allocated, requested_to_capacity
from tenantry_core.plugins.scheduling_gates import PrioritySort, SchedulingGates
from tenantry_core.plugins.spread_defaults import DefaultConstraint, DefaultConstraints
from tenantry_core.plugins.taint_toleration import TaintToleration
from tenantry_core.plugins.topology_spread import PodTopologySpread
from tenantry_core.plugins.volume_binding import VolumeBinding, VolumeBindingSettings
from tenantry_core.plugins.volume_limits import NodeVolumeLimits
from tenantry_core.plugins.volume_restrictions import VolumeRestrictions
from tenantry_core.plugins.volume_zone import VolumeZone

Factory = Callable[[ProfileSettings, Ports], Plugin]


def builtin_factories() -> Mapping[str, Factory]:
    """Factory by plugin name; every call of a factory makes a new plugin."""
    return {
        "SchedulingGates": lambda p, o: SchedulingGates(),
        "PrioritySort": lambda p, o: PrioritySort(),
        "NodeUnschedulable": lambda p, o: NodeUnschedulable(),
        "NodeName": lambda p, o: NodeName(),
        "TaintToleration": lambda p, o: TaintToleration(),
        "NodeAffinity": lambda p, o: _node_affinity(p.args(NodeAffinityArgs)),
        "NodePorts": lambda p, o: NodePorts(),
        "NodeResourcesFit": lambda p, o: _fit(p.args(NodeResourcesFitArgs)),
        "PodTopologySpread": lambda p, o: PodTopologySpread(_spread(p.args(PodTopologySpreadArgs))),
        "InterPodAffinity": lambda p, o: _pod_affinity(p.args(InterPodAffinityArgs)),
        "DefaultPreemption": lambda p, o: DefaultPreemption(p.args(DefaultPreemptionArgs), o.evictions),
        "NodeResourcesBalancedAllocation": lambda p, o: _balanced(p.args(NodeResourcesBalancedAllocationArgs)),
        "ImageLocality": lambda p, o: ImageLocality(),
        "VolumeRestrictions": lambda p, o: VolumeRestrictions(),
        "NodeVolumeLimits": lambda p, o: NodeVolumeLimits(),
        "VolumeBinding": lambda p, o: _volume_binding(p.args(VolumeBindingArgs), o),
        "VolumeZone": lambda p, o: VolumeZone(),
        "DynamicResources": lambda p, o: DynamicResources(),
        "NodeDeclaredFeatures": lambda p, o: NodeDeclaredFeatures(),
        "DefaultBinder": lambda p, o: DefaultBinder(o.send),
    }


def _node_affinity(args: NodeAffinityArgs) -> NodeAffinity:
    added = args.added_affinity
    return NodeAffinity(None if not added else msgspec.convert(_plain(added), RawAffinity))


def _plain(value: Any) -> Any:
    """Mappings and sequences as builtins, which is what conversion takes."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _fit(args: NodeResourcesFitArgs) -> NodeResourcesFit:
    return NodeResourcesFit(
        _strategy(args.scoring_strategy),
        frozenset(args.ignored_resources),
        frozenset(args.ignored_resource_groups),
    )


def _strategy(settings: ScoringStrategy) -> Strategy:
    weights = tuple((r.name, r.weight) for r in settings.resources)
    if settings.type == "MostAllocated":
        return most_allocated(weights)
    ratio = settings.requested_to_capacity_ratio
    if settings.type == "RequestedToCapacityRatio" and ratio is not None:
        return requested_to_capacity(weights, [(p.utilization, p.score) for p in ratio.shape])
    return least_allocated(weights)


def _balanced(args: NodeResourcesBalancedAllocationArgs) -> BalancedAllocation:
    return BalancedAllocation([r.name for r in args.resources])


def _spread(args: PodTopologySpreadArgs) -> DefaultConstraints:
    return DefaultConstraints([_constraint(c) for c in args.constraints], system=args.defaulting_type == "System")


def _constraint(given: TopologyConstraint) -> DefaultConstraint:
    return DefaultConstraint(
        given.max_skew,
        given.topology_key,
        hard=given.when_unsatisfiable == "DoNotSchedule",
        min_domains=given.min_domains or 1,
        honor_affinity=given.node_affinity_policy != "Ignore",
        honor_taints=given.node_taints_policy == "Honor",
    )


def _pod_affinity(args: InterPodAffinityArgs) -> InterPodAffinity:
    return InterPodAffinity(args.hard_pod_affinity_weight, args.ignore_preferred_terms_of_existing_pods)


def _volume_binding(args: VolumeBindingArgs, ports: Ports) -> VolumeBinding:
    settings = VolumeBindingSettings(bind_timeout=args.bind_timeout_seconds)
    return VolumeBinding(ports.volumes, ports.storage_changed, settings, ports.clock)
