"""Zone labels of bound volumes against those of nodes."""

from __future__ import annotations

from typing import Any

import pytest
from volume_world import ZONE, VolumeWorld, claim, node, pod, storage_class, volume

from tenantry_core.plugins.volume_zone import VolumeZone

OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
NOWHERE = "3 node(s) had no available volume zone."


@pytest.mark.parametrize(
    ("labels", "verdict"),
    [
        pytest.param({}, {"a", "b", "bare", "old"}, id="no labels"),
        pytest.param({ZONE: "z1"}, {"a", "bare"}, id="one zone"),
        pytest.param({ZONE: "z1__z2"}, {"a", "b", "bare"}, id="two zones"),
        pytest.param({ZONE: "z1____z2"}, {"a", "b", "bare", "old"}, id="not a zone list"),
        pytest.param({OLD_ZONE: "z1"}, {"a", "bare", "old"}, id="old name fits today's"),
        pytest.param({ZONE: "z9"}, {"bare"}, id="no such zone"),
        pytest.param({REGION: "r1"}, {"bare"}, id="key that no node has"),
    ],
)
def test_zone_of_bound_volume(labels: dict[str, str], verdict: object) -> None:
    world = VolumeWorld(
        node("a", zone="z1"),
        node("b", zone="z2"),
        node("bare"),
        node("old", **{OLD_ZONE: "z1"}),
        claim(to="v"),
        volume("v", labels=labels),
    )
    assert world.verdict(pod("p", "c"), VolumeZone()) == verdict


def test_reason_counts_nodes() -> None:
    nodes = (node(n, zone="z1") for n in ("a", "b", "c"))
    world = VolumeWorld(*nodes, claim(to="v"), volume("v", labels={ZONE: "z2"}))
    assert world.verdict(pod("p", "c")) == NOWHERE


@pytest.mark.parametrize(
    ("things", "verdict"),
    [
        pytest.param((claim(), storage_class()), {"a"}, id="chosen later"),
        pytest.param((claim(), storage_class(mode="Immediate")), "PersistentVolume had no name.", id="immediate"),
        pytest.param((claim(),), 'storageclass.storage.k8s.io "wffc" not found.', id="class missing"),
        pytest.param(
            (claim(storage_class=""),), "PersistentVolumeClaim had no pv name and storageClass name.", id="no class"
        ),
        pytest.param((claim(to="v"),), 'persistentvolume "v" not found.', id="volume missing"),
    ],
)
def test_unbound_claim(things: tuple[Any, ...], verdict: object) -> None:
    assert VolumeWorld(node("a", zone="z1"), *things).verdict(pod("p", "c"), VolumeZone()) == verdict
