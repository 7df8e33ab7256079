"""VolumeRestrictions: a ReadWriteOncePod claim serves one pod in the cluster, a single-attach disk one on a node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import PreFilterResult, Refusal, Scope
from tenantry_core.framework.status import SKIP, SUCCESS, unresolvable
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import DiskVolume, Pod, Volume
from tenantry_core.plugins.volume_claims import (
    READ_WRITE_ONCE_POD,
    claim_not_found,
    concerns_claims,
    has_claims,
    listed_claims,
)

DISK_REASON = "node(s) had no available disk"
CLAIM_REASON = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)


class VolumeRestrictions:
    """Source: plugins/volumerestrictions of kube-scheduler 1.36. Claims of ephemeral volumes have one pod anyway."""

    name = "VolumeRestrictions"
    filter_scope = Scope.GLOBAL

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod mounts neither claims nor single-attach disks."""
        return not ctx.cls.volumes or not (has_claims(ctx.cls, ephemeral=False) or _disks(ctx.cls.volumes))

    def pre_filter(self, ctx: CycleContext) -> PreFilterResult:
        """Refuse a pod whose claim does not exist."""
        claims, namespace = ctx.snapshot.storage.claims, ctx.cls.namespace
        for name in listed_claims(ctx):
            if (namespace, name) not in claims:
                return PreFilterResult(unresolvable(claim_not_found(name)))
        return PreFilterResult(SUCCESS if _disks(ctx.cls.volumes) or _claim_taken(ctx) else SKIP)

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows where nothing that the pod wants for itself is in use."""
        numbers = np.arange(ctx.snapshot.nodes.size, dtype=np.int64)[rows]
        if _claim_taken(ctx):
            return np.zeros(len(numbers), dtype=np.bool_)
        wanted = _disks(ctx.cls.volumes)
        if not wanted:
            return np.ones(len(numbers), dtype=np.bool_)
        return np.array([not _disk_taken(ctx, int(row), wanted) for row in numbers], dtype=np.bool_)

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """The disk, where one is in use, else the claim; other pods leaving would cure either."""
        wanted = _disks(ctx.cls.volumes)
        disk = np.array([_disk_taken(ctx, int(row), wanted) for row in rows], dtype=np.bool_)
        return (Refusal(DISK_REASON, disk), Refusal(CLAIM_REASON, ~disk))

    def events(self) -> Sequence[EventPattern]:
        """A pod went, a node or a claim came."""
        return (
            EventPattern(Resource.ASSIGNED_POD, Action.DELETE),
            EventPattern(Resource.NODE, Action.ADD),
            EventPattern(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD),
        )

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """Whether the claim is the pod's, or the pod that went shared a claim or a disk with it."""
        match event.resource:
            case Resource.PERSISTENT_VOLUME_CLAIM:
                return concerns_claims(pod, event, ephemeral=False)
            case Resource.ASSIGNED_POD:
                gone = event.old
                return not isinstance(gone, Pod) or _shares_claim(pod, gone) or _shares_disk(pod, gone)
        return True


def _claim_taken(ctx: CycleContext) -> bool:
    """Whether a ReadWriteOncePod claim of the pod is in use, on whatever node."""
    storage, namespace, uid = ctx.snapshot.storage, ctx.cls.namespace, ctx.pod.metadata.uid
    for name in listed_claims(ctx):
        claim = storage.claims.get((namespace, name))
        if claim is None or READ_WRITE_ONCE_POD not in (claim.spec.access_modes or ()):
            continue
        if any(user.uid != uid for user in storage.claim_users(namespace, name)):
            return True
    return False


def _disks(volumes: Sequence[Volume] | None) -> list[Volume]:
    """Volumes that are in-tree single-attach disks."""
    return [v for v in volumes or () if v.gce_persistent_disk or v.aws_elastic_block_store or v.iscsi or v.rbd]


def _disk_taken(ctx: CycleContext, row: int, wanted: Sequence[Volume]) -> bool:
    if not wanted:
        return False
    return any(
        conflicts(mine, other)
        for placed in ctx.snapshot.pods_on(row)
        if placed.cls.volumes
        for other in placed.cls.volumes
        for mine in wanted
    )


def conflicts(mine: Volume, other: Volume) -> bool:
    """Whether two volumes are one disk that cannot be attached for both. EBS volumes are never shared; the others may
    be where both sides only read."""
    if mine.aws_elastic_block_store and other.aws_elastic_block_store:
        return mine.aws_elastic_block_store.volume_id == other.aws_elastic_block_store.volume_id
    if mine.gce_persistent_disk and other.gce_persistent_disk:
        a, b = mine.gce_persistent_disk, other.gce_persistent_disk
        return a.pd_name == b.pd_name and _written(a, b)
    if mine.iscsi and other.iscsi:
        return mine.iscsi.iqn == other.iscsi.iqn and _written(mine.iscsi, other.iscsi)
    if mine.rbd and other.rbd:
        a, b = mine.rbd, other.rbd
        same = (a.pool, a.image) == (b.pool, b.image) and not set(a.monitors).isdisjoint(b.monitors)
        return same and _written(a, b)
    return False


def _written(a: DiskVolume, b: DiskVolume) -> bool:
    return not (a.read_only and b.read_only)


def _shares_claim(pod: Pod, gone: Pod) -> bool:
    if pod.metadata.namespace != gone.metadata.namespace:
        return False
    freed = {v.persistent_volume_claim.claim_name for v in gone.spec.volumes or () if v.persistent_volume_claim}
    return any(
        v.persistent_volume_claim.claim_name in freed for v in pod.spec.volumes or () if v.persistent_volume_claim
    )


def _shares_disk(pod: Pod, gone: Pod) -> bool:
    return any(conflicts(mine, other) for mine in _disks(pod.spec.volumes) for other in _disks(gone.spec.volumes))
