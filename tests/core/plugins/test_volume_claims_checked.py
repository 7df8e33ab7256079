"""Claims that can't be used refuse the pod before any node is looked at."""

from __future__ import annotations

from typing import Any

import pytest
from volume_world import VolumeWorld, claim, node, pod, storage_class, volume

from tenantry_core.cycle.decision import Unplaced
from tenantry_core.framework.status import Code

OWN = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}
EPHEMERAL = [{"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]


@pytest.mark.parametrize(
    ("things", "message"),
    [
        pytest.param((), 'persistentvolumeclaim "c" not found.', id="missing"),
        pytest.param(
            (claim(to="gone", phase="Lost"),),
            'persistentvolumeclaim "c" bound to non-existent persistentvolume "gone".',
            id="lost",
        ),
        pytest.param(
            (claim(to="v", meta={"deletionTimestamp": "2026-01-01T00:00:00Z"}), volume("v")),
            'persistentvolumeclaim "c" is being deleted.',
            id="on its way out",
        ),
        pytest.param(
            (claim(storage_class="now"), storage_class("now", mode="Immediate")),
            "pod has unbound immediate PersistentVolumeClaims.",
            id="should be bound by now",
        ),
        pytest.param((claim(),), "pod has unbound immediate PersistentVolumeClaims.", id="class missing"),
        pytest.param(
            (claim(spec={"volumeName": "v"}), storage_class(), volume("v")),
            "pod has unbound immediate PersistentVolumeClaims.",
            id="names its volume, not bound yet",
        ),
        pytest.param((claim(to="v"),), 'persistentvolume "v" not found.', id="volume missing"),
    ],
)
def test_unusable_claim(things: tuple[Any, ...], message: str) -> None:
    decision = VolumeWorld(node("a"), *things).decide(pod("p", "c"))
    assert isinstance(decision, Unplaced)
    assert decision.diagnosis.pre_filter.message + "." == message
    assert decision.status.code is Code.UNRESOLVABLE


@pytest.mark.parametrize(
    ("things", "verdict"),
    [
        pytest.param(
            (),
            'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-data".',
            id="not made yet",
        ),
        pytest.param(
            (claim("p-data", to="v"),),
            "PVC default/p-data was not created for pod default/p (pod is not owner).",
            id="somebody else's",
        ),
        pytest.param((claim("p-data", to="v", meta={"ownerReferences": [OWN]}),), {"a"}, id="its own"),
    ],
)
def test_ephemeral_claim(things: tuple[Any, ...], verdict: object) -> None:
    world = VolumeWorld(node("a"), volume("v"), *things)
    assert world.verdict(pod("p", volumes=EPHEMERAL)) == verdict


def test_pods_of_one_class_have_ephemeral_claims_of_their_own() -> None:
    world = VolumeWorld(node("a"), volume("v"), claim("p-data", to="v", meta={"ownerReferences": [OWN]}))
    first, second = pod("p", volumes=EPHEMERAL), pod("q", volumes=EPHEMERAL)
    assert world.cache.classes.class_of(first) is world.cache.classes.class_of(second)
    assert world.verdict(first) == {"a"}
    assert '"q-data"' in world.verdict(second)
