"""ReadWriteOncePod claims and single-attach disks serve one pod at a time."""

from __future__ import annotations

from typing import Any

import pytest
from volume_world import VolumeWorld, claim, node, pod, volume

from tenantry_core.cycle.decision import Unplaced
from tenantry_core.framework.status import Code
from tenantry_core.plugins.volume_restrictions import CLAIM_REASON, DISK_REASON

ONCE = {"modes": ["ReadWriteOncePod"]}


def gce(name: str, read_only: bool = False) -> dict[str, Any]:
    return {"name": "d", "gcePersistentDisk": {"pdName": name, "readOnly": read_only}}


def ebs(name: str, read_only: bool = False) -> dict[str, Any]:
    return {"name": "d", "awsElasticBlockStore": {"volumeID": name, "readOnly": read_only}}


def iscsi(name: str, read_only: bool = False) -> dict[str, Any]:
    return {"name": "d", "iscsi": {"targetPortal": "t", "iqn": name, "lun": 0, "readOnly": read_only}}


def rbd(image: str, monitors: tuple[str, ...] = ("m1",), read_only: bool = False) -> dict[str, Any]:
    return {"name": "d", "rbd": {"monitors": list(monitors), "image": image, "pool": "rbd", "readOnly": read_only}}


@pytest.mark.parametrize(
    ("mine", "other", "free"),
    [
        pytest.param(gce("x"), gce("x"), {"b"}, id="gce written"),
        pytest.param(gce("x", True), gce("x", True), {"a", "b"}, id="gce both read"),
        pytest.param(gce("x", True), gce("x"), {"b"}, id="gce one writes"),
        pytest.param(gce("x"), gce("y"), {"a", "b"}, id="gce other disk"),
        pytest.param(ebs("x", True), ebs("x", True), {"b"}, id="ebs even read"),
        pytest.param(iscsi("x"), iscsi("x"), {"b"}, id="iscsi written"),
        pytest.param(iscsi("x", True), iscsi("x", True), {"a", "b"}, id="iscsi both read"),
        pytest.param(rbd("i", ("m1", "m2")), rbd("i", ("m2",)), {"b"}, id="rbd common monitor"),
        pytest.param(rbd("i", ("m1",)), rbd("i", ("m2",)), {"a", "b"}, id="rbd other cluster"),
        pytest.param(rbd("i", read_only=True), rbd("i", read_only=True), {"a", "b"}, id="rbd both read"),
        pytest.param(gce("x"), ebs("x"), {"a", "b"}, id="different kinds"),
    ],
)
def test_single_attach_disk(mine: dict[str, Any], other: dict[str, Any], free: set[str]) -> None:
    world = VolumeWorld(node("a"), node("b"), pod("user", on="a", volumes=[other]))
    assert world.verdict(pod("p", volumes=[mine])) == free


def test_disk_reason_is_curable() -> None:
    world = VolumeWorld(node("a"), pod("user", on="a", volumes=[gce("x")]))
    decision = world.decide(pod("p", volumes=[gce("x")]))
    assert isinstance(decision, Unplaced)
    assert decision.status.code is Code.UNSCHEDULABLE
    assert [r.text for r in decision.diagnosis.reasons if r.rows.any()] == [DISK_REASON]


def test_claim_for_one_pod_is_taken_everywhere() -> None:
    world = VolumeWorld(node("a"), node("b"), volume("v"), claim(to="v", **ONCE), pod("user", "c", on="a"))
    assert world.verdict(pod("p", "c")) == f"2 {CLAIM_REASON}."
    world.cache.remove_pod("uid-user")
    assert world.verdict(pod("p", "c")) == {"a", "b"}


def test_claim_is_free_while_its_user_is_simulated_away() -> None:
    world = VolumeWorld(node("a"), volume("v"), claim(to="v", **ONCE), pod("user", "c", on="a"))
    user = world.cache.placed("uid-user")
    assert user is not None
    with world.cache.simulate() as simulation:
        simulation.remove(user)
        assert world.verdict(pod("p", "c")) == {"a"}
    assert world.verdict(pod("p", "c")) == f"1 {CLAIM_REASON}."
