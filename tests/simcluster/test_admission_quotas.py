"""Quotas are charged at admission: every kind, scopes, all quotas or none."""

import asyncio
from typing import Any

import pytest
from simcluster_client import MERGE, PODS, Api, pod

_SPACE = "/api/v1/namespaces/default"
_QUOTAS = f"{_SPACE}/resourcequotas"
_CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"


async def _quota(api: Api, name: str = "q", used: dict[str, str] | None = None, **spec: Any) -> None:
    """A quota whose status says that nothing is used, as a controller would write it."""
    code, answer = await api.post(_QUOTAS, {"metadata": {"name": name}, "spec": spec})
    assert code == 201, answer
    status = {"hard": spec["hard"], "used": dict.fromkeys(spec["hard"], "0") if used is None else used}
    assert (await api.call("PATCH", f"{_QUOTAS}/{name}/status", {"status": status}, MERGE))[0] == 200


async def _used(api: Api, name: str = "q") -> Any:
    return (await api.get(f"{_QUOTAS}/{name}"))["status"]["used"]


_CLAIM = {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "resources": {"requests": {"storage": "2Gi"}}}
_PORTS = {"type": "NodePort", "ports": [{"port": 80}, {"port": 81, "name": "b"}]}
_COUNTED = [
    pytest.param("/configmaps", {}, "count/configmaps", "1", id="count"),
    pytest.param("/configmaps", {}, "configmaps", "1", id="bare-name"),
    pytest.param("/persistentvolumeclaims", {"spec": _CLAIM}, "requests.storage", "2Gi", id="storage"),
    pytest.param("/persistentvolumeclaims", {"spec": _CLAIM}, "fast.storageclass.storage.k8s.io/requests.storage",
                 "2Gi", id="storage-of-a-class"),
    pytest.param("/persistentvolumeclaims", {"spec": _CLAIM}, "slow.storageclass.storage.k8s.io/persistentvolumeclaims",
                 "0", id="claims-of-another-class"),
    pytest.param("/services", {"spec": {"ports": [{"port": 80}]}}, "services", "1", id="services"),
    pytest.param("/services", {"spec": _PORTS}, "services.nodeports", "2", id="node-ports"),
    pytest.param("/services", {"spec": _PORTS}, "services.loadbalancers", "0", id="load-balancers"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "resource", "used"), _COUNTED)
async def test_objects_are_counted(api: Api, path: str, body: dict[str, Any], resource: str, used: str) -> None:
    await _quota(api, hard={resource: "100Gi"})
    code, answer = await api.post(_SPACE + path, {"metadata": {"name": "x"}, **body})
    assert code == 201, answer
    assert await _used(api) == {resource: used}


async def test_kinds_of_groups(api: Api) -> None:
    await _quota(api, hard={"count/leases.coordination.k8s.io": "1"})
    path = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    assert (await api.post(path, {"metadata": {"name": "a"}}))[0] == 201
    code, answer = await api.post(path, {"metadata": {"name": "b"}})
    what = "count/leases.coordination.k8s.io=1"
    why = f"exceeded quota: q, requested: {what}, used: {what}, limited: {what}"
    assert (code, answer["message"]) == (403, f'leases.coordination.k8s.io "b" is forbidden: {why}')


async def test_all_quotas_or_none(api: Api) -> None:
    await _quota(api, "a", hard={"count/configmaps": "5"})
    await _quota(api, "b", hard={"count/configmaps": "0"})
    assert (await api.post(f"{_SPACE}/configmaps", {"metadata": {"name": "m"}}))[0] == 403
    assert (await _used(api, "a"), await _used(api, "b")) == ({"count/configmaps": "0"}, {"count/configmaps": "0"})


@pytest.mark.parametrize("why", ["dry-run", "exists"])
async def test_nothing_is_charged_for_nothing(api: Api, why: str) -> None:
    body = {"metadata": {"name": "m"}}
    if why == "exists":
        await api.post(f"{_SPACE}/configmaps", body)
    await _quota(api, hard={"count/configmaps": "5"})
    code, _ = await api.post(f"{_SPACE}/configmaps" + ("?dryRun=All" if why == "dry-run" else ""), body)
    assert code == (201 if why == "dry-run" else 409)
    assert await _used(api) == {"count/configmaps": "0"}


