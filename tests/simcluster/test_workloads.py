"""Daemon sets, stateful sets and jobs."""

from typing import Any

import pytest
from sim_virtual import PODS, Virtual, in_virtual_time, spread, virtual, workload

APPS = "/apis/apps/v1/namespaces/default"
JOBS = "/apis/batch/v1/namespaces/default/jobs"


async def _pods(cluster: Virtual) -> list[Any]:
    return list((await cluster.get(PODS))["items"])


# ---- daemon sets ----


@in_virtual_time
async def test_daemons_are_held_to_their_nodes() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.patch("/api/v1/nodes/node-1", {"spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}})
        await cluster.patch("/api/v1/nodes/node-2", {"spec": {"unschedulable": True}})
        await cluster.post(f"{APPS}/daemonsets", workload("agent"))
        await cluster.pass_(2)
        pods = await _pods(cluster)
        assert {p["spec"]["nodeName"] for p in pods} == {"node-0", "node-2"}
        required = pods[0]["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        names = {p["spec"]["nodeName"] for p in pods[:1]}
        assert required["nodeSelectorTerms"] == [
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [*names]}]}
        ]
        status = (await cluster.get(f"{APPS}/daemonsets/agent"))["status"]
        assert (status["desiredNumberScheduled"], status["numberReady"], status["numberAvailable"]) == (2, 2, 2)
        cluster.cluster.add_node(7)
        await cluster.pass_(2)
        assert len(await _pods(cluster)) == 3


@in_virtual_time
async def test_daemons_are_replaced_one_at_a_time() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(f"{APPS}/daemonsets", workload("agent"))
        await cluster.pass_(2)
        least = 3

        def watch(change: Any) -> None:
            nonlocal least
            pods = cluster.cluster.world.kind("/pods").ordered()
            least = min(least, sum(r.fields.get("status.phase") == "Running" and not r.deleting for r in pods))

        cluster.cluster.world.kind("/pods").listeners.append(watch)
        await cluster.patch(f"{APPS}/daemonsets/agent", {"spec": workload("agent", "a:2")["spec"]})
        await cluster.pass_(20)
        assert {p["spec"]["containers"][0]["image"] for p in await _pods(cluster)} == {"a:2"}
        assert least == 2
        status = (await cluster.get(f"{APPS}/daemonsets/agent"))["status"]
        assert (status["updatedNumberScheduled"], status["observedGeneration"]) == (3, 2)


# ---- stateful sets ----


