"""NodeVolumeLimits: no more volumes on a node than its CSI drivers can attach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tenantry_core.cache.storage import claims_of, storage_class_of
from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import PreFilterResult, Refusal, Scope
from tenantry_core.framework.snapshot import StorageView
from tenantry_core.framework.status import SKIP, SUCCESS
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Pod
from tenantry_core.model.storage import CSINode
from tenantry_core.plugins.volume_claims import claim_not_found, concerns_claims, has_claims, mounts_claims

REASON = "node(s) exceed max volume count"

ClaimKey = tuple[str, str]
Attachment = tuple[str, str]
"""CSI driver and handle of a volume; one volume is attached once however many pods mount it."""


class NodeVolumeLimits:
    """Source: plugins/nodevolumelimits of kube-scheduler 1.36.

    The limit of a driver is in the node's CSINode; a driver without one has no limit. A volume counts while a pod on
    the node uses it or while its VolumeAttachment stands. Inline CSI volumes do not count, nor do in-tree volumes.
    """

    name = "NodeVolumeLimits"
    filter_scope = Scope.GLOBAL

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod mounts no claim."""
        return not has_claims(ctx.cls)

    def pre_filter(self, ctx: CycleContext) -> PreFilterResult:
        """Resolve the pod's claims to volumes."""
        wanted = ctx.state[self.name] = attachments(ctx.snapshot.storage, claims_of(ctx.cls, ctx.pod))
        return PreFilterResult(SUCCESS if wanted or _missing(ctx) else SKIP)

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows where every driver has room for the volumes that are new to the node."""
        numbers = np.arange(ctx.snapshot.nodes.size, dtype=np.int64)[rows]
        if _missing(ctx):
            return np.zeros(len(numbers), dtype=np.bool_)
        wanted = self._wanted(ctx)
        found = np.ones(len(numbers), dtype=np.bool_)
        if not wanted or not ctx.snapshot.storage.csi_nodes:
            return found
        drivers = Counter(driver for driver, _ in wanted)
        for i, row in enumerate(numbers.tolist()):
            found[i] = _has_room(ctx, row, wanted, drivers)
        return found

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """The missing claim, or the limit."""
        every = np.ones(len(rows), dtype=np.bool_)
        missing = _missing(ctx)
        return (Refusal(claim_not_found(missing), every, True) if missing else Refusal(REASON, every),)

    def events(self) -> Sequence[EventPattern]:
        """A CSINode came or changed, a pod or an attachment went, a claim came."""
        return (
            EventPattern(Resource.CSI_NODE, Action.ADD | Action.UPDATE),
            EventPattern(Resource.ASSIGNED_POD, Action.DELETE),
            EventPattern(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD),
            EventPattern(Resource.VOLUME_ATTACHMENT, Action.DELETE),
        )

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """Whether a limit rose, volumes were let go, or the claim is the pod's."""
        old, new = event.old, event.new
        match event.resource:
            case Resource.PERSISTENT_VOLUME_CLAIM:
                return concerns_claims(pod, event)
            case Resource.ASSIGNED_POD:
                return not isinstance(old, Pod) or mounts_claims(old)
            case Resource.CSI_NODE if isinstance(old, CSINode) and isinstance(new, CSINode):
                return _limit_rose(limits_of(old), limits_of(new))
        return True

    def _wanted(self, ctx: CycleContext) -> frozenset[Attachment]:
        found = ctx.state.get(self.name)
        if found is None:
            found = ctx.state[self.name] = attachments(ctx.snapshot.storage, claims_of(ctx.cls, ctx.pod))
        return frozenset(found)


def limits_of(csi_node: CSINode) -> dict[str, int]:
    """Attach limit by driver, of the drivers that have one."""
    return {
        d.name: d.allocatable.count
        for d in csi_node.spec.drivers or ()
        if d.allocatable is not None and d.allocatable.count is not None
    }


def attachments(storage: StorageView, claims: Iterable[ClaimKey]) -> frozenset[Attachment]:
    """Distinct CSI volumes behind claims; claims that lead to none are left out.

    A claim without a volume counts for the provisioner of its class, under a handle of its own.
    """
    found = (_attachment(storage, key) for key in claims)
    return frozenset(a for a in found if a is not None)


def kept_attachments(storage: StorageView, node: str) -> frozenset[Attachment]:
    """CSI volumes that are attached to a node or on their way, whether or not a pod there still uses them."""
    found = set()
    for attachment in storage.attachments_of(node):
        volume = storage.volumes.get(attachment.spec.source.persistent_volume_name or "")
        if volume is not None and volume.spec.csi:
            found.add((attachment.spec.attacher, volume.spec.csi.volume_handle))
    return frozenset(found)


def _attachment(storage: StorageView, key: ClaimKey) -> Attachment | None:
    claim = storage.claims.get(key)
    if claim is None:
        return None
    volume = storage.volumes.get(claim.spec.volume_name) if claim.spec.volume_name else None
    if volume is not None:
        return (volume.spec.csi.driver, volume.spec.csi.volume_handle) if volume.spec.csi else None
    storage_class = storage.classes.get(storage_class_of(claim))
    # No CSI handle holds a NUL, so the stand-in can't be taken for one.
    return None if storage_class is None else (storage_class.provisioner, f"\0{key[0]}/{key[1]}")


def _has_room(ctx: CycleContext, row: int, wanted: frozenset[Attachment], drivers: Counter[str]) -> bool:
    """Drivers with new volumes that are under their limit for certain are passed over; the rest is counted."""
    storage = ctx.snapshot.storage
    csi_node = storage.csi_nodes.get(ctx.snapshot.nodes.names[row])
    if csi_node is None:
        return True
    claims = storage.claims_on(row)
    kept = kept_attachments(storage, ctx.snapshot.nodes.names[row])
    used, tight = len(claims) + len(kept), {}
    for driver in csi_node.spec.drivers or ():
        limit = driver.allocatable.count if driver.allocatable is not None else None
        # Even if every claim in use were one of this driver's volumes, it may fit.
        if limit is not None and driver.name in drivers and used + drivers[driver.name] > limit:
            tight[driver.name] = limit
    if not tight:
        return True
    attached = attachments(storage, claims) | kept
    total = Counter(driver for driver, _ in attached)
    new = Counter(driver for driver, _ in wanted - attached)
    return all(total[driver] + count <= tight[driver] for driver, count in new.items() if driver in tight)


def _missing(ctx: CycleContext) -> str:
    """Name of a claim that does not exist, "" where all do."""
    claims = ctx.snapshot.storage.claims
    return next((name for namespace, name in claims_of(ctx.cls, ctx.pod) if (namespace, name) not in claims), "")


def _limit_rose(old: Mapping[str, int], new: Mapping[str, int]) -> bool:
    """Whether a driver may attach more than before, one that lost its limit included."""
    return any(driver not in new or new[driver] > limit for driver, limit in old.items())
