"""Storage objects by name, with the claims that placed pods use."""

from __future__ import annotations

from collections.abc import Iterable

from tenantry_core.framework.placed import PlacedPod
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.model.objects import Pod
from tenantry_core.model.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)


class StorageStore:
    """Implements framework.snapshot.StorageView."""

    def __init__(self) -> None:
        self.version = 0
        self.volumes: dict[str, PersistentVolume] = {}
        self.claims: dict[tuple[str, str], PersistentVolumeClaim] = {}
        self.classes: dict[str, StorageClass] = {}
        self.csi_nodes: dict[str, CSINode] = {}
        self.csi_drivers: dict[str, CSIDriver] = {}
        self.capacities: dict[str, CSIStorageCapacity] = {}
        self._users: dict[tuple[str, str], dict[str, PlacedPod]] = {}

    def put(self, item: object) -> bool:
        """Store an object of one of the kinds above; False for any other kind."""
        match item:
            case PersistentVolume():
                self.volumes[item.metadata.name] = item
            case PersistentVolumeClaim():
                self.claims[item.metadata.namespace, item.metadata.name] = item
            case StorageClass():
                self.classes[item.metadata.name] = item
            case CSINode():
                self.csi_nodes[item.metadata.name] = item
            case CSIDriver():
                self.csi_drivers[item.metadata.name] = item
            case CSIStorageCapacity():
                self.capacities[f"{item.metadata.namespace}/{item.metadata.name}"] = item
            case _:
                return False
        self.version += 1
        return True

    def drop(self, item: object) -> bool:
        """Remove an object; False for any other kind."""
        match item:
            case PersistentVolume():
                self.volumes.pop(item.metadata.name, None)
            case PersistentVolumeClaim():
                self.claims.pop((item.metadata.namespace, item.metadata.name), None)
            case StorageClass():
                self.classes.pop(item.metadata.name, None)
            case CSINode():
                self.csi_nodes.pop(item.metadata.name, None)
            case CSIDriver():
                self.csi_drivers.pop(item.metadata.name, None)
            case CSIStorageCapacity():
                self.capacities.pop(f"{item.metadata.namespace}/{item.metadata.name}", None)
            case _:
                return False
        self.version += 1
        return True

    def claim_users(self, namespace: str, name: str) -> Iterable[PlacedPod]:
        """Placed pods that use a claim."""
        return self._users.get((namespace, name), {}).values()

    def use(self, placed: PlacedPod) -> None:
        """Note the claims of a placed pod."""
        for claim in claims_of(placed.cls, placed.pod):
            self._users.setdefault(claim, {})[placed.uid] = placed

    def release(self, placed: PlacedPod) -> None:
        """Forget the claims of a placed pod."""
        for claim in claims_of(placed.cls, placed.pod):
            users = self._users.get(claim)
            if users is not None:
                users.pop(placed.uid, None)
                if not users:
                    del self._users[claim]


def claims_of(cls: PodClass, pod: Pod) -> list[tuple[str, str]]:
    """(namespace, name) of every claim a pod uses; an ephemeral volume's claim is named after pod and volume."""
    if not cls.volumes:
        return []
    namespace, found = pod.metadata.namespace, []
    for volume in cls.volumes:
        if volume.persistent_volume_claim:
            found.append((namespace, volume.persistent_volume_claim.claim_name))
        elif volume.ephemeral:
            found.append((namespace, f"{pod.metadata.name}-{volume.name}"))
    return found
