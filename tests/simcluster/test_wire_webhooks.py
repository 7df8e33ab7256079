"""Webhook cases recorded from a real API server: the same configuration and behaviour give the same answer."""

import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from simcluster_client import Api
from test_wire_exchanges import faults
from webhook_server import WebhookServer, configuration, webhook_server

from tenantry_sim import SimCluster, SimConfig

_DATA = Path(__file__).parents[1] / "data" / "wire" / "streams.json.gz"
_CASES: list[dict[str, Any]] = json.loads(gzip.decompress(_DATA.read_bytes()))["webhook"]
_CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1"


def _title(case: dict[str, Any]) -> str:
    condition = "-condition" if case["config"] else ""
    return (
        f"{case['kind'].removesuffix('WebhookConfiguration').lower()}-{case['mode']}-{case['failurePolicy']}{condition}"
    )


@pytest.fixture
async def hook() -> AsyncIterator[WebhookServer]:
    async with webhook_server() as server:
        yield server


def _here(recorded: Any, hook: WebhookServer, mode: str) -> Any:
    """The recorded answer with this webhook's address."""
    text = json.dumps(recorded).replace("https://127.0.0.1:19443/hook", f"{hook.url}/{mode}")
    return json.loads(text)


@pytest.mark.parametrize("case", [pytest.param(c, id=_title(c)) for c in _CASES])
async def test_webhook_case_is_as_recorded(hook: WebhookServer, case: dict[str, Any]) -> None:
    mode, labels = case["mode"], {"skip": "1"} if case["config"] else {"z": "1"}
    sort = case["kind"].removesuffix("WebhookConfiguration")
    more = {"failurePolicy": case["failurePolicy"], "timeoutSeconds": 1, **case["config"]}
    async with SimCluster(SimConfig()) as cluster, aiohttp.ClientSession() as session:
        api = Api(session, cluster.url)
        await api.post("/api/v1/namespaces", {"metadata": {"name": "hook"}})
        path = f"{_CONFIGURATIONS}/{sort.lower()}webhookconfigurations"
        code, answer = await api.post(path, configuration(hook, mode, sort, **more))
        assert code == 201, answer
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "hk", "labels": labels}}
        async with session.post(f"{cluster.url}/api/v1/namespaces/hook/configmaps", json=body) as got:
            status, found, warnings = got.status, await got.json(), got.headers.getall("Warning", [])
    assert faults(_here(case["body"], hook, mode), found) == []
    assert (status, warnings) == (case["status"], case["warnings"])
    assert faults(case["reviews"], hook.reviews) == []
