"""Admission of pods and the fields that it fills in."""

from typing import Any

import aiohttp
import pytest
from simcluster_client import PODS, Api, pod

from tenantry_sim import SimCluster, SimConfig

_CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"


async def test_priority_comes_from_the_class(api: Api) -> None:
    await api.post(_CLASSES, {"metadata": {"name": "high"}, "value": 7, "preemptionPolicy": "Never"})
    body = await api.create_pod("p", priorityClassName="high")
    assert (body["spec"]["priority"], body["spec"]["preemptionPolicy"]) == (7, "Never")


async def test_global_default_class(api: Api) -> None:
    await api.post(_CLASSES, {"metadata": {"name": "usual"}, "value": 3, "globalDefault": True})
    body = await api.create_pod("p")
    assert (body["spec"]["priority"], body["spec"]["priorityClassName"]) == (3, "usual")


async def test_system_classes_exist(api: Api) -> None:
    body = await api.create_pod("p", priorityClassName="system-node-critical")
    assert body["spec"]["priority"] == 2_000_001_000


async def test_requests_follow_limits(api: Api) -> None:
    container = {"name": "c", "image": "x", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}
    body = await api.create_pod("p", containers=[container])
    assert body["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1", "memory": "1Gi"}
    assert body["status"]["qosClass"] == "Guaranteed"


async def test_host_network_ports(api: Api) -> None:
    container = {"name": "c", "image": "x", "ports": [{"containerPort": 80}]}
    body = await api.create_pod("p", containers=[container], hostNetwork=True)
    assert body["spec"]["containers"][0]["ports"] == [{"containerPort": 80, "protocol": "TCP", "hostPort": 80}]


@pytest.mark.parametrize(
    ("spec", "code", "field"),
    [
        pytest.param({"priority": 5}, 403, None, id="priority-by-hand"),
        pytest.param({"containers": [{"image": "x"}]}, 422, "spec.containers[0].name", id="container-without-a-name"),
        pytest.param({"containers": [{"name": "c"}]}, 422, "spec.containers[0].image", id="no-image"),
        pytest.param({"restartPolicy": "Sometimes"}, 422, "spec.restartPolicy", id="restart-policy"),
        pytest.param({"nodeSelector": {"a": "b c"}}, 422, "spec.nodeSelector", id="selector-value"),
        pytest.param({"tolerations": [{"effect": "Nope"}]}, 422, "spec.tolerations[0].effect", id="toleration"),
        pytest.param({"overhead": {"cpu": "x"}}, 400, None, id="overhead"),
        pytest.param({"containers": {"name": "c"}}, 400, None, id="containers-are-an-object"),
    ],
)
async def test_bad_pods_are_refused(api: Api, spec: dict[str, Any], code: int, field: str | None) -> None:
    got, body = await api.post(PODS, pod("p", **spec))
    assert got == code, body
    if field is not None:
        assert [c["field"] for c in body["details"]["causes"]] == [field]


async def test_token_is_asked_for() -> None:
    async with SimCluster(SimConfig(token="s3cret")) as cluster, aiohttp.ClientSession() as session:
        api = Api(session, cluster.url)
        assert (await api.call("GET", PODS))[0] == 403
        assert await api.get("/readyz") == "ok"
        session.headers["Authorization"] = "Bearer s3cret"
        assert (await api.call("GET", PODS))[0] == 200
