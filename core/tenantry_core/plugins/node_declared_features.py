"""NodeDeclaredFeatures: what a pod can't run without must be among the features its node's kubelet declares."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import PreFilterResult, Refusal, Scope
from tenantry_core.framework.status import SKIP, SUCCESS
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Node, Pod, PodSpec

REASON = "node(s) didn't match Pod's required features"

Inference = Callable[[PodSpec], bool]
"""Whether a pod needs the feature from the moment it is placed; what only an update needs has no say here."""


def _restarts_all(spec: PodSpec) -> bool:
    containers = (*spec.containers, *(spec.init_containers or ()))
    return any(r.action == "RestartAllContainers" for c in containers for r in c.restart_policy_rules or ())


def _host_network_in_user_namespace(spec: PodSpec) -> bool:
    return spec.host_network and spec.host_users is False


INFERENCES: dict[str, Inference] = {
    "RestartAllContainersOnContainerExits": _restarts_all,
    "UserNamespacesHostNetworkSupport": _host_network_in_user_namespace,
}
"""By declared feature. GuaranteedQoSPodCPUResize and InPlacePodLevelResourcesVerticalScaling matter to updates only."""


class NodeDeclaredFeatures:
    """Source: plugins/nodedeclaredfeatures of kube-scheduler 1.36 and the feature list of component-helpers."""

    name = "NodeDeclaredFeatures"
    filter_scope = Scope.STATIC

    def __init__(self, inferences: dict[str, Inference] | None = None) -> None:
        self._inferences = dict(INFERENCES if inferences is None else inferences)

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod needs no feature."""
        return not self._required(ctx)

    def pre_filter(self, ctx: CycleContext) -> PreFilterResult:
        """Say whether there is anything to check."""
        return PreFilterResult(SUCCESS if self._required(ctx) else SKIP)

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows that declare every required feature."""
        nodes, required = ctx.snapshot.nodes, self._required(ctx)
        by_set = np.array([required <= declared for declared in nodes.feature_sets.values] or [False], dtype=np.bool_)
        return by_set[nodes.feature_set[rows]]

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """One reason for all; other pods have no say in it."""
        return (Refusal(REASON, np.ones(len(rows), dtype=np.bool_), True),)

    def events(self) -> Sequence[EventPattern]:
        """A node came or declares something else, or the pod changed."""
        return (
            EventPattern(Resource.NODE, Action.ADD | Action.UPDATE_DECLARED_FEATURES),
            EventPattern(Resource.UNSCHEDULED_POD, Action.UPDATE),
        )

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """Whether declared or required features differ from before."""
        old, new = event.old, event.new
        if isinstance(old, Node) and isinstance(new, Node):
            return set(old.status.declared_features or ()) != set(new.status.declared_features or ())
        if isinstance(old, Pod) and isinstance(new, Pod):
            own = new.metadata.uid == pod.metadata.uid
            return own and self.required_by(old.spec) != self.required_by(new.spec)
        return True

    def required_by(self, spec: PodSpec) -> frozenset[str]:
        """Features that a pod can't run without."""
        return frozenset(name for name, needs in self._inferences.items() if needs(spec))

    def _required(self, ctx: CycleContext) -> frozenset[str]:
        memo = ctx.cls.memo
        found: frozenset[str] | None = memo.get(self)
        if found is None:
            found = memo[self] = self.required_by(ctx.cls.pod.spec)
        return found
