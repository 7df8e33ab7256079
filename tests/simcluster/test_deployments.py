"""Deployments over replica sets, minute by minute."""

from typing import Any

from sim_virtual import PODS, Virtual, in_virtual_time, spread, virtual, workload

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SETS = "/apis/apps/v1/namespaces/default/replicasets"
WEB = f"{DEPLOYMENTS}/web"


async def _up(cluster: Virtual, replicas: int = 4, **spec: Any) -> None:
    cluster.schedule(spread())
    await cluster.post(DEPLOYMENTS, workload("web", replicas=replicas, **spec))
    await cluster.pass_(2)


async def _image(cluster: Virtual, image: str) -> None:
    containers = [{"name": "c", "image": image, "resources": {"requests": {"cpu": "100m"}}}]
    await cluster.patch(WEB, {"spec": {"template": {"spec": {"containers": containers}}}})


async def _sizes(cluster: Virtual) -> dict[str, int]:
    sets = (await cluster.get(SETS))["items"]
    return {s["spec"]["template"]["spec"]["containers"][0]["image"]: s["spec"]["replicas"] for s in sets}


def _condition(obj: Any, kind: str) -> tuple[str, str]:
    found = next(c for c in obj["status"]["conditions"] if c["type"] == kind)
    return found["status"], found["reason"]


@in_virtual_time
async def test_comes_up() -> None:
    async with virtual() as cluster:
        await _up(cluster)
        web = await cluster.get(WEB)
        counts = {k: v for k, v in web["status"].items() if k != "conditions"}
        assert counts == {
            "observedGeneration": 1,
            "replicas": 4,
            "updatedReplicas": 4,
            "readyReplicas": 4,
            "availableReplicas": 4,
        }
        assert _condition(web, "Available") == ("True", "MinimumReplicasAvailable")
        assert _condition(web, "Progressing") == ("True", "NewReplicaSetAvailable")
        (replica_set,) = (await cluster.get(SETS))["items"]
        mark = replica_set["metadata"]["labels"]["pod-template-hash"]
        assert replica_set["metadata"]["name"] == f"web-{mark}"
        assert replica_set["metadata"]["annotations"] == {
            "deployment.kubernetes.io/revision": "1",
            "deployment.kubernetes.io/desired-replicas": "4",
            "deployment.kubernetes.io/max-replicas": "5",
        }
        pods = (await cluster.get(PODS))["items"]
        assert {p["metadata"]["labels"]["pod-template-hash"] for p in pods} == {mark}
        assert {p["metadata"]["ownerReferences"][0]["name"] for p in pods} == {f"web-{mark}"}


@in_virtual_time
async def test_rolls_within_its_bounds() -> None:
    async with virtual() as cluster:
        bounds = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
        await _up(cluster, strategy=bounds)
        most, least = 0, 99

        def watch(change: Any) -> None:
            nonlocal most, least
            pods = [r for r in cluster.cluster.world.kind("/pods").ordered() if not r.deleting]
            most = max(most, len(pods))
            least = min(least, sum(r.fields.get("status.phase") == "Running" for r in pods))

        cluster.cluster.world.kind("/pods").listeners.append(watch)
        await _image(cluster, "a:2")
        await cluster.pass_(10)
        assert await _sizes(cluster) == {"a:1": 0, "a:2": 4}
        assert (most, least) == (5, 4)


@in_virtual_time
async def test_unready_pods_hold_the_rollout_until_its_deadline() -> None:
    async with virtual() as cluster:
        await _up(cluster, progressDeadlineSeconds=60)
        note = {"sim.tenantry.io/ready-after-seconds": "100000"}
        await cluster.patch(WEB, {"spec": {"template": {"metadata": {"annotations": note}}}})
        await cluster.pass_(30)
        web = await cluster.get(WEB)
        assert web["status"]["availableReplicas"] >= 3
        assert _condition(web, "Progressing") == ("True", "ReplicaSetUpdated")
        await cluster.pass_(60)
        assert _condition(await cluster.get(WEB), "Progressing") == ("False", "ProgressDeadlineExceeded")


