"""Where a volume can be made for a claim: provisioner, topology, space, and the node it was ordered for."""

from __future__ import annotations

from typing import Any

import pytest
from volume_world import ZONE, VolumeWorld, claim, node, pod, storage_class, volume

from tenantry_core.model.decode import from_builtins

NO_VOLUME = "2 node(s) didn't find available persistent volumes to bind."
NO_SPACE = "2 node(s) did not have enough free storage."
DRIVER = "disk.example.com"


def driver(tracks: bool = True) -> Any:
    """The CSI driver, and whether it says how much space there is."""
    return from_builtins("CSIDriver", {"metadata": {"name": DRIVER}, "spec": {"storageCapacity": tracks}})


def space(name: str, zone: str | None, capacity: str | None, largest: str | None = None, of: str = "wffc") -> Any:
    """Space in one zone; no zone means that nobody can use it."""
    raw: dict[str, Any] = {"metadata": {"name": name, "namespace": "csi"}, "storageClassName": of}
    if zone is not None:
        raw["nodeTopology"] = {"matchLabels": {ZONE: zone}}
    if capacity is not None:
        raw["capacity"] = capacity
    if largest is not None:
        raw["maximumVolumeSize"] = largest
    return from_builtins("CSIStorageCapacity", raw)


@pytest.mark.parametrize(
    ("things", "verdict"),
    [
        pytest.param([storage_class(provisioner=DRIVER)], {"a", "b"}, id="anywhere"),
        pytest.param([storage_class()], NO_VOLUME, id="no provisioner"),
        pytest.param([storage_class(provisioner=DRIVER, zones=["z1"])], {"a"}, id="allowed topology"),
        pytest.param([storage_class(provisioner=DRIVER, zones=["z9"])], NO_VOLUME, id="topology of no node"),
        pytest.param([storage_class(provisioner=DRIVER), driver(False)], {"a", "b"}, id="space not tracked"),
        pytest.param([storage_class(provisioner=DRIVER), driver()], NO_SPACE, id="no space known"),
        pytest.param(
            [storage_class(provisioner=DRIVER), driver(), space("s", "z2", "1Gi")], {"b"}, id="space in a zone"
        ),
        pytest.param([storage_class(provisioner=DRIVER), driver(), space("s", "z2", "1Mi")], NO_SPACE, id="too little"),
        pytest.param(
            [storage_class(provisioner=DRIVER), driver(), space("s", "z2", "9Gi", "1Mi")], NO_SPACE, id="largest volume"
        ),
        pytest.param(
            [storage_class(provisioner=DRIVER), driver(), space("s", "z1", "9Gi", of="x")], NO_SPACE, id="other class"
        ),
        pytest.param(
            [storage_class(provisioner=DRIVER), driver(), space("s", None, "9Gi")], NO_SPACE, id="no topology"
        ),
        pytest.param([storage_class(provisioner=DRIVER), driver(), space("s", "z1", None)], NO_SPACE, id="no figure"),
    ],
)
def test_volume_to_be_made(things: list[Any], verdict: object) -> None:
    world = VolumeWorld(node("a", zone="z1"), node("b", zone="z2"), claim(), *things)
    assert world.verdict(pod("p", "c")) == verdict


def test_made_where_no_volume_is_in_reach() -> None:
    world = VolumeWorld(node("a", zone="z1"), node("b", zone="z2"), storage_class(provisioner=DRIVER, zones=["z1"]))
    for thing in (claim("c"), claim("d"), volume("v", on=["b"]), volume("w", on=["b"])):
        world.add(thing)
    assert world.verdict(pod("p", "c", "d")) == {"a", "b"}
    world.add(volume("w", on=["b"], phase="Bound"))
    assert world.verdict(pod("p", "c", "d")) == {"a"}


def test_ordered_for_a_node_before() -> None:
    world = VolumeWorld(node("a"), node("b"), storage_class(provisioner=DRIVER), claim(node="b"), volume("v", on=["a"]))
    assert world.verdict(pod("p", "c")) == {"b"}
    world.add(claim(node="gone"))
    assert world.verdict(pod("p", "c")) == NO_VOLUME
