"""Simulated nodes and the life of their pods."""

import aiohttp
from simcluster_client import PODS, Api, eventually, pod

from tenantry_sim import NodeTemplate, SimCluster, SimConfig, Stage
from tenantry_sim.config import DEFAULT_STAGES


async def test_nodes_follow_the_template() -> None:
    template = NodeTemplate({"cpu": "8", "pods": "10"}, {"pool": "a"}, ({"key": "k", "effect": "NoSchedule"},))
    config = SimConfig(nodes=4, node_template=template, zones=2)
    async with SimCluster(config) as cluster, aiohttp.ClientSession() as session:
        nodes = (await Api(session, cluster.url).get("/api/v1/nodes"))["items"]
    assert [n["metadata"]["name"] for n in nodes] == [f"node-{i}" for i in range(4)]
    node = nodes[3]
    assert node["status"]["allocatable"] == {"cpu": "8", "pods": "10"}
    assert node["spec"]["taints"] == [{"key": "k", "effect": "NoSchedule"}]
    labels = node["metadata"]["labels"]
    assert labels["topology.kubernetes.io/zone"] == "zone-1"
    assert (labels["kubernetes.io/hostname"], labels["kubernetes.io/os"], labels["pool"]) == ("node-3", "linux", "a")
    assert {c["type"]: c["status"] for c in node["status"]["conditions"]}["Ready"] == "True"


async def test_pod_that_ends_by_itself(api: Api) -> None:
    wanted = pod("p", restartPolicy="Never")
    wanted["metadata"]["annotations"] = {"sim.tenantry.io/succeed-after-seconds": "0.05"}
    await api.post(PODS, wanted)
    await api.bind("p", "node-0")

    async def done() -> bool:
        return bool((await api.get(f"{PODS}/p"))["status"]["phase"] == "Succeeded")

    await eventually(done)


async def test_stages_are_data() -> None:
    stages = (Stage("crash", "bound", "Failed"), *DEFAULT_STAGES[1:])
    config = SimConfig(nodes=1, stages=stages)
    async with SimCluster(config) as cluster, aiohttp.ClientSession() as session:
        api = Api(session, cluster.url)
        await api.create_pod("p")
        await api.bind("p", "node-0")

        async def failed() -> bool:
            return bool((await api.get(f"{PODS}/p"))["status"]["phase"] == "Failed")

        await eventually(failed)


async def test_node_added_later_runs_pods(cluster: SimCluster, api: Api) -> None:
    cluster.add_node(7)
    await api.create_pod("p")
    await api.bind("p", "node-7")

    async def running() -> bool:
        return bool((await api.get(f"{PODS}/p"))["status"]["phase"] == "Running")

    await eventually(running)


def test_bad_settings_are_listed_together() -> None:
    problems = SimConfig(nodes=-1, history=0, stages=(Stage("x", "never", "Running"),)).problems()
    assert [p.partition(":")[0] for p in problems] == ["nodes", "history", "stages[0].when"]
