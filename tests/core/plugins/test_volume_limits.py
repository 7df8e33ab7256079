"""CSI attach limits: distinct volumes per driver, on the node and new."""

from __future__ import annotations

from typing import Any

import pytest
from volume_world import VolumeWorld, claim, csi_node, node, pod, storage_class, volume

from tenantry_core.model.decode import from_builtins

FULL = "1 node(s) exceed max volume count."


def bound(*names: str, **more: Any) -> list[Any]:
    """Claims with a volume each."""
    return [thing for n in names for thing in (claim(n, to=f"v-{n}"), volume(f"v-{n}", **more))]


@pytest.mark.parametrize(
    ("things", "wanted", "verdict"),
    [
        pytest.param([csi_node("a", disk=2), pod("u", "x", "y", on="a")], ("z",), FULL, id="T59 third of two"),
        pytest.param([csi_node("a", disk=3), pod("u", "x", "y", on="a")], ("z",), {"a"}, id="third of three"),
        pytest.param([csi_node("a", disk=2), pod("u", "x", "y", on="a")], ("y",), {"a"}, id="in use on the node"),
        pytest.param([csi_node("a", disk=1)], ("x", "x"), {"a"}, id="T59 one volume mounted twice"),
        pytest.param([csi_node("a", disk=1)], ("x", "y"), FULL, id="two at once"),
        pytest.param(
            [csi_node("a", disk=2), pod("u", "x", on="a"), pod("w", "x", on="a")],
            ("z",),
            {"a"},
            id="shared counts once",
        ),
        pytest.param([csi_node("a", disk=0)], ("x",), FULL, id="limit zero"),
        pytest.param([csi_node("a", other=0)], ("x",), {"a"}, id="other driver's limit"),
        pytest.param([pod("u", "x", "y", on="a")], ("z",), {"a"}, id="no CSINode"),
    ],
)
def test_attach_limit(things: list[Any], wanted: tuple[str, ...], verdict: object) -> None:
    world = VolumeWorld(node("a"), *bound("x", "y", "z"), *things)
    assert world.verdict(pod("p", *wanted)) == verdict


def test_two_claims_of_one_handle_are_one_volume() -> None:
    world = VolumeWorld(node("a"), *bound("x", "y", handle="same"), csi_node("a", disk=1), pod("u", "x", on="a"))
    assert world.verdict(pod("p", "y")) == {"a"}


def test_in_line_csi_volumes_do_not_count() -> None:
    inline = [{"name": "i", "csi": {"driver": "disk.example.com"}}]
    world = VolumeWorld(node("a"), *bound("x"), csi_node("a", disk=1), pod("u", on="a", volumes=inline))
    assert world.verdict(pod("p", "x", volumes=inline)) == {"a"}


def test_a_claim_without_volume_counts_for_its_provisioner() -> None:
    world = VolumeWorld(
        node("a"),
        storage_class("made", "disk.example.com"),
        claim("new", storage_class="made"),
        *bound("x"),
        csi_node("a", disk=1),
        pod("u", "x", on="a"),
    )
    assert world.verdict(pod("p", "new")) == FULL


def test_volumes_of_other_drivers_take_no_room() -> None:
    world = VolumeWorld(
        node("a"),
        *bound("x", "y", driver="other.example.com"),
        *bound("z"),
        csi_node("a", disk=1, other=9),
        pod("u", "x", "y", on="a"),
    )
    assert world.verdict(pod("p", "z")) == {"a"}


def attached(node_name: str, volume_name: str, driver: str = "disk.example.com") -> Any:
    """The attach controller's record."""
    spec = {"attacher": driver, "nodeName": node_name, "source": {"persistentVolumeName": volume_name}}
    return from_builtins("VolumeAttachment", {"metadata": {"name": f"{node_name}-{volume_name}"}, "spec": spec})


@pytest.mark.parametrize(
    ("records", "verdict"),
    [
        pytest.param([("a", "v-y")], FULL, id="a volume that no pod uses any more but is still attached"),
        pytest.param([("a", "v-x")], {"a"}, id="the very volume that is wanted"),
        pytest.param([("b", "v-y")], {"a"}, id="attached elsewhere"),
        pytest.param([("a", "gone")], {"a"}, id="its volume is gone"),
    ],
)
def test_volumes_count_while_they_are_attached(records: list[tuple[str, str]], verdict: object) -> None:
    world = VolumeWorld(node("a"), *bound("x", "y"), csi_node("a", disk=1))
    for record in records:
        world.cache.put("VolumeAttachment", attached(*record))
    assert world.verdict(pod("p", "x")) == verdict
