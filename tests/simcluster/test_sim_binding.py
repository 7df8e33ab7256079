"""Binding: what it stores and what it refuses."""

import asyncio

import pytest
from simcluster_client import PODS, Api, binding, eventually


async def test_bound_pod_runs_on_its_node(api: Api) -> None:
    await api.create_pod("p")
    assert (await api.bind("p", "node-1"))[0] == 201

    async def running() -> bool:
        return bool((await api.get(f"{PODS}/p"))["status"]["phase"] == "Running")

    await eventually(running)
    stored = await api.get(f"{PODS}/p")
    assert stored["spec"]["nodeName"] == "node-1"
    assert stored["metadata"]["labels"]["topology.kubernetes.io/zone"] == "zone-1"
    assert stored["status"]["podIP"] and stored["status"]["hostIP"] == "10.128.0.2"
    conditions = {c["type"]: c["status"] for c in stored["status"]["conditions"]}
    assert conditions["PodScheduled"] == conditions["Ready"] == "True"
    assert stored["status"]["containerStatuses"][0]["ready"] is True


async def test_binding_through_the_collection(api: Api) -> None:
    await api.create_pod("p")
    code, _ = await api.post("/api/v1/namespaces/default/bindings", binding("p", "node-0"))
    assert code == 201
    assert (await api.get(f"{PODS}/p"))["spec"]["nodeName"] == "node-0"


async def test_binding_clears_the_nomination(api: Api) -> None:
    await api.create_pod("p")
    await api.call(
        "PATCH", f"{PODS}/p/status", {"status": {"nominatedNodeName": "node-2"}}, "application/merge-patch+json"
    )
    await api.bind("p", "node-0")
    assert "nominatedNodeName" not in (await api.get(f"{PODS}/p"))["status"]


async def test_dry_run_binding_stores_nothing(api: Api) -> None:
    await api.create_pod("p")
    code, _ = await api.post(f"{PODS}/p/binding?dryRun=All", binding("p", "node-0"))
    assert code == 201
    assert "nodeName" not in (await api.get(f"{PODS}/p"))["spec"]


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        pytest.param({"uid": "00000000-0000-0000-0000-000000000000"}, 409, id="other-uid"),
        pytest.param({"resourceVersion": "1"}, 409, id="other-version"),
        pytest.param({}, 201, id="no-precondition"),
    ],
)
async def test_binding_preconditions(api: Api, metadata: dict[str, str], code: int) -> None:
    await api.create_pod("p")
    assert (await api.bind("p", "node-0", **metadata))[0] == code


async def test_second_binding_is_a_conflict(api: Api) -> None:
    await api.create_pod("p")
    codes = await asyncio.gather(*(api.bind("p", f"node-{i}") for i in range(3)))
    assert sorted(code for code, _ in codes) == [201, 409, 409]


async def test_gated_pod_is_refused_until_its_gates_are_lifted(api: Api) -> None:
    await api.create_pod("p", schedulingGates=[{"name": "ex.com/g"}])
    assert (await api.bind("p", "node-0"))[0] == 409
    patch = {"spec": {"schedulingGates": None}}
    assert (await api.call("PATCH", f"{PODS}/p", patch, "application/merge-patch+json"))[0] == 200
    assert (await api.bind("p", "node-0"))[0] == 201


async def test_unknown_pod_is_not_found(api: Api) -> None:
    code, body = await api.bind("nope", "node-0")
    assert (code, body["reason"]) == (404, "NotFound")
