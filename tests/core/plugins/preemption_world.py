"""A small cluster for preemption tests: nodes of 4 CPUs, pods by priority, and the default filters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.config.points import DEFAULT_PLUGINS
from tenantry_core.config.schema import Profile as ProfileSettings
from tenantry_core.cycle.decision import Diagnosis, Unplaced
from tenantry_core.cycle.preempt import Preemption, Search
from tenantry_core.cycle.run import Cycle
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.post_filter import PostFilterResult
from tenantry_core.framework.profile import Profile, profile_of
from tenantry_core.model.decode import from_builtins
from tenantry_core.model.objects import Node, Pod
from tenantry_core.plugins.defaults import builtin_factories
from tenantry_core.plugins.ports import Ports

Raw = dict[str, Any]


def preemption_profile() -> Profile:
    """Every default plugin that can be made without a port."""
    makers = builtin_factories()
    settings = ProfileSettings()
    made = [(makers[n](settings, Ports()), w or 1) for n, w in DEFAULT_PLUGINS if n in makers and "Volume" not in n]
    return profile_of("default-scheduler", made)


def node(name: str, cpu: str = "4", pods: str = "110", taints: list[Raw] | None = None) -> Node:
    """A node with its hostname label."""
    raw = {
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "spec": {"taints": taints or []},
        "status": {"allocatable": {"cpu": cpu, "memory": "32Gi", "pods": pods}},
    }
    found: Node = from_builtins("Node", raw)
    return found


def pod(name: str, priority: int = 0, cpu: str = "1", on: str = "", **more: Any) -> Pod:
    """A pod; `more` holds labels, start (time text), ending (True by preemption, "other" otherwise), spec (merged)."""
    status: Raw = {"startTime": more["start"]} if "start" in more else {}
    meta: Raw = {"name": name, "uid": name, "namespace": "default", "labels": more.get("labels", {})}
    if more.get("ending"):
        meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        reason = "PreemptionByScheduler" if more["ending"] is True else "EvictionByEvictionAPI"
        status["conditions"] = [{"type": "DisruptionTarget", "status": "True", "reason": reason}]
    spec = {
        "nodeName": on,
        "priority": priority,
        "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}],
        **more.get("spec", {}),
    }
    found: Pod = from_builtins("Pod", {"metadata": meta, "spec": spec, "status": status})
    return found


def budget(allowed: int, labels: dict[str, str] | None, disrupted: tuple[str, ...] = ()) -> Any:
    """A disruption budget in the default namespace."""
    raw = {
        "metadata": {"name": f"budget-{allowed}", "namespace": "default"},
        "spec": {"selector": {"matchLabels": labels} if labels is not None else None},
        "status": {
            "disruptionsAllowed": allowed,
            "disruptedPods": dict.fromkeys(disrupted, "2026-01-01T00:00:00Z"),
        },
    }
    return from_builtins("PodDisruptionBudget", raw)


class World:
    """A cache with the default profile."""

    def __init__(self, *things: Node | Pod) -> None:
        self.cache = ClusterCache()
        self.profile = preemption_profile()
        for thing in things:
            if isinstance(thing, Node):
                self.cache.upsert_node(thing)
            else:
                self.cache.upsert_pod(thing)

    def context(self, preemptor: Pod) -> CycleContext:
        """A fresh context."""
        return CycleContext(self.cache, self.cache.classes.class_of(preemptor), preemptor)

    def diagnosis(self, preemptor: Pod) -> Diagnosis:
        """Why the pod does not fit; it must not."""
        decision = Cycle(self.cache, self.profile).decide(preemptor, self.cache.classes.class_of(preemptor))
        assert isinstance(decision, Unplaced), decision
        return decision.diagnosis

    def profile_with(self, plugin: Any) -> Profile:
        """The default profile with one plugin in the place of its namesake."""
        return profile_of(
            "default-scheduler", [(plugin if p.name == plugin.name else p, 1) for p in self.profile.plugins]
        )

    def rejected_everywhere(self) -> Diagnosis:
        """Every node refused for a reason that preemption may cure."""
        nodes = self.cache.nodes
        return Diagnosis(nodes=nodes.alive_count, unresolvable=np.zeros(nodes.size, dtype=np.bool_))

    def preempt(
        self, preemptor: Pod, search: Search | None = None, ending: frozenset[str] = frozenset()
    ) -> PostFilterResult:
        """One search."""
        run = Preemption(self.profile, ending=ending)
        if search is not None:
            run = replace(run, search=search)
        return run.run(self.context(preemptor), self.diagnosis(preemptor))


def names(result: PostFilterResult) -> list[str]:
    """Names of the victims, in order."""
    return [v.pod.metadata.name for v in result.victims]
