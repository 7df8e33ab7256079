"""Endpoints behind services; what quotas count."""

from typing import Any

from sim_virtual import PODS, in_virtual_time, spread, virtual, workload

V1 = "/api/v1/namespaces/default"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"


def _service(**spec: Any) -> dict[str, Any]:
    ports = [{"port": 80, "targetPort": 8080}]
    return {"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": ports, **spec}}


@in_virtual_time
async def test_endpoints_follow_the_pods() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(DEPLOYMENTS, workload("web", replicas=2))
        await cluster.post(f"{V1}/services", _service())
        await cluster.pass_(2)
        (piece,) = (await cluster.get(SLICES))["items"]
        pods = {p["metadata"]["name"]: p["status"]["podIP"] for p in (await cluster.get(PODS))["items"]}
        assert {e["targetRef"]["name"]: e["addresses"][0] for e in piece["endpoints"]} == pods
        assert piece["ports"] == [{"name": "", "port": 8080, "protocol": "TCP"}]
        assert piece["metadata"]["labels"]["kubernetes.io/service-name"] == "web"
        (subset,) = (await cluster.get(f"{V1}/endpoints/web"))["subsets"]
        assert sorted(a["ip"] for a in subset["addresses"]) == sorted(pods.values())
        await cluster.patch(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 0}})
        await cluster.pass_(2)
        assert (await cluster.get(SLICES))["items"][0]["endpoints"] == []
        assert "subsets" not in await cluster.get(f"{V1}/endpoints/web")


@in_virtual_time
async def test_pods_that_are_not_ready_wait() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        wanted = workload("web")
        wanted["spec"]["template"]["metadata"]["annotations"] = {"sim.tenantry.io/ready-after-seconds": "30"}
        await cluster.post(DEPLOYMENTS, wanted)
        await cluster.post(f"{V1}/services", _service())
        await cluster.pass_(5)
        (subset,) = (await cluster.get(f"{V1}/endpoints/web"))["subsets"]
        assert list(subset) == ["notReadyAddresses", "ports"]
        assert (await cluster.get(SLICES))["items"][0]["endpoints"][0]["conditions"]["ready"] is False
        await cluster.pass_(30)
        (subset,) = (await cluster.get(f"{V1}/endpoints/web"))["subsets"]
        assert list(subset) == ["addresses", "ports"]


@in_virtual_time
async def test_nothing_is_left_of_a_service() -> None:
    async with virtual() as cluster:
        await cluster.post(f"{V1}/services", _service())
        await cluster.pass_(1)
        await cluster.delete(f"{V1}/services/web")
        await cluster.pass_(1)
        assert await cluster.names(SLICES) == []
        assert await cluster.names(f"{V1}/endpoints") == []


@in_virtual_time
async def test_quota_counts_and_holds() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        hard = {"pods": "3", "requests.cpu": "1", "count/deployments.apps": "5", "configmaps": "9"}
        await cluster.post(f"{V1}/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": hard}})
        await cluster.pass_(1)
        await cluster.post(DEPLOYMENTS, workload("web", replicas=5))
        await cluster.pass_(5)
        quota = (await cluster.get(f"{V1}/resourcequotas/q"))["status"]
        assert quota["hard"] == hard
        assert quota["used"] == {"pods": "3", "requests.cpu": "300m", "count/deployments.apps": "1", "configmaps": "0"}
        (replica_set,) = (await cluster.get("/apis/apps/v1/namespaces/default/replicasets"))["items"]
        (condition,) = replica_set["status"]["conditions"]
        assert (condition["type"], condition["reason"]) == ("ReplicaFailure", "FailedCreate")
        assert "exceeded quota: q" in condition["message"]
        await cluster.delete(f"{DEPLOYMENTS}/web")
        await cluster.pass_(5)
        quota = (await cluster.get(f"{V1}/resourcequotas/q"))["status"]
        assert (quota["used"]["pods"], quota["used"]["requests.cpu"]) == ("0", "0")


@in_virtual_time
async def test_scopes_choose_what_is_counted() -> None:
    async with virtual("quotas") as cluster:
        spec = {"hard": {"pods": "10"}, "scopes": ["BestEffort"]}
        await cluster.post(f"{V1}/resourcequotas", {"metadata": {"name": "q"}, "spec": spec})
        for name, resources in (("a", {}), ("b", {"requests": {"cpu": "1"}})):
            containers = [{"name": "c", "image": "a:1", "resources": resources}]
            await cluster.post(PODS, {"metadata": {"name": name}, "spec": {"containers": containers}})
        await cluster.pass_(1)
        assert (await cluster.get(f"{V1}/resourcequotas/q"))["status"]["used"] == {"pods": "1"}
