"""Nodes that fall silent, come back, are cordoned or removed."""

from typing import Any

import pytest
from sim_virtual import PODS, Virtual, in_virtual_time, virtual, workload

NODE = "/api/v1/nodes/node-1"
UNREACHABLE = "node.kubernetes.io/unreachable"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def _taints(node: Any) -> list[tuple[str, str]]:
    return [(t["key"], t["effect"]) for t in node["spec"].get("taints", [])]


async def _lost(cluster: Virtual, lost: bool = True) -> None:
    note = "true" if lost else None
    await cluster.patch(NODE, {"metadata": {"annotations": {"sim.tenantry.io/lost": note}}})


@pytest.mark.parametrize("beat", [pytest.param(0.0, id="without leases"), pytest.param(10.0, id="with leases")])
@in_virtual_time
async def test_silent_node_is_tainted_and_recovers(beat: float) -> None:
    async with virtual("lifecycle", heartbeat_seconds=beat) as cluster:
        await cluster.pass_(25)
        await _lost(cluster)
        await cluster.pass_(30)
        assert _taints(await cluster.get(NODE)) == []
        await cluster.pass_(30)
        node = await cluster.get(NODE)
        assert _taints(node) == [(UNREACHABLE, "NoSchedule"), (UNREACHABLE, "NoExecute")]
        assert {c["status"] for c in node["status"]["conditions"]} == {"Unknown"}
        await _lost(cluster, False)
        await cluster.pass_(120)
        node = await cluster.get(NODE)
        assert _taints(node) == []
        assert {c["type"]: c["status"] for c in node["status"]["conditions"]}["Ready"] == "True"


@in_virtual_time
async def test_a_workload_moves_away_from_a_lost_node() -> None:
    async with virtual() as cluster:
        nodes = iter(["node-0", "node-1", "node-2", "node-0"])
        cluster.schedule(lambda name, spec: next(nodes))
        await cluster.post(DEPLOYMENTS, workload("web", replicas=3))
        await cluster.pass_(2)
        await _lost(cluster)
        await cluster.pass_(60)
        assert (await cluster.get(f"{DEPLOYMENTS}/web"))["status"]["readyReplicas"] == 2
        await cluster.pass_(310)
        assert (await cluster.get(f"{DEPLOYMENTS}/web"))["status"]["readyReplicas"] == 3
        pods = (await cluster.get(PODS))["items"]
        assert [p["spec"]["nodeName"] for p in pods if "deletionTimestamp" in p["metadata"]] == ["node-1"]


@in_virtual_time
async def test_cordoned_node_has_the_taint() -> None:
    async with virtual("lifecycle") as cluster:
        for unschedulable, taints in ((True, [("node.kubernetes.io/unschedulable", "NoSchedule")]), (False, [])):
            await cluster.patch(NODE, {"spec": {"unschedulable": unschedulable}})
            await cluster.pass_(1)
            assert _taints(await cluster.get(NODE)) == taints


@in_virtual_time
async def test_taints_of_others_stay() -> None:
    async with virtual("lifecycle") as cluster:
        mine = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
        await cluster.patch(NODE, {"spec": {"taints": [mine], "unschedulable": True}})
        await cluster.pass_(1)
        assert (await cluster.get(NODE))["spec"]["taints"][0] == mine


@pytest.mark.parametrize(
    ("tolerations", "seconds"),
    [
        pytest.param([], 0.0, id="at once"),
        pytest.param([{"key": "flood", "operator": "Exists", "tolerationSeconds": 60}], 60.0, id="after a while"),
        pytest.param([{"key": "flood", "operator": "Exists"}], None, id="never"),
    ],
)
@in_virtual_time
async def test_taint_drives_pods_out(tolerations: Any, seconds: float | None) -> None:
    async with virtual("lifecycle") as cluster:
        cluster.schedule(lambda name, spec: "node-1")
        spec = {"containers": [{"name": "c", "image": "a:1"}], "tolerations": tolerations}
        await cluster.post(PODS, {"metadata": {"name": "p"}, "spec": spec})
        await cluster.pass_(1)
        await cluster.patch(NODE, {"spec": {"taints": [{"key": "flood", "effect": "NoExecute"}]}})
        if seconds:
            await cluster.pass_(seconds - 5)
            assert await cluster.names(PODS) == ["p"]
        await cluster.pass_(1000 if seconds is None else 10)
        assert await cluster.names(PODS) == (["p"] if seconds is None else [])


@in_virtual_time
async def test_pods_of_a_removed_node_are_cleared_up() -> None:
    async with virtual("lifecycle") as cluster:
        cluster.schedule(lambda name, spec: "node-1")
        await cluster.post(PODS, {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "a:1"}]}})
        await cluster.pass_(1)
        await cluster.delete(NODE)
        await cluster.pass_(30)
        assert await cluster.names(PODS) == ["p"]
        await cluster.pass_(15)
        assert await cluster.names(PODS) == []
