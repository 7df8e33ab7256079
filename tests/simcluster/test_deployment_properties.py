"""Whatever is done to a deployment, it ends as it was last asked to be."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sim_virtual import PODS, Virtual, spread, virtual, workload

from tenantry_sim import run_virtual

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SETS = "/apis/apps/v1/namespaces/default/replicasets"
WEB = f"{DEPLOYMENTS}/web"

STEPS = st.one_of(
    st.tuples(st.just("scale"), st.integers(0, 12)),
    st.tuples(st.just("image"), st.integers(1, 3)),
    st.tuples(st.just("paused"), st.booleans()),
    st.tuples(st.just("delete"), st.integers(0, 30)),
    st.tuples(st.just("isolate"), st.integers(0, 30)),
    st.tuples(st.just("wait"), st.sampled_from([0.005, 0.02, 0.06, 0.3, 3.0])),
)
BOUNDS = st.sampled_from(
    [
        {"type": "Recreate"},
        {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
        {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "50%", "maxUnavailable": "50%"}},
    ]
)


async def _do(cluster: Virtual, what: str, value: Any) -> None:
    if what == "wait":
        await cluster.pass_(value)
    elif what == "scale":
        await cluster.patch(WEB, {"spec": {"replicas": value}})
    elif what == "paused":
        await cluster.patch(WEB, {"spec": {"paused": value}})
    elif what == "image":
        containers = workload("web", f"a:{value}")["spec"]["template"]["spec"]["containers"]
        await cluster.patch(WEB, {"spec": {"template": {"spec": {"containers": containers}}}})
    else:
        names = await cluster.names(PODS)
        if not names:
            return
        path = f"{PODS}/{names[value % len(names)]}"
        if what == "delete":
            await cluster.call("DELETE", path)
        else:
            await cluster.patch(path, {"metadata": {"labels": {"app": "apart"}}})


async def _end(cluster: Virtual) -> None:
    await cluster.patch(WEB, {"spec": {"paused": False}})
    await cluster.pass_(120)
    web = await cluster.get(WEB)
    wanted, template = web["spec"]["replicas"], web["spec"]["template"]
    pods = [p for p in (await cluster.get(PODS))["items"] if p["metadata"]["labels"]["app"] == "web"]
    assert len(pods) == wanted
    assert {p["spec"]["containers"][0]["image"] for p in pods} <= {template["spec"]["containers"][0]["image"]}
    status = web["status"]
    assert status["observedGeneration"] == web["metadata"]["generation"]
    for count in ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"):
        assert status.get(count, 0) == wanted, status
    assert status.get("unavailableReplicas", 0) == 0
    (progress,) = [c for c in status["conditions"] if c["type"] == "Progressing"]
    assert progress["reason"] == "NewReplicaSetAvailable"
    sets = (await cluster.get(SETS))["items"]
    assert len([s for s in sets if s["spec"]["replicas"]]) == (1 if wanted else 0)
    revisions = [s["metadata"]["annotations"]["deployment.kubernetes.io/revision"] for s in sets]
    assert len(set(revisions)) == len(revisions)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(strategy=BOUNDS, steps=st.lists(STEPS, max_size=12))
def test_deployment_converges(strategy: dict[str, Any], steps: list[tuple[str, Any]]) -> None:
    async def run() -> None:
        async with virtual() as cluster:
            cluster.schedule(spread())
            await cluster.post(DEPLOYMENTS, workload("web", replicas=3, strategy=strategy))
            for what, value in steps:
                await _do(cluster, what, value)
            await _end(cluster)

    run_virtual(run())