@in_virtual_time
async def test_stateful_pods_come_in_order_and_keep_their_claims() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        claim = {
            "metadata": {"name": "data"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        }
        await cluster.post(f"{APPS}/statefulsets", workload("db", replicas=3, volumeClaimTemplates=[claim]))
        await cluster.pass_(0.05)
        assert await cluster.names(PODS) == ["db-0"]
        await cluster.pass_(5)
        assert await cluster.names(PODS) == ["db-0", "db-1", "db-2"]
        await cluster.patch(f"{APPS}/statefulsets/db", {"spec": {"replicas": 1}})
        await cluster.pass_(5)
        assert await cluster.names(PODS) == ["db-0"]
        claims = await cluster.names("/api/v1/namespaces/default/persistentvolumeclaims")
        assert claims == ["data-db-0", "data-db-1", "data-db-2"]


@in_virtual_time
async def test_stateful_pods_are_replaced_from_the_top_down_to_the_partition() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(f"{APPS}/statefulsets", workload("db", replicas=3))
        await cluster.pass_(5)
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
        spec = {**workload("db", "a:2")["spec"], "updateStrategy": rolling}
        await cluster.patch(f"{APPS}/statefulsets/db", {"spec": spec})
        await cluster.pass_(10)
        images = {p["metadata"]["name"]: p["spec"]["containers"][0]["image"] for p in await _pods(cluster)}
        assert images == {"db-0": "a:1", "db-1": "a:2", "db-2": "a:2"}
        status = (await cluster.get(f"{APPS}/statefulsets/db"))["status"]
        assert (status["readyReplicas"], status["updatedReplicas"], status["currentReplicas"]) == (3, 2, 1)
        assert status["currentRevision"] != status["updateRevision"]


# ---- jobs ----


def _job(notes: dict[str, str], **spec: Any) -> dict[str, Any]:
    template = workload("job")["spec"]["template"]
    template["metadata"]["annotations"] = notes
    template["spec"]["restartPolicy"] = "Never"
    return {"metadata": {"name": "work"}, "spec": {"template": template, **spec}}


SUCCEED = {"sim.tenantry.io/succeed-after-seconds": "10"}
FAIL = {"sim.tenantry.io/fail-after-seconds": "1"}


def _conditions(job: Any) -> dict[str, str]:
    return {c["type"]: c["reason"] for c in job["status"].get("conditions", []) if c["status"] == "True"}


@in_virtual_time
async def test_job_completes() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(JOBS, _job(SUCCEED, completions=3, parallelism=2))
        await cluster.pass_(5)
        job = await cluster.get(f"{JOBS}/work")
        assert (job["status"]["active"], job["status"]["ready"]) == (2, 2)
        await cluster.pass_(20)
        job = await cluster.get(f"{JOBS}/work")
        assert job["status"]["succeeded"] == 3
        assert "active" not in job["status"]
        assert _conditions(job) == {"SuccessCriteriaMet": "CompletionsReached", "Complete": "CompletionsReached"}
        assert job["status"]["completionTime"] == "2026-01-01T00:00:20Z"


@in_virtual_time
async def test_job_fails_at_its_limit_after_growing_pauses() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(JOBS, _job(FAIL, backoffLimit=2))
        await cluster.pass_(13)
        assert len(await _pods(cluster)) == 2
        await cluster.pass_(60)
        job = await cluster.get(f"{JOBS}/work")
        assert job["status"]["failed"] == 3
        assert _conditions(job) == {"FailureTarget": "BackoffLimitExceeded", "Failed": "BackoffLimitExceeded"}


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        pytest.param({"activeDeadlineSeconds": 5}, "DeadlineExceeded", id="deadline"),
        pytest.param({"suspend": True}, "JobSuspended", id="suspended"),
    ],
)
@in_virtual_time
async def test_job_is_stopped(spec: dict[str, Any], reason: str) -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(JOBS, _job(SUCCEED, **spec))
        await cluster.pass_(8)
        assert reason in _conditions(await cluster.get(f"{JOBS}/work")).values()
        assert [p for p in await _pods(cluster) if p["status"]["phase"] == "Running"] == []


@in_virtual_time
async def test_indexed_job_numbers_its_pods() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(JOBS, _job(SUCCEED, completions=3, parallelism=3, completionMode="Indexed"))
        await cluster.pass_(5)
        label = "batch.kubernetes.io/job-completion-index"
        assert sorted(p["metadata"]["labels"][label] for p in await _pods(cluster)) == ["0", "1", "2"]
        await cluster.pass_(20)
        assert (await cluster.get(f"{JOBS}/work"))["status"]["completedIndexes"] == "0-2"


@in_virtual_time
async def test_finished_job_goes_after_its_time() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(JOBS, _job(SUCCEED, ttlSecondsAfterFinished=60))
        await cluster.pass_(60)
        assert await cluster.names(JOBS) == ["work"]
        await cluster.pass_(20)
        assert await cluster.names(JOBS) == []
        assert await _pods(cluster) == []


@in_virtual_time
async def test_pods_that_ended_count_when_they_are_gone() -> None:
    async with virtual() as cluster:
        cluster.schedule(spread())
        await cluster.post(JOBS, _job(SUCCEED, completions=4, parallelism=1))
        for _ in range(3):
            await cluster.pass_(10.5)
            for pod in await _pods(cluster):
                if pod["status"]["phase"] == "Succeeded":
                    await cluster.delete(f"{PODS}/{pod['metadata']['name']}")
        await cluster.pass_(20)
        job = await cluster.get(f"{JOBS}/work")
        assert job["status"]["succeeded"] == 4
        assert "Complete" in _conditions(job)
        assert len(await _pods(cluster)) == 1
