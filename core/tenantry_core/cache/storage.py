"""Storage objects by name, what is assumed of them, and the claims that placed pods use.

Reserve assumes that a volume belongs to a claim, or that a claim's volume is to be made for a node, before the API
server knows. `volumes` and `claims` show the assumed version; `stored_volume` and `stored_claim` the API server's. A
newer version of an object ends what was assumed of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

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
    VolumeAttachment,
)

CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
"""Older place of a volume's or claim's storage class; it wins where it is set."""

ClaimKey = tuple[str, str]
"""Namespace and name."""

_Bindable = PersistentVolume | PersistentVolumeClaim
_NO_CLAIMS: Mapping[ClaimKey, int] = MappingProxyType({})


class StorageStore:
    """Implements framework.snapshot.StorageView."""

    def __init__(self) -> None:
        self.version = 0
        self.listeners: list[Callable[[], None]] = []
        """Called after each change of `version`; they must not change the store."""
        self.volumes: dict[str, PersistentVolume] = {}
        self.claims: dict[ClaimKey, PersistentVolumeClaim] = {}
        self.classes: dict[str, StorageClass] = {}
        self.csi_nodes: dict[str, CSINode] = {}
        self.csi_drivers: dict[str, CSIDriver] = {}
        self.capacities: dict[str, CSIStorageCapacity] = {}
        self._attachments: dict[str, dict[str, VolumeAttachment]] = {}
        """By node and name."""
        self._by_class: dict[str, dict[str, PersistentVolume]] = {}
        self._stored_volumes: dict[str, PersistentVolume] = {}
        """Only of volumes of which something is assumed."""
        self._stored_claims: dict[ClaimKey, PersistentVolumeClaim] = {}
        """Only of claims of which something is assumed."""
        self._users: dict[ClaimKey, dict[str, PlacedPod]] = {}
        self._on_row: dict[int, dict[ClaimKey, int]] = {}

    # News from the API server

    def put(self, item: object) -> bool:
        """Store an object of one of the kinds above; False for any other kind."""
        match item:
            case PersistentVolume():
                if not _repeated(self._stored_volumes.pop(item.metadata.name, None), item):
                    self._show_volume(item)
                else:
                    self._stored_volumes[item.metadata.name] = item
            case PersistentVolumeClaim():
                key = item.metadata.namespace, item.metadata.name
                if not _repeated(self._stored_claims.pop(key, None), item):
                    self.claims[key] = item
                else:
                    self._stored_claims[key] = item
            case _:
                table = self._table(item)
                if table is None:
                    return False
                table[_name(item)] = item
        self._changed()
        return True

    def drop(self, item: object) -> bool:
        """Remove an object; False for any other kind."""
        match item:
            case PersistentVolume():
                name = item.metadata.name
                self._stored_volumes.pop(name, None)
                self._hide_volume(name)
            case PersistentVolumeClaim():
                key = item.metadata.namespace, item.metadata.name
                self._stored_claims.pop(key, None)
                self.claims.pop(key, None)
            case _:
                table = self._table(item)
                if table is None:
                    return False
                table.pop(_name(item), None)
        self._changed()
        return True

    # Assumptions

    def assume_volume(self, volume: PersistentVolume) -> None:
        """Show `volume` until news of it comes. Raises KeyError where no such volume is stored."""
        name = volume.metadata.name
        self._stored_volumes.setdefault(name, self.volumes[name])
        self._show_volume(volume)
        self._changed()

    def assume_claim(self, claim: PersistentVolumeClaim) -> None:
        """Show `claim` until news of it comes. Raises KeyError where no such claim is stored."""
        key = claim.metadata.namespace, claim.metadata.name
        self._stored_claims.setdefault(key, self.claims[key])
        self.claims[key] = claim
        self._changed()

    def restore_volume(self, name: str) -> None:
        """Show a volume as stored again. No fault where nothing is assumed."""
        stored = self._stored_volumes.pop(name, None)
        if stored is not None:
            self._show_volume(stored)
            self._changed()

    def restore_claim(self, namespace: str, name: str) -> None:
        """Show a claim as stored again. No fault where nothing is assumed."""
        stored = self._stored_claims.pop((namespace, name), None)
        if stored is not None:
            self.claims[namespace, name] = stored
            self._changed()

    def stored_volume(self, name: str) -> PersistentVolume | None:
        """A volume as the API server last sent it."""
        return self._stored_volumes.get(name) or self.volumes.get(name)

    def stored_claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        """A claim as the API server last sent it."""
        key = namespace, name
        return self._stored_claims.get(key) or self.claims.get(key)

    def attachments_of(self, node: str) -> Iterable[VolumeAttachment]:
        """Attachments that the attach controller keeps for a node, those of pods that are gone included."""
        return self._attachments.get(node, {}).values()

    def volumes_of_class(self, name: str) -> Iterable[PersistentVolume]:
        """Volumes of a storage class, "" for those without one."""
        return self._by_class.get(name, {}).values()

    # Use by placed pods

    def claim_users(self, namespace: str, name: str) -> Iterable[PlacedPod]:
        """Placed pods that use a claim."""
        return self._users.get((namespace, name), {}).values()

    def claims_on(self, row: int) -> Mapping[ClaimKey, int]:
        """Claims that pods on a row use, with how many pods use each."""
        return self._on_row.get(row, _NO_CLAIMS)

    def use(self, placed: PlacedPod) -> None:
        """Note the claims of a placed pod."""
        for claim in set(claims_of(placed.cls, placed.pod)):
            self._users.setdefault(claim, {})[placed.uid] = placed
            on_row = self._on_row.setdefault(placed.row, {})
            on_row[claim] = on_row.get(claim, 0) + 1

    def release(self, placed: PlacedPod) -> None:
        """Forget the claims of a placed pod."""
        for claim in set(claims_of(placed.cls, placed.pod)):
            users = self._users.get(claim)
            if users is None or users.pop(placed.uid, None) is None:
                continue
            if not users:
                del self._users[claim]
            on_row = self._on_row[placed.row]
            on_row[claim] -= 1
            if not on_row[claim]:
                del on_row[claim]
            if not on_row:
                del self._on_row[placed.row]

    # Inside

    def _table(self, item: object) -> dict[str, Any] | None:
        match item:
            case StorageClass():
                return self.classes
            case CSINode():
                return self.csi_nodes
            case CSIDriver():
                return self.csi_drivers
            case CSIStorageCapacity():
                return self.capacities
            case VolumeAttachment():
                return self._attachments.setdefault(item.spec.node_name, {})
        return None

    def _show_volume(self, volume: PersistentVolume) -> None:
        name = volume.metadata.name
        self._hide_volume(name)
        self.volumes[name] = volume
        self._by_class.setdefault(storage_class_of(volume), {})[name] = volume

    def _hide_volume(self, name: str) -> None:
        shown = self.volumes.pop(name, None)
        if shown is not None:
            kept = self._by_class[storage_class_of(shown)]
            del kept[name]
            if not kept:
                del self._by_class[storage_class_of(shown)]

    def _changed(self) -> None:
        self.version += 1
        for listener in self.listeners:
            listener()


def _name(item: Any) -> str:
    meta = item.metadata
    return f"{meta.namespace}/{meta.name}" if isinstance(item, CSIStorageCapacity) else str(meta.name)


def _repeated(stored: _Bindable | None, item: _Bindable) -> bool:
    """Whether `item` is what an assumption was made on, sent once more (by a fresh list): no reason to end it."""
    return stored is not None and stored.metadata.resource_version == item.metadata.resource_version


def storage_class_of(item: _Bindable) -> str:
    """Storage class of a volume or claim, "" where it has none."""
    annotations = item.metadata.annotations
    if annotations and CLASS_ANNOTATION in annotations:
        return annotations[CLASS_ANNOTATION]
    return item.spec.storage_class_name or ""


def claims_of(cls: PodClass, pod: Pod) -> list[ClaimKey]:
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
