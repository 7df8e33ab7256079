"""Webhooks see what controllers create, as they see what users create."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import aiohttp
import pytest
from simcluster_client import PODS, Api, eventually
from webhook_server import WebhookServer, configuration, patch, webhook_server

from tenantry_sim import SimCluster, SimConfig

_CONFIGS = "/apis/admissionregistration.k8s.io/v1"
_SETS = "/apis/apps/v1/namespaces/default/replicasets"
_RULES = [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}]


@pytest.fixture
async def hook() -> AsyncIterator[WebhookServer]:
    async with webhook_server() as server:
        yield server


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    config = SimConfig(nodes=1, controllers=frozenset({"replicasets"}))
    async with SimCluster(config) as cluster, aiohttp.ClientSession() as session:
        yield Api(session, cluster.url)


def _set(replicas: int) -> dict[str, Any]:
    labels = {"app": "r"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"metadata": {"name": "r"}, "spec": spec}


async def _count(api: Api, wanted: int) -> bool:
    return len((await api.get(PODS))["items"]) == wanted


async def test_pods_of_a_set_are_mutated(api: Api, hook: WebhookServer) -> None:
    hook.modes["mark"] = patch({"op": "add", "path": "/metadata/labels/marked", "value": "yes"})
    for sort, mode in (("Mutating", "mark"), ("Validating", "allow")):
        path = f"{_CONFIGS}/{sort.lower()}webhookconfigurations"
        assert (await api.post(path, configuration(hook, mode, sort, rules=_RULES)))[0] == 201
    await api.post(_SETS, _set(3))
    await eventually(partial(_count, api, 3))
    pods = (await api.get(PODS))["items"]
    assert [p["metadata"]["labels"]["marked"] for p in pods] == ["yes"] * 3
    shown = [r["request"] for r in hook.reviews]
    assert len(shown) == 6
    assert {r["userInfo"]["username"] for r in shown} == {"system:serviceaccount:kube-system:replicaset-controller"}
    assert {r["name"] for r in shown if "name" in r} == {p["metadata"]["name"] for p in pods}


async def test_refusal_is_reported_and_tried_again(api: Api, hook: WebhookServer) -> None:
    hook.modes["gate"] = hook.modes["deny"]
    path = f"{_CONFIGS}/validatingwebhookconfigurations"
    assert (await api.post(path, configuration(hook, "gate", rules=_RULES)))[0] == 201
    await api.post(_SETS, _set(1))

    async def failed() -> bool:
        conditions = (await api.get(f"{_SETS}/r")).get("status", {}).get("conditions") or []
        return any("tenant acme is over quota" in c.get("message", "") for c in conditions)

    await eventually(failed)
    hook.modes["gate"] = hook.modes["allow"]
    await eventually(partial(_count, api, 1))
