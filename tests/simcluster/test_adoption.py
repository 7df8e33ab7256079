"""Workloads take over what matches and is free, and let go of what matches no more."""

from sim_virtual import PODS, in_virtual_time, spread, virtual, workload

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SETS = "/apis/apps/v1/namespaces/default/replicasets"


@in_virtual_time
async def test_free_pods_are_taken_over() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        spec = workload("web")["spec"]["template"]["spec"]
        await cluster.post(PODS, {"metadata": {"name": "early", "labels": {"app": "web"}}, "spec": spec})
        await cluster.post(SETS, workload("web", replicas=2))
        await cluster.pass_(2)
        pods = {p["metadata"]["name"]: p for p in (await cluster.get(PODS))["items"]}
        assert len(pods) == 2
        assert pods["early"]["metadata"]["ownerReferences"][0]["name"] == "web"
        await cluster.post(PODS, {"metadata": {"name": "late", "labels": {"app": "web"}}, "spec": spec})
        await cluster.pass_(2)
        assert len(await cluster.names(PODS)) == 2


@in_virtual_time
async def test_pod_without_the_label_is_let_go_and_replaced() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(SETS, workload("web", replicas=2))
        await cluster.pass_(2)
        name = (await cluster.names(PODS))[0]
        await cluster.patch(f"{PODS}/{name}", {"metadata": {"labels": {"app": "apart"}}})
        await cluster.pass_(2)
        assert len(await cluster.names(PODS)) == 3
        assert "ownerReferences" not in (await cluster.get(f"{PODS}/{name}"))["metadata"]


@in_virtual_time
async def test_deployment_comes_back_to_its_pods() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(DEPLOYMENTS, workload("web", replicas=2))
        await cluster.pass_(2)
        before = await cluster.names(PODS)
        await cluster.delete(f"{DEPLOYMENTS}/web", "Orphan")
        await cluster.pass_(2)
        await cluster.post(DEPLOYMENTS, workload("web", replicas=2))
        await cluster.pass_(2)
        assert await cluster.names(PODS) == before
        assert (await cluster.get(f"{DEPLOYMENTS}/web"))["status"]["readyReplicas"] == 2


@in_virtual_time
async def test_name_that_another_has_is_avoided() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(DEPLOYMENTS, workload("web"))
        await cluster.pass_(2)
        (name,) = await cluster.names(SETS)
        await cluster.delete(f"{DEPLOYMENTS}/web")
        await cluster.pass_(2)
        await cluster.post(SETS, {**workload("other"), "metadata": {"name": name}})
        await cluster.post(DEPLOYMENTS, workload("web"))
        await cluster.pass_(2)
        web = await cluster.get(f"{DEPLOYMENTS}/web")
        assert (web["status"]["collisionCount"], web["status"]["readyReplicas"]) == (1, 1)
        assert len(await cluster.names(SETS)) == 2
