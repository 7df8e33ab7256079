"""Which events could help a pod that VolumeBinding rejected. Source: EventsToRegister of the plugin, 1.36."""

from __future__ import annotations

from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Pod
from tenantry_core.model.storage import CSIDriver, CSINode, CSIStorageCapacity, StorageClass
from tenantry_core.plugins.volume_claims import concerns_claims
from tenantry_core.plugins.volume_search import volume_limit

MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"

EVENTS = (
    EventPattern(Resource.STORAGE_CLASS, Action.ADD | Action.UPDATE),
    EventPattern(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD | Action.UPDATE),
    EventPattern(Resource.PERSISTENT_VOLUME, Action.ADD | Action.UPDATE),
    EventPattern(Resource.NODE, Action.ADD | Action.UPDATE_LABEL),
    EventPattern(Resource.CSI_NODE, Action.ADD | Action.UPDATE),
    EventPattern(Resource.CSI_DRIVER, Action.UPDATE),
    EventPattern(Resource.CSI_STORAGE_CAPACITY, Action.ADD | Action.UPDATE),
)


def could_help(pod: Pod, event: ClusterEvent) -> bool:
    """Claims must be the pod's own; updates must change what the search looks at; anything added may help."""
    if event.resource is Resource.PERSISTENT_VOLUME_CLAIM:
        return concerns_claims(pod, event)
    old, new = event.old, event.new
    if isinstance(old, StorageClass) and isinstance(new, StorageClass):
        return old.allowed_topologies != new.allowed_topologies
    if isinstance(old, CSINode) and isinstance(new, CSINode):
        return (old.metadata.annotations or {}).get(MIGRATED) != (new.metadata.annotations or {}).get(MIGRATED)
    if isinstance(old, CSIDriver) and isinstance(new, CSIDriver):
        return old.spec.storage_capacity and not new.spec.storage_capacity
    if isinstance(old, CSIStorageCapacity) and isinstance(new, CSIStorageCapacity):
        before, after = volume_limit(old), volume_limit(new)
        return after is not None and (before is None or after > before)
    return True
