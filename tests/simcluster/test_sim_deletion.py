"""Deletion: grace, finalizers, preconditions, collections, namespaces."""

from typing import Any

import pytest
from simcluster_client import MERGE, PODS, Api, eventually

_MAPS = "/api/v1/namespaces/default/configmaps"


async def test_bound_pod_on_a_real_node_waits_for_its_kubelet(api: Api) -> None:
    await api.post("/api/v1/nodes", {"metadata": {"name": "real"}})
    await api.create_pod("p")
    await api.bind("p", "real")
    code, body = await api.call("DELETE", f"{PODS}/p")
    assert (code, body["metadata"]["deletionGracePeriodSeconds"]) == (200, 30)
    assert (await api.call("GET", f"{PODS}/p"))[0] == 200
    assert (await api.call("DELETE", f"{PODS}/p", {"gracePeriodSeconds": 0}))[0] == 200
    assert (await api.call("GET", f"{PODS}/p"))[0] == 404


async def test_finalizer_holds_the_object(api: Api) -> None:
    await api.post(_MAPS, {"metadata": {"name": "m", "finalizers": ["ex.com/f"]}})
    await api.call("DELETE", f"{_MAPS}/m")
    assert "deletionTimestamp" in (await api.get(f"{_MAPS}/m"))["metadata"]
    await api.call("PATCH", f"{_MAPS}/m", {"metadata": {"finalizers": None}}, MERGE)
    assert (await api.call("GET", f"{_MAPS}/m"))[0] == 404


@pytest.mark.parametrize(
    ("preconditions", "code"),
    [
        pytest.param({"uid": "00000000-0000-0000-0000-000000000000"}, 409, id="other-uid"),
        pytest.param({"resourceVersion": "1"}, 409, id="other-version"),
        pytest.param({}, 200, id="none"),
    ],
)
async def test_preconditions(api: Api, preconditions: dict[str, Any], code: int) -> None:
    await api.create_pod("p")
    assert (await api.call("DELETE", f"{PODS}/p", {"preconditions": preconditions}))[0] == code


async def test_delete_collection_follows_the_selector(api: Api) -> None:
    for name, label in (("a", "1"), ("b", "2"), ("c", "1")):
        await api.post(_MAPS, {"metadata": {"name": name, "labels": {"x": label}}})
    code, body = await api.call("DELETE", f"{_MAPS}?labelSelector=x%3D1")
    assert (code, [i["metadata"]["name"] for i in body["items"]]) == (200, ["a", "c"])
    assert [i["metadata"]["name"] for i in (await api.get(_MAPS))["items"]] == ["b"]


async def test_namespace_goes_with_what_it_holds(api: Api) -> None:
    await api.post("/api/v1/namespaces", {"metadata": {"name": "team"}})
    await api.post("/api/v1/namespaces/team/configmaps", {"metadata": {"name": "m"}})
    assert (await api.get("/api/v1/namespaces/team/serviceaccounts/default"))["metadata"]["name"] == "default"
    assert (await api.call("DELETE", "/api/v1/namespaces/team"))[1]["status"]["phase"] == "Terminating"
    code, body = await api.post("/api/v1/namespaces/team/configmaps", {"metadata": {"name": "late"}})
    assert (code, body["details"]["causes"][0]["reason"]) == (403, "NamespaceTerminating")

    async def gone() -> bool:
        return (await api.call("GET", "/api/v1/namespaces/team"))[0] == 404

    await eventually(gone)
    assert (await api.get("/api/v1/configmaps"))["items"] == []
