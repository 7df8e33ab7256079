"""Watch streams recorded from a real API server: the same actions give the same events."""

import gzip
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from simcluster_client import MERGE, Api
from test_wire_exchanges import faults

from tenantry_sim import SimCluster

_DATA = Path(__file__).parents[1] / "data" / "wire" / "streams.json.gz"
_WATCHES: list[dict[str, Any]] = json.loads(gzip.decompress(_DATA.read_bytes()))["watch"]
_MAPS = "/api/v1/namespaces/hook/configmaps"
_PODS = "/api/v1/namespaces/hook/pods"


async def _change_a_map(api: Api) -> None:
    """Create, patch, relabel away, relabel back, patch without effect, delete."""
    await api.post(_MAPS, {"metadata": {"name": "w", "labels": {"a": "1"}}})
    for patch in (
        {"data": {"k": "v"}},
        {"metadata": {"labels": {"a": "2"}}},
        {"metadata": {"labels": {"a": "1"}}},
        {"metadata": {"labels": {"a": "1"}}},
    ):
        assert (await api.call("PATCH", f"{_MAPS}/w", patch, MERGE))[0] == 200
    await api.call("DELETE", f"{_MAPS}/w")


async def _live_a_pod(api: Api) -> None:
    """Create, bind to a node without a kubelet, delete with grace, delete at once."""
    await api.post(_PODS, {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "x"}]}})
    target = {"apiVersion": "v1", "kind": "Node", "name": "w1"}
    assert (await api.post(f"{_PODS}/p/binding", {"metadata": {"name": "p"}, "target": target}))[0] == 201
    await api.call("DELETE", f"{_PODS}/p")
    await api.call("DELETE", f"{_PODS}/p", {"gracePeriodSeconds": 0})


@pytest.mark.parametrize("case", [pytest.param(w, id=w["id"]) for w in _WATCHES])
async def test_stream_is_as_recorded(cluster: SimCluster, api: Api, case: dict[str, Any]) -> None:
    await api.post("/api/v1/namespaces", {"metadata": {"name": "hook"}})
    await api.post("/api/v1/nodes", {"metadata": {"name": "w1"}})
    of_pods = case["id"].startswith("pod-")
    synthetic = case["id"] in ("initial-events", "no-version", "version-zero")
    if synthetic:
        await api.post(_MAPS, {"metadata": {"name": "x", "labels": {"b": "1"}}})
    path = _PODS if of_pods else _MAPS
    start = "" if synthetic else f"&resourceVersion={cluster.world.store.revision}"
    async with api.watch(f"{path}?{case['query']}{start}") as events:
        if not synthetic:
            await (_live_a_pod(api) if of_pods else _change_a_map(api))
        seen = await events.take(len(case["events"]))
        with pytest.raises((TimeoutError, aiohttp.ClientError)):
            await events.next(0.05)
    assert faults(case["events"], seen) == []
