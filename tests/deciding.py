"""Decides a pod on a cache the short way, for tests of the cycle and of single plugins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from builders import PodBuilder

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Decision, Unplaced
from tenantry_core.cycle.explain import explain
from tenantry_core.cycle.message import fit_message
from tenantry_core.cycle.run import Cycle
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.profile import Profile, profile_of
from tenantry_core.model.objects import Pod
from tenantry_core.plugins.balanced_allocation import BalancedAllocation
from tenantry_core.plugins.image_locality import ImageLocality
from tenantry_core.plugins.node_affinity import NodeAffinity
from tenantry_core.plugins.node_ports import NodePorts
from tenantry_core.plugins.node_resources import NodeResourcesFit
from tenantry_core.plugins.node_rules import NodeName, NodeUnschedulable
from tenantry_core.plugins.pod_affinity import InterPodAffinity
from tenantry_core.plugins.taint_toleration import TaintToleration
from tenantry_core.plugins.topology_spread import PodTopologySpread


def profile_with(*replaced: Any, percentage: int = 0) -> Profile:
    """The default order and weights without volumes and preemption; each plugin given takes its namesake's place."""
    defaults: list[tuple[Any, int]] = [
        (NodeUnschedulable(), 0),
        (NodeName(), 0),
        (TaintToleration(), 3),
        (NodeAffinity(), 2),
        (NodePorts(), 0),
        (NodeResourcesFit(), 1),
        (PodTopologySpread(), 2),
        (InterPodAffinity(), 2),
        (BalancedAllocation(), 1),
        (ImageLocality(), 1),
    ]
    others = {plugin.name: plugin for plugin in replaced}
    return profile_of("default-scheduler", [(others.get(p.name, p), weight) for p, weight in defaults], percentage)


def decide(cache: ClusterCache, pod: PodBuilder | Pod, profile: Profile | None = None) -> Decision:
    """What a fresh cycle decides."""
    built = pod.build() if isinstance(pod, PodBuilder) else pod
    return Cycle(cache, profile or profile_with()).decide(built, cache.classes.class_of(built))


def answer(cache: ClusterCache, pod: PodBuilder | Pod, profile: Profile | None = None) -> str:
    """The chosen node's name, or the message."""
    decision = decide(cache, pod, profile)
    return fit_message(decision.diagnosis) if isinstance(decision, Unplaced) else decision.node


def feasible(cache: ClusterCache, pod: PodBuilder, profile: Profile | None = None) -> list[str]:
    """Names of the nodes that pass every filter, sorted."""
    built = pod.build()
    found = explain(cache, profile or profile_with(), built, cache.classes.class_of(built))
    return sorted(cache.nodes.names[row] for row in found.feasible)


def scores(cache: ClusterCache, pod: PodBuilder, plugin: Any, nodes: Sequence[str] = ()) -> dict[str, int]:
    """One plugin's unweighted, normalised scores by node, where the default filters leave at least two."""
    built = pod.build()
    cls = cache.classes.class_of(built)
    profile = profile_of("default-scheduler", [(plugin, 1)])
    found = explain(cache, profile, built, cls)
    values = found.scores.get(plugin.name, np.zeros(len(found.feasible), dtype=np.int64))
    by_name = {cache.nodes.names[r]: int(v) for r, v in zip(found.feasible, values, strict=True)}
    return {name: by_name[name] for name in nodes} if nodes else by_name


def raw_score(cache: ClusterCache, pod: PodBuilder, plugin: Any, node: str) -> int:
    """One plugin's raw score of one node."""
    built = pod.build()
    ctx = CycleContext(cache, cache.classes.class_of(built), built)
    return int(plugin.score(ctx, np.array([cache.nodes.row_of(node)], dtype=np.int64))[0])
