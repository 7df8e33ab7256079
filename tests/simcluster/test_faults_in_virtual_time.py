"""Faults by verb and resource, a server that comes back without its watch cache, a clock that stands still."""

import asyncio
import json
from typing import Any

import pytest
from sim_virtual import PODS, Virtual, in_virtual_time, virtual

from tenantry_sim import FaultRule, LocalSettings


def _pod(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "a:1"}]}}


@pytest.mark.parametrize(
    ("rule", "hit"),
    [
        pytest.param(FaultRule(verb="list"), [PODS, "/apis/apps/v1/deployments"], id="list"),
        pytest.param(FaultRule(verb="get", resource="pods"), [f"{PODS}/p"], id="get"),
        pytest.param(FaultRule(resource="deployments.apps"), ["/apis/apps/v1/deployments"], id="resource"),
        pytest.param(FaultRule(resource="pods/status"), [f"{PODS}/p/status"], id="subresource"),
        pytest.param(FaultRule(verb="get", resource="namespaces"), ["/api/v1/namespaces/default"], id="namespace"),
    ],
)
@in_virtual_time
async def test_by_verb_and_resource(rule: FaultRule, hit: list[str]) -> None:
    async with virtual("garbage") as cluster:
        await cluster.post(PODS, _pod("p"))
        rule.times = -1
        cluster.cluster.faults.add(rule)
        paths = [PODS, f"{PODS}/p", f"{PODS}/p/status", "/apis/apps/v1/deployments", "/api/v1/namespaces/default"]
        assert [path for path in paths if (await cluster.call("GET", path))[0] == 500] == hit


@in_virtual_time
async def test_at_a_rate() -> None:
    async with virtual("garbage") as cluster:
        cluster.cluster.faults.fail("", "", 429, verb="list", rate=0.25, times=-1, retry_after=3)
        codes = [(await cluster.call("GET", PODS))[0] for _ in range(400)]
        assert set(codes) == {200, 429}
        assert 60 < codes.count(429) < 140


@in_virtual_time
async def test_latency_and_hanging_are_virtual() -> None:
    async with virtual("garbage") as cluster:
        cluster.cluster.faults.delay("GET", "/pods$", 7.0)
        before = cluster.clock.monotonic()
        await cluster.get(PODS)
        assert cluster.clock.monotonic() - before == pytest.approx(7.0)
        cluster.cluster.faults.clear()
        cluster.cluster.faults.hang("GET", "/pods$")
        with pytest.raises(ConnectionResetError, match="no answer in 30 s"):
            await cluster.get(PODS)
        assert cluster.clock.monotonic() - before == pytest.approx(37.0)


async def _events(cluster: Virtual, version: str, into: list[Any]) -> None:
    query = {"watch": "true", "resourceVersion": version, "allowWatchBookmarks": "true"}
    async with cluster.transport.stream("GET", PODS, query=query) as stream:
        async for piece in stream.chunks():
            into += [json.loads(line) for line in piece.splitlines()]


@pytest.mark.parametrize("lose", [pytest.param(False, id="kept"), pytest.param(True, id="lost")])
@in_virtual_time
async def test_restart(lose: bool) -> None:
    async with virtual("garbage") as cluster:
        version = (await cluster.get(PODS))["metadata"]["resourceVersion"]
        await cluster.post(PODS, _pod("p"))
        seen: list[Any] = []
        watch = asyncio.ensure_future(_events(cluster, version, seen))
        await cluster.pass_(1)
        assert [e["type"] for e in seen] == ["ADDED"]
        await cluster.cluster.faults.stop_server(lose_history=lose)
        with pytest.raises(ConnectionResetError, match="the connection broke"):
            await watch
        with pytest.raises(ConnectionRefusedError):
            await cluster.get(PODS)
        await cluster.cluster.faults.start_server()
        assert await cluster.names(PODS) == ["p"]
        again: list[Any] = []
        watch = asyncio.ensure_future(_events(cluster, version, again))
        await cluster.pass_(1)
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        assert [e["type"] for e in again] == (["ERROR"] if lose else ["ADDED"])
        if lose:
            assert again[0]["object"]["code"] == 410


@in_virtual_time
async def test_bookmarks_come_by_the_clock() -> None:
    async with virtual("garbage") as cluster:
        seen: list[Any] = []
        watch = asyncio.ensure_future(_events(cluster, "1", seen))
        await cluster.pass_(200)
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        assert [e["type"] for e in seen] == ["BOOKMARK"] * 3


@in_virtual_time
async def test_paused_clock() -> None:
    async with virtual("lifecycle") as cluster:
        cluster.schedule(lambda name, spec: "node-1")
        await cluster.post(PODS, _pod("a"))
        cluster.cluster.faults.pause_clock()
        await cluster.pass_(3600)
        code, answer = await cluster.call("POST", PODS, _pod("b"))
        assert (code, answer["metadata"]["creationTimestamp"]) == (201, "2026-01-01T00:00:00Z")
        assert (await cluster.get(f"{PODS}/a"))["status"]["phase"] == "Pending"
        assert (await cluster.call("POST", "/sim/faults", {"pauseClock": False}))[0] == 200
        await cluster.pass_(1)
        pods = [await cluster.get(f"{PODS}/{name}") for name in "ab"]
        assert [p["status"]["phase"] for p in pods] == ["Running", "Running"]
        assert pods[0]["status"]["startTime"] == "2026-01-01T00:00:00Z"


@in_virtual_time
async def test_transport_adds_latency_and_headers() -> None:
    async with virtual("garbage", token="s3cret") as cluster:
        plain = cluster.cluster.transport()
        assert (await plain.request("GET", PODS)).status in (401, 403)
        own = cluster.cluster.transport(LocalSettings(0.5, {"Authorization": "Bearer s3cret"}))
        before = cluster.clock.monotonic()
        assert (await own.request("GET", PODS, query={"labelSelector": "a in (b,c)"})).status == 200
        assert cluster.clock.monotonic() - before == pytest.approx(1.0)
        async with own.stream("GET", f"{PODS}/nothing") as stream:
            assert (stream.status, json.loads(await stream.read())["reason"]) == (404, "NotFound")
