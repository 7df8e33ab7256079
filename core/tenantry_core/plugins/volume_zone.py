"""VolumeZone: a node with zone labels must be in the zones and regions that the labels of bound volumes name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tenantry_core.cache.storage import storage_class_of
from tenantry_core.framework.columns import BoolArray, IntArray, NodeColumns, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import PreFilterResult, Refusal, Scope
from tenantry_core.framework.snapshot import StorageView
from tenantry_core.framework.status import SKIP, SUCCESS, Status, unresolvable
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Pod
from tenantry_core.model.selectors import Requirement
from tenantry_core.model.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from tenantry_core.plugins.volume_claims import (
    WAIT_FOR_FIRST_CONSUMER,
    claim_not_found,
    concerns_claims,
    has_claims,
    listed_claims,
)

REASON = "node(s) had no available volume zone"
CURRENT_NAME = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region": "topology.kubernetes.io/region",
}
"""Zone and region labels of volumes, with today's name of each."""
SEPARATOR = "__"
"""Between the zones of a volume that is replicated over several."""


class Topology(NamedTuple):
    """What one label of a volume demands: the node's value of `key` is among `values` (sorted)."""

    key: str
    values: tuple[str, ...]


class VolumeZone:
    """Source: plugins/volumezone of kube-scheduler 1.36. Looks at listed claims only, not at ephemeral volumes."""

    name = "VolumeZone"
    filter_scope = Scope.GLOBAL

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod lists no claim."""
        return not has_claims(ctx.cls, ephemeral=False)

    def pre_filter(self, ctx: CycleContext) -> PreFilterResult:
        """Collect the demands of bound volumes, or refuse a claim that is not ready."""
        found = _demands(ctx)
        if isinstance(found, Status):
            return PreFilterResult(found)
        ctx.state[self.name] = found
        return PreFilterResult(SUCCESS if found else SKIP)

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows without zone labels, or with those that every volume demands."""
        nodes, demands = ctx.snapshot.nodes, self._found(ctx)
        if not demands:
            return np.ones(nodes.size, dtype=np.bool_)[rows]
        labelled = np.zeros(nodes.size, dtype=np.bool_)
        for key in CURRENT_NAME:
            labelled |= nodes.label_ids(key) >= 0
        met = np.ones(nodes.size, dtype=np.bool_)
        for demand in demands:
            met &= _met(nodes, demand)
        return (met | ~labelled)[rows]

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """One reason for all; a volume does not move to another zone."""
        return (Refusal(REASON, np.ones(len(rows), dtype=np.bool_), True),)

    def events(self) -> Sequence[EventPattern]:
        """Classes, nodes, claims and volumes that came, and label changes of the latter."""
        return (
            EventPattern(Resource.STORAGE_CLASS, Action.ADD),
            EventPattern(Resource.NODE, Action.ADD | Action.UPDATE_LABEL),
            EventPattern(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD | Action.UPDATE),
            EventPattern(Resource.PERSISTENT_VOLUME, Action.ADD | Action.UPDATE),
        )

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """Whether the event can have changed a demand of this pod."""
        old, new = event.old, event.new
        match event.resource:
            case Resource.PERSISTENT_VOLUME_CLAIM:
                return concerns_claims(pod, event, ephemeral=False)
            case Resource.STORAGE_CLASS:
                return not isinstance(new, StorageClass) or new.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
            case Resource.PERSISTENT_VOLUME if isinstance(old, PersistentVolume) and isinstance(new, PersistentVolume):
                return volume_topologies(old) != volume_topologies(new)
        return True

    def _found(self, ctx: CycleContext) -> tuple[Topology, ...]:
        found = ctx.state.get(self.name)
        if found is None:
            demands = _demands(ctx)
            found = ctx.state[self.name] = () if isinstance(demands, Status) else demands
        return tuple(found)


def volume_topologies(volume: PersistentVolume) -> tuple[Topology, ...]:
    """Demands of a volume's labels. A label with an empty part is no zone list and is passed over."""
    labels = volume.metadata.labels or {}
    found = []
    for key in CURRENT_NAME:
        if key in labels:
            parts = [part.strip() for part in labels[key].split(SEPARATOR)]
            if all(parts):
                found.append(Topology(key, tuple(sorted(set(parts)))))
    return tuple(found)


def _met(nodes: NodeColumns, demand: Topology) -> BoolArray:
    """bool[N]: rows whose label is among the values; a node without the old name is judged by today's."""
    met = nodes.holds(Requirement(demand.key, "In", demand.values))
    current = CURRENT_NAME[demand.key]
    if current != demand.key:
        met = met | ((nodes.label_ids(demand.key) < 0) & nodes.holds(Requirement(current, "In", demand.values)))
    return met


def _demands(ctx: CycleContext) -> tuple[Topology, ...] | Status:
    storage = ctx.snapshot.storage
    found: list[Topology] = []
    for name in listed_claims(ctx):
        claim = storage.claims.get((ctx.cls.namespace, name))
        if claim is None:
            return unresolvable(claim_not_found(name))
        if not claim.spec.volume_name:
            refused = _unbound(claim, storage)
            if refused is not None:
                return refused
            continue
        volume = storage.volumes.get(claim.spec.volume_name)
        if volume is None:
            return unresolvable(f'persistentvolume "{claim.spec.volume_name}" not found')
        found.extend(volume_topologies(volume))
    return tuple(found)


def _unbound(claim: PersistentVolumeClaim, storage: StorageView) -> Status | None:
    """Refusal of a claim without a volume; None where its volume is chosen later."""
    name = storage_class_of(claim)
    if not name:
        return unresolvable("PersistentVolumeClaim had no pv name and storageClass name")
    storage_class = storage.classes.get(name)
    if storage_class is None:
        return unresolvable(f'storageclass.storage.k8s.io "{name}" not found')
    if storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER:
        return None
    return unresolvable("PersistentVolume had no name")
