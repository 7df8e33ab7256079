"""Eviction and disruption budgets."""

from typing import Any

import pytest
from simcluster_client import MERGE, PODS, Api, eventually, pod

_BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"


async def _running(api: Api, name: str) -> None:
    wanted = pod(name)
    wanted["metadata"]["labels"] = {"app": "web"}
    assert (await api.post(PODS, wanted))[0] == 201
    await api.bind(name, "node-0")

    async def ready() -> bool:
        return bool((await api.get(f"{PODS}/{name}"))["status"]["phase"] == "Running")

    await eventually(ready)


async def _budget(api: Api, name: str, allowed: int) -> None:
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    assert (await api.post(_BUDGETS, {"metadata": {"name": name}, "spec": spec}))[0] == 201
    status = {"observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": 2, "desiredHealthy": 1}
    assert (await api.call("PATCH", f"{_BUDGETS}/{name}/status", {"status": status}, MERGE))[0] == 200


async def _evict(api: Api, name: str, **options: Any) -> tuple[int, Any]:
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, "deleteOptions": options}
    return await api.post(f"{PODS}/{name}/eviction", body)


@pytest.mark.parametrize(("allowed", "code"), [pytest.param(1, 201, id="allowed"), pytest.param(0, 429, id="spent")])
async def test_budget_decides(api: Api, allowed: int, code: int) -> None:
    await _running(api, "p")
    await _budget(api, "b", allowed)
    assert (await _evict(api, "p"))[0] == code
    status = (await api.get(f"{_BUDGETS}/b"))["status"]
    assert status["disruptionsAllowed"] == 0
    assert ("p" in status.get("disruptedPods", {})) == (code == 201)


async def test_dry_run_spends_nothing(api: Api) -> None:
    await _running(api, "p")
    await _budget(api, "b", 1)
    assert (await _evict(api, "p", dryRun=["All"]))[0] == 201
    assert (await api.get(f"{_BUDGETS}/b"))["status"]["disruptionsAllowed"] == 1
    assert "deletionTimestamp" not in (await api.get(f"{PODS}/p"))["metadata"]


async def test_two_budgets_are_an_error(api: Api) -> None:
    await _running(api, "p")
    await _budget(api, "b", 1)
    await _budget(api, "c", 1)
    assert (await _evict(api, "p"))[0] == 500


async def test_evicted_pod_ends(api: Api) -> None:
    await _running(api, "p")
    assert (await _evict(api, "p"))[0] == 201

    async def gone() -> bool:
        return (await api.call("GET", f"{PODS}/p"))[0] == 404

    await eventually(gone)


async def test_pending_pod_is_evicted_past_its_budget(api: Api) -> None:
    wanted = pod("p")
    wanted["metadata"]["labels"] = {"app": "web"}
    await api.post(PODS, wanted)
    await _budget(api, "b", 0)
    assert (await _evict(api, "p"))[0] == 201
    assert (await api.call("GET", f"{PODS}/p"))[0] == 404
