"""The volume binder and a simulated provisioner, small. Off unless asked for.

Claims bind to a volume that names them, to a fitting free volume, or to a volume made for them. A claim of a class that
waits for its first consumer is left alone until the scheduler has named a node or a volume has been claimed for it.
"""

from typing import Any

from tenantry_sim import quantities
from tenantry_sim.clock import Cancellable
from tenantry_sim.kinds.deletion import DeleteOptions, delete
from tenantry_sim.store.records import Change, Object, Record
from tenantry_sim.world import World

_CLAIMS, _VOLUMES = "/persistentvolumeclaims", "/persistentvolumes"
_CLASSES = "storage.k8s.io/storageclasses"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
_NO_PROVISIONER = "kubernetes.io/no-provisioner"
_SETTLE_SECONDS = 0.01


class VolumeController:
    """Follows claims and volumes; looks at every unbound claim shortly after something changed."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._timer: Cancellable | None = None

    def start(self) -> None:
        for key in (_CLAIMS, _VOLUMES, _CLASSES):
            self.world.kind(key).listeners.append(self._on_change)
        self._plan()

    def stop(self) -> None:
        for key in (_CLAIMS, _VOLUMES, _CLASSES):
            if self._on_change in self.world.kind(key).listeners:
                self.world.kind(key).listeners.remove(self._on_change)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_change(self, change: Change) -> None:
        if change.type != "DELETED":
            self._plan()
        elif change.record.namespace:  # claims alone have one
            claim = change.record.decode()
            self.world.clock.call_later(_SETTLE_SECONDS, lambda: self._release(claim))

    def _release(self, claim: Object) -> None:
        """What the reclaim policy of a volume says once its claim is gone."""
        volumes = self.world.kind(_VOLUMES)
        record = volumes.get("", claim["spec"].get("volumeName") or "")
        volume = record.decode() if record is not None else None
        if record is None or volume is None or not _claimed_by(volume, claim):
            return
        if volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
            delete(self.world, volumes, record, DeleteOptions())
            return
        volume["status"] = {"phase": "Released"}
        self.world.store.replace(volumes, record, volume)

    def _plan(self) -> None:
        if self._timer is None:
            self._timer = self.world.clock.call_later(_SETTLE_SECONDS, self._sweep)

    def _sweep(self) -> None:
        self._timer = None
        claims = [(r, r.decode()) for r in self.world.kind(_CLAIMS).ordered() if not r.deleting]
        unbound = [(r, c) for r, c in claims if c.get("status", {}).get("phase") != "Bound"]
        if not unbound:
            return
        volumes = {r.name: r.decode() for r in self.world.kind(_VOLUMES).ordered()}
        for record, claim in unbound:
            volume = self._volume_for(claim, volumes)
            if volume is not None:
                self._bind(record, claim, volume)
                volumes[volume["metadata"]["name"]] = volume

    def _volume_for(self, claim: Object, volumes: dict[str, Object]) -> Object | None:
        named = claim["spec"].get("volumeName")
        if named:
            return volumes.get(named)
        for volume in volumes.values():
            if _claimed_by(volume, claim):
                return volume
        storage_class = self._class(claim)
        waits = storage_class.get("volumeBindingMode") == "WaitForFirstConsumer"
        node = (claim["metadata"].get("annotations") or {}).get(SELECTED_NODE, "")
        if waits and not node:
            return None
        free = [v for v in volumes.values() if not v["spec"].get("claimRef") and _fits(v, claim)]
        if free and not waits:
            return min(free, key=lambda v: quantities.parse(v["spec"]["capacity"]["storage"]))
        if storage_class.get("provisioner", _NO_PROVISIONER) == _NO_PROVISIONER:
            return None
        return self._provision(claim, node)

    def _class(self, claim: Object) -> Object:
        record = self.world.find(_CLASSES, claim["spec"].get("storageClassName") or "")
        return record.decode() if record is not None else {}

    def _provision(self, claim: Object, node: str) -> Object:
        """A new volume for the claim, reachable from the zone of the node, if it has one."""
        name = f"pvc-{claim['metadata']['uid']}"
        metadata = {"name": name, "uid": self.world.uid(), "creationTimestamp": self.world.stamp()}
        size = claim["spec"].get("resources", {}).get("requests", {}).get("storage", "1Gi")
        spec: dict[str, Any] = {
            "capacity": {"storage": size},
            "accessModes": claim["spec"].get("accessModes") or ["ReadWriteOnce"],
            "storageClassName": claim["spec"].get("storageClassName", ""),
            "persistentVolumeReclaimPolicy": "Delete",
            "volumeMode": claim["spec"].get("volumeMode", "Filesystem"),
            "csi": {"driver": self._class(claim).get("provisioner", ""), "volumeHandle": name},
        }
        record = self.world.find("/nodes", node) if node else None
        zone = record.labels.get("topology.kubernetes.io/zone") if record is not None else None
        if zone:
            term = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [term]}]}}
        volume = {"metadata": metadata, "spec": spec, "status": {"phase": "Available"}}
        self.world.store.create(self.world.kind(_VOLUMES), volume)
        return volume

    def _bind(self, record: Record, claim: Object, volume: Object) -> None:
        volumes, name = self.world.kind(_VOLUMES), volume["metadata"]["name"]
        present = volumes.get("", name)
        reference = volume["spec"].get("claimRef")
        if present is None or (reference and not _claimed_by(volume, claim)):
            return
        metadata = claim["metadata"]
        volume["spec"]["claimRef"] = {
            "kind": "PersistentVolumeClaim",
            "apiVersion": "v1",
            "namespace": metadata["namespace"],
            "name": metadata["name"],
            "uid": metadata["uid"],
        }
        volume["status"] = {"phase": "Bound"}
        self.world.store.replace(volumes, present, volume)
        claim["spec"]["volumeName"] = name
        metadata.setdefault("annotations", {})["pv.kubernetes.io/bind-completed"] = "yes"
        claim["status"] = {
            "phase": "Bound",
            "accessModes": volume["spec"].get("accessModes", []),
            "capacity": volume["spec"].get("capacity", {}),
        }
        self.world.store.replace(self.world.kind(_CLAIMS), record, claim)


def _claimed_by(volume: Object, claim: Object) -> bool:
    reference, metadata = volume["spec"].get("claimRef"), claim["metadata"]
    if not reference:
        return False
    same = (reference.get("namespace"), reference.get("name")) == (metadata["namespace"], metadata["name"])
    return same and reference.get("uid", metadata["uid"]) == metadata["uid"]


def _fits(volume: Object, claim: Object) -> bool:
    """Same class, enough room, all access modes, and the same volume mode."""
    wanted, has = claim["spec"], volume["spec"]
    if (wanted.get("storageClassName") or "") != (has.get("storageClassName") or ""):
        return False
    if wanted.get("volumeMode", "Filesystem") != has.get("volumeMode", "Filesystem"):
        return False
    size = wanted.get("resources", {}).get("requests", {}).get("storage", "0")
    if quantities.parse(has.get("capacity", {}).get("storage", "0")) < quantities.parse(size):
        return False
    return set(wanted.get("accessModes") or ()) <= set(has.get("accessModes") or ())
