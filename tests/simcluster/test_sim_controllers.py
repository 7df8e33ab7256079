"""The optional controllers: budget status, volume binding, provisioning."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from simcluster_client import MERGE, PODS, Api, eventually, pod

from tenantry_sim import SimCluster, SimConfig

_BUDGET = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
_CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
_CLASSES = "/apis/storage.k8s.io/v1/storageclasses"


@pytest.fixture
async def full() -> AsyncIterator[Api]:
    """A client of a cluster with every controller."""
    config = SimConfig(nodes=3, controllers=frozenset({"budgets", "volumes"}))
    async with SimCluster(config) as cluster, aiohttp.ClientSession() as session:
        yield Api(session, cluster.url)


async def _class(api: Api, mode: str, provisioner: str = "sim.example.com") -> None:
    await api.post(_CLASSES, {"metadata": {"name": "fast"}, "provisioner": provisioner, "volumeBindingMode": mode})


async def _claim(api: Api) -> None:
    spec = {
        "storageClassName": "fast",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "5Gi"}},
    }
    code, body = await api.post(_CLAIMS, {"metadata": {"name": "data"}, "spec": spec})
    assert (code, body["status"]) == (201, {"phase": "Pending"})


async def _volume(api: Api, name: str, size: str) -> None:
    spec = {"storageClassName": "fast", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": size}}
    assert (await api.post("/api/v1/persistentvolumes", {"metadata": {"name": name}, "spec": spec}))[0] == 201


async def _bound(api: Api) -> Any:
    async def check() -> bool:
        return bool((await api.get(f"{_CLAIMS}/data"))["status"].get("phase") == "Bound")

    await eventually(check)
    return await api.get(f"{_CLAIMS}/data")


async def test_smallest_fitting_volume_is_bound(full: Api) -> None:
    await _class(full, "Immediate", "kubernetes.io/no-provisioner")
    for name, size in (("large", "50Gi"), ("right", "5Gi"), ("small", "1Gi")):
        await _volume(full, name, size)
    await _claim(full)
    assert (await _bound(full))["spec"]["volumeName"] == "right"
    volume = await full.get("/api/v1/persistentvolumes/right")
    assert (volume["status"]["phase"], volume["spec"]["claimRef"]["name"]) == ("Bound", "data")


async def test_provisioned_at_once(full: Api) -> None:
    await _class(full, "Immediate")
    await _claim(full)
    assert (await _bound(full))["spec"]["volumeName"].startswith("pvc-")


async def test_provisioned_in_the_zone_of_the_selected_node(full: Api) -> None:
    await _class(full, "WaitForFirstConsumer")
    await _claim(full)
    patch = {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "node-1"}}}
    assert (await full.get(f"{_CLAIMS}/data"))["status"]["phase"] == "Pending"
    await full.call("PATCH", f"{_CLAIMS}/data", patch, MERGE)
    name = (await _bound(full))["spec"]["volumeName"]
    affinity = (await full.get(f"/api/v1/persistentvolumes/{name}"))["spec"]["nodeAffinity"]
    (term,) = affinity["required"]["nodeSelectorTerms"][0]["matchExpressions"]
    assert term == {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-1"]}


async def test_volume_claimed_by_the_scheduler_is_bound(full: Api) -> None:
    await _class(full, "WaitForFirstConsumer", "kubernetes.io/no-provisioner")
    await _volume(full, "local", "5Gi")
    await _claim(full)
    reference = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "data"}
    await full.call("PATCH", "/api/v1/persistentvolumes/local", {"spec": {"claimRef": reference}}, MERGE)
    assert (await _bound(full))["spec"]["volumeName"] == "local"


@pytest.mark.parametrize(
    ("spec", "allowed"),
    [
        pytest.param({"minAvailable": 2}, 1, id="min"),
        pytest.param({"minAvailable": "50%"}, 1, id="min-percent"),
        pytest.param({"maxUnavailable": 2}, 2, id="max"),
        pytest.param({"maxUnavailable": "34%"}, 2, id="max-percent-rounds-up"),
        pytest.param({"minAvailable": 4}, 0, id="never"),
    ],
)
async def test_budget_status(full: Api, spec: dict[str, Any], allowed: int) -> None:
    for i in range(3):
        wanted = pod(f"p{i}")
        wanted["metadata"]["labels"] = {"app": "web"}
        await full.post(PODS, wanted)
        await full.bind(f"p{i}", f"node-{i}")
    body = {"metadata": {"name": "b"}, "spec": {**spec, "selector": {"matchLabels": {"app": "web"}}}}
    assert (await full.post(_BUDGET, body))[0] == 201

    async def counted() -> bool:
        status = (await full.get(f"{_BUDGET}/b"))["status"]
        return (status.get("observedGeneration"), status["currentHealthy"], status["expectedPods"]) == (1, 3, 3)

    await eventually(counted)
    assert (await full.get(f"{_BUDGET}/b"))["status"]["disruptionsAllowed"] == allowed


async def test_eviction_is_counted_once(full: Api) -> None:
    for name in "ab":
        wanted = pod(name)
        wanted["metadata"]["labels"] = {"app": "web"}
        await full.post(PODS, wanted)
        await full.bind(name, "node-0")
    body = {"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}}
    await full.post(_BUDGET, body)

    async def one_allowed() -> bool:
        return bool((await full.get(f"{_BUDGET}/b"))["status"]["disruptionsAllowed"] == 1)

    await eventually(one_allowed)
    codes = [(await full.post(f"{PODS}/{name}/eviction", {"metadata": {"name": name}}))[0] for name in "ab"]
    assert codes == [201, 429]


def test_unknown_controller_is_refused() -> None:
    with pytest.raises(ValueError, match="controllers: unknown name 'magic'"):
        SimCluster(SimConfig(controllers=frozenset({"magic"})))