async def test_one_place_left_is_given_once(api: Api) -> None:
    await _quota(api, hard={"pods": "5"}, used={"pods": "4"})
    answers = await asyncio.gather(*(api.post(PODS, pod(f"p{i}")) for i in range(6)))
    assert sorted(code for code, _ in answers) == [201, 403, 403, 403, 403, 403]
    assert await _used(api) == {"pods": "5"}


async def test_usage_that_is_not_known_yet(api: Api) -> None:
    await _quota(api, hard={"pods": "5"}, used={})
    code, answer = await api.post(PODS, pod("p"))
    assert (code, "status unknown for quota: q, resources: pods" in answer["message"]) == (403, True)


_BEST_EFFORT = [{"name": "c", "image": "x"}]
_SCOPES = [
    pytest.param({"scopes": ["BestEffort"]}, {"containers": _BEST_EFFORT}, True, id="best-effort"),
    pytest.param({"scopes": ["BestEffort"]}, {}, False, id="not-best-effort"),
    pytest.param({"scopes": ["NotBestEffort"]}, {}, True, id="burstable"),
    pytest.param({"scopes": ["Terminating"]}, {"activeDeadlineSeconds": 5}, True, id="terminating"),
    pytest.param({"scopes": ["NotTerminating"]}, {"activeDeadlineSeconds": 5}, False, id="not-terminating"),
    pytest.param(
        {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}},
        {"priorityClassName": "high"}, True, id="priority-class"),
    pytest.param(
        {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}},
        {}, False, id="another-priority-class"),
]  # fmt: skip


@pytest.mark.parametrize(("scope", "spec", "counted"), _SCOPES)
async def test_scopes(api: Api, scope: dict[str, Any], spec: dict[str, Any], counted: bool) -> None:
    await api.post(_CLASSES, {"metadata": {"name": "high"}, "value": 7})
    await _quota(api, hard={"pods": "0"}, **scope)
    code, _ = await api.post(PODS, pod("p", **spec))
    assert code == (403 if counted else 201)


async def test_larger_claim_is_charged_for_the_difference(api: Api) -> None:
    await _quota(api, hard={"requests.storage": "5Gi", "persistentvolumeclaims": "1"})
    path = f"{_SPACE}/persistentvolumeclaims"
    await api.post(path, {"metadata": {"name": "c"}, "spec": _CLAIM})

    async def grow(size: str) -> int:
        patch = {"spec": {"resources": {"requests": {"storage": size}}}}
        return (await api.call("PATCH", f"{path}/c", patch, MERGE))[0]

    assert (await grow("6Gi"), await grow("4Gi")) == (403, 200)
    assert await _used(api) == {"requests.storage": "4Gi", "persistentvolumeclaims": "1"}


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        pytest.param({"metadata": {"name": "system-x"}, "value": 1}, 422, "metadata.name", id="reserved-name"),
        pytest.param({"metadata": {"name": "x"}, "value": 1_000_000_001}, 422, "value", id="too-high"),
        pytest.param({"metadata": {"name": "x"}, "value": 1, "preemptionPolicy": "No"}, 422, "preemptionPolicy",
                     id="policy"),
        pytest.param({"metadata": {"name": "x"}, "value": 1, "globalDefault": True}, 403, "", id="second-default"),
        pytest.param({"metadata": {"name": "x"}, "value": 1}, 201, "", id="sound"),
    ],
)  # fmt: skip
async def test_priority_classes(api: Api, body: dict[str, Any], code: int, field: str) -> None:
    await api.post(_CLASSES, {"metadata": {"name": "usual"}, "value": 3, "globalDefault": True})
    got, answer = await api.post(_CLASSES, body)
    assert got == code, answer
    if field:
        assert [c["field"] for c in answer["details"]["causes"]] == [field]
    elif code == 403:
        why = "PriorityClass usual is already marked as default. Only one default can exist"
        assert answer["message"] == f'priorityclasses.scheduling.k8s.io "x" is forbidden: {why}'