@in_virtual_time
async def test_an_earlier_template_is_its_set_again() -> None:
    async with virtual() as cluster:
        await _up(cluster)
        await _image(cluster, "a:2")
        await cluster.pass_(10)
        await _image(cluster, "a:1")
        await cluster.pass_(10)
        assert await _sizes(cluster) == {"a:1": 4, "a:2": 0}
        notes = {
            s["spec"]["template"]["spec"]["containers"][0]["image"]: s["metadata"]["annotations"]
            for s in (await cluster.get(SETS))["items"]
        }
        assert notes["a:1"]["deployment.kubernetes.io/revision"] == "3"
        assert notes["a:1"]["deployment.kubernetes.io/revision-history"] == "1"
        web = await cluster.get(WEB)
        assert web["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "3"


@in_virtual_time
async def test_paused_stands_still_but_scales() -> None:
    async with virtual() as cluster:
        await _up(cluster)
        await cluster.patch(WEB, {"spec": {"paused": True}})
        await _image(cluster, "a:2")
        await cluster.patch(WEB, {"spec": {"replicas": 6}})
        await cluster.pass_(5)
        assert await _sizes(cluster) == {"a:1": 6}
        assert _condition(await cluster.get(WEB), "Progressing") == ("Unknown", "DeploymentPaused")
        await cluster.patch(WEB, {"spec": {"paused": False}})
        await cluster.pass_(10)
        assert await _sizes(cluster) == {"a:1": 0, "a:2": 6}


@in_virtual_time
async def test_recreate_waits_for_the_old_to_go() -> None:
    async with virtual() as cluster:
        await _up(cluster, strategy={"type": "Recreate"})
        images: list[set[str]] = []

        def watch(change: Any) -> None:
            pods = [r.decode() for r in cluster.cluster.world.kind("/pods").ordered()]
            images.append({p["spec"]["containers"][0]["image"] for p in pods})

        cluster.cluster.world.kind("/pods").listeners.append(watch)
        await _image(cluster, "a:2")
        await cluster.pass_(10)
        assert await _sizes(cluster) == {"a:1": 0, "a:2": 4}
        assert {"a:1", "a:2"} not in images


@in_virtual_time
async def test_history_is_limited() -> None:
    async with virtual() as cluster:
        await _up(cluster, revisionHistoryLimit=1)
        for number in range(2, 5):
            await _image(cluster, f"a:{number}")
            await cluster.pass_(10)
        assert await _sizes(cluster) == {"a:3": 0, "a:4": 4}


@in_virtual_time
async def test_scaling_in_the_middle_of_a_rollout_is_shared() -> None:
    async with virtual() as cluster:
        await _up(cluster, replicas=10, strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0}})
        note = {"sim.tenantry.io/ready-after-seconds": "100000"}
        await cluster.patch(WEB, {"spec": {"template": {"metadata": {"annotations": note}}}})
        await cluster.pass_(5)
        before = [s["spec"]["replicas"] for s in (await cluster.get(SETS))["items"]]
        await cluster.patch(WEB, {"spec": {"replicas": 20}})
        await cluster.pass_(5)
        after = [s["spec"]["replicas"] for s in (await cluster.get(SETS))["items"]]
        assert (sum(before), sum(after)) == (10, 20)
        assert min(after) > min(before)


@in_virtual_time
async def test_scale_subresource_and_minimum_age() -> None:
    async with virtual() as cluster:
        await _up(cluster, minReadySeconds=30)
        status = (await cluster.get(WEB))["status"]
        assert (status["readyReplicas"], status.get("availableReplicas", 0)) == (4, 0)
        await cluster.pass_(35)
        assert (await cluster.get(WEB))["status"]["availableReplicas"] == 4
        await cluster.patch(f"{WEB}/scale", {"spec": {"replicas": 1}})
        await cluster.pass_(5)
        assert len((await cluster.get(PODS))["items"]) == 1
