"""What becomes of dependents when their owner goes."""

from typing import Any

import pytest
from sim_virtual import PODS, Virtual, in_virtual_time, spread, virtual, workload

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SETS = "/apis/apps/v1/namespaces/default/replicasets"
MAPS = "/api/v1/namespaces/default/configmaps"


async def _up(cluster: Virtual) -> None:
    cluster.schedule(spread())
    await cluster.post(DEPLOYMENTS, workload("web", replicas=2))
    await cluster.pass_(2)


async def _counts(cluster: Virtual) -> tuple[int, int, int]:
    deployments, sets, pods = [len((await cluster.get(path))["items"]) for path in (DEPLOYMENTS, SETS, PODS)]
    return deployments, sets, pods


@pytest.mark.parametrize(
    ("policy", "at_once", "later"),
    [
        pytest.param("Background", (0, 1, 2), (0, 0, 0), id="background"),
        pytest.param("Foreground", (1, 1, 2), (0, 0, 0), id="foreground"),
        pytest.param("Orphan", (1, 1, 2), (0, 1, 2), id="orphan"),
    ],
)
@in_virtual_time
async def test_deletion(policy: str, at_once: tuple[int, ...], later: tuple[int, ...]) -> None:
    async with virtual() as cluster:
        await _up(cluster)
        await cluster.delete(f"{DEPLOYMENTS}/web", policy)
        assert await _counts(cluster) == at_once
        await cluster.pass_(5)
        assert await _counts(cluster) == later


@in_virtual_time
async def test_orphans_have_no_owner_left() -> None:
    async with virtual() as cluster:
        await _up(cluster)
        await cluster.delete(f"{DEPLOYMENTS}/web", "Orphan")
        await cluster.pass_(5)
        (replica_set,) = (await cluster.get(SETS))["items"]
        assert "ownerReferences" not in replica_set["metadata"]


@in_virtual_time
async def test_foreground_waits_for_the_dependents() -> None:
    async with virtual(stages=()) as cluster:
        await _up(cluster)
        await cluster.delete(f"{DEPLOYMENTS}/web", "Foreground")
        await cluster.pass_(5)
        web = await cluster.get(f"{DEPLOYMENTS}/web")
        assert web["metadata"]["finalizers"] == ["foregroundDeletion"]
        assert (await _counts(cluster))[1:] == (1, 2)


def _map(name: str, *owners: Any) -> dict[str, Any]:
    references = [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": o["metadata"]["name"], "uid": o["metadata"]["uid"]}
        for o in owners
    ]
    return {"metadata": {"name": name, "ownerReferences": references}}


@in_virtual_time
async def test_the_last_owner_counts() -> None:
    async with virtual("garbage") as cluster:
        owners = [await cluster.post(MAPS, {"metadata": {"name": name}}) for name in ("a", "b")]
        await cluster.post(MAPS, _map("child", *owners))
        await cluster.delete(f"{MAPS}/a")
        await cluster.pass_(1)
        child = await cluster.get(f"{MAPS}/child")
        assert [r["name"] for r in child["metadata"]["ownerReferences"]] == ["b"]
        await cluster.delete(f"{MAPS}/b")
        await cluster.pass_(1)
        assert await cluster.names(MAPS) == []


@in_virtual_time
async def test_an_owner_that_never_was() -> None:
    async with virtual("garbage") as cluster:
        await cluster.post(MAPS, _map("child", {"metadata": {"name": "nobody", "uid": "1-2-3"}}))
        await cluster.pass_(1)
        assert await cluster.names(MAPS) == []


@in_virtual_time
async def test_unknown_kinds_of_owners_are_left_alone() -> None:
    async with virtual("garbage") as cluster:
        owner = {"apiVersion": "example.com/v1", "kind": "Thing", "name": "t", "uid": "1-2-3"}
        await cluster.post(MAPS, {"metadata": {"name": "child", "ownerReferences": [owner]}})
        await cluster.pass_(1)
        assert await cluster.names(MAPS) == ["child"]


@in_virtual_time
async def test_a_policy_that_is_none() -> None:
    async with virtual("garbage") as cluster:
        await cluster.post(MAPS, {"metadata": {"name": "a"}})
        code, answer = await cluster.call("DELETE", f"{MAPS}/a", {"propagationPolicy": "Sideways"})
        assert (code, answer["reason"]) == (422, "Invalid")
