"""Patches of volumes and claims over the Kubernetes client: the stored version, or the problem as a text."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.clock import FakeClock
from fakes.kube import FakeKube

from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.errors import MaybeSent
from tenantry_core.plugins.volume_api import KubeVolumeApi, VolumeWrite

ORDER = {"metadata": {"resourceVersion": "101", "annotations": {"volume.kubernetes.io/selected-node": "a"}}}


def _server() -> tuple[FakeKube, KubeVolumeApi]:
    server = FakeKube()
    server.add("/api/v1", "persistentvolumeclaims", {"metadata": {"name": "c", "namespace": "default"}})
    server.add("/api/v1", "persistentvolumes", {"metadata": {"name": "v"}})
    return server, KubeVolumeApi(KubeClient(server, FakeClock()))


async def test_a_claim_is_patched() -> None:
    server, api = _server()
    assert await api.update_pvc("default", "c", ORDER) == VolumeWrite("103")
    stored: Any = server.objects["/api/v1", "persistentvolumeclaims", "default", "c"]
    assert stored["metadata"]["annotations"] == {"volume.kubernetes.io/selected-node": "a"}


async def test_a_volume_is_patched() -> None:
    server, api = _server()
    assert await api.update_pv("v", {"spec": {"claimRef": {"name": "c"}}}) == VolumeWrite("103")
    stored: Any = server.objects["/api/v1", "persistentvolumes", "", "v"]
    assert stored["spec"] == {"claimRef": {"name": "c"}}


@pytest.mark.parametrize(
    ("name", "patch", "problem"),
    [
        pytest.param(
            "c", {"metadata": {"resourceVersion": "7"}}, "the object has been modified", id="changed meanwhile"
        ),
        pytest.param("gone", ORDER, 'persistentvolumeclaims "gone" not found', id="gone"),
    ],
)
async def test_a_refusal_is_a_problem(name: str, patch: dict[str, Any], problem: str) -> None:
    _, api = _server()
    assert await api.update_pvc("default", name, patch) == VolumeWrite(problem=problem)


async def test_a_lost_answer_is_a_problem() -> None:
    server, api = _server()
    server.script("PATCH", "persistentvolumes/v", MaybeSent("connection reset"))
    write = await api.update_pv("v", {"spec": {}})
    assert write.problem and not write.resource_version
