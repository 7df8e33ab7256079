"""Which events wake a pod that a volume plugin rejected."""

from __future__ import annotations

from typing import Any

import pytest
from volume_world import claim, csi_node, node, pod, storage_class, volume

from tenantry_core.model.decode import from_builtins
from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.plugins.volume_binding import VolumeBinding
from tenantry_core.plugins.volume_limits import NodeVolumeLimits
from tenantry_core.plugins.volume_restrictions import VolumeRestrictions
from tenantry_core.plugins.volume_zone import VolumeZone

MINE = pod("p", "c", volumes=[{"name": "data", "ephemeral": {}}])
DISK = [{"name": "d", "gcePersistentDisk": {"pdName": "x"}}]
KINDS = {
    "PersistentVolumeClaim": Resource.PERSISTENT_VOLUME_CLAIM,
    "PersistentVolume": Resource.PERSISTENT_VOLUME,
    "StorageClass": Resource.STORAGE_CLASS,
    "CSINode": Resource.CSI_NODE,
    "CSIDriver": Resource.CSI_DRIVER,
    "CSIStorageCapacity": Resource.CSI_STORAGE_CAPACITY,
    "Node": Resource.NODE,
    "Pod": Resource.ASSIGNED_POD,
}


def added(new: Any) -> ClusterEvent:
    return ClusterEvent(KINDS[type(new).__name__], Action.ADD, None, new)


def changed(old: Any, new: Any, how: Action = Action.UPDATE_OTHER) -> ClusterEvent:
    return ClusterEvent(KINDS[type(new).__name__], how, old, new)


def gone(old: Any) -> ClusterEvent:
    return ClusterEvent(KINDS[type(old).__name__], Action.DELETE, old, None)


def space(capacity: str) -> Any:
    raw = {"metadata": {"name": "s", "namespace": "csi"}, "storageClassName": "x", "capacity": capacity}
    return from_builtins("CSIStorageCapacity", raw)


def driver(tracks: bool) -> Any:
    return from_builtins("CSIDriver", {"metadata": {"name": "d"}, "spec": {"storageCapacity": tracks}})


CASES = [
    (VolumeBinding(), added(claim("c")), True, "own claim"),
    (VolumeBinding(), added(claim("else")), False, "other claim"),
    (VolumeBinding(), added(claim("c", meta={"namespace": "x"})), False, "namesake claim"),
    (VolumeBinding(), added(claim("q-data")), True, "claim of a like pod"),
    (VolumeBinding(), changed(claim("c"), claim("c", to="v")), True, "claim bound"),
    (VolumeBinding(), added(volume("v")), True, "volume"),
    (VolumeBinding(), gone(volume("v")), False, "volume gone"),
    (VolumeBinding(), added(storage_class()), True, "class"),
    (VolumeBinding(), changed(storage_class(), storage_class(zones=["z"])), True, "topologies changed"),
    (VolumeBinding(), changed(storage_class(), storage_class()), False, "class otherwise changed"),
    (VolumeBinding(), added(node("a")), True, "node"),
    (VolumeBinding(), changed(node("a"), node("a"), Action.UPDATE_LABEL), True, "node label"),
    (VolumeBinding(), changed(node("a"), node("a"), Action.UPDATE_TAINT), False, "node taint"),
    (VolumeBinding(), changed(space("1Gi"), space("2Gi")), True, "more space"),
    (VolumeBinding(), changed(space("2Gi"), space("1Gi")), False, "less space"),
    (VolumeBinding(), changed(driver(True), driver(False)), True, "space no more tracked"),
    (VolumeBinding(), changed(driver(False), driver(True)), False, "space tracked"),
    (VolumeBinding(), gone(pod("u", "c", on="a")), False, "pod gone"),
    (VolumeZone(), added(storage_class()), True, "waiting class"),
    (VolumeZone(), added(storage_class(mode="Immediate")), False, "immediate class"),
    (VolumeZone(), changed(volume("v"), volume("v", labels={"topology.kubernetes.io/zone": "z"})), True, "zone label"),
    (VolumeZone(), changed(volume("v"), volume("v", labels={"x": "y"})), False, "other label"),
    (VolumeZone(), added(claim("q-data")), False, "ephemeral claim"),
    (VolumeRestrictions(), gone(pod("u", "c", on="a")), True, "pod with the claim"),
    (VolumeRestrictions(), gone(pod("u", "d", on="a")), False, "pod with another claim"),
    (VolumeRestrictions(), gone(pod("u", on="a", volumes=DISK)), False, "pod with a disk"),
    (VolumeRestrictions(), added(claim("c")), True, "own claim"),
    (VolumeRestrictions(), added(node("a")), True, "node"),
    (NodeVolumeLimits(), gone(pod("u", "d", on="a")), True, "pod with any claim"),
    (NodeVolumeLimits(), gone(pod("u", on="a")), False, "pod without claims"),
    (NodeVolumeLimits(), added(csi_node("a", disk=1)), True, "CSINode"),
    (NodeVolumeLimits(), changed(csi_node("a", disk=1), csi_node("a", disk=2)), True, "limit rose"),
    (NodeVolumeLimits(), changed(csi_node("a", disk=2), csi_node("a", disk=1)), False, "limit fell"),
    (NodeVolumeLimits(), changed(csi_node("a", disk=1), csi_node("a")), True, "limit gone"),
    (NodeVolumeLimits(), changed(csi_node("a"), csi_node("a", disk=1)), False, "limit came"),
]


@pytest.mark.parametrize(
    ("plugin", "event", "wakes"), [pytest.param(p, e, w, id=f"{p.name}: {name}") for p, e, w, name in CASES]
)
def test_wakes(plugin: VolumeBinding, event: ClusterEvent, wakes: bool) -> None:
    named = any(pattern.covers(event) for pattern in plugin.events())
    assert (named and plugin.hint(MINE, event)) is wakes


def test_disk_given_up_wakes() -> None:
    assert VolumeRestrictions().hint(pod("p", volumes=DISK), gone(pod("u", on="a", volumes=DISK)))
