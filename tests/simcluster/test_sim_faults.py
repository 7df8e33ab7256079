"""Faults on demand, in-process and over HTTP."""

import asyncio

import aiohttp
import pytest
from simcluster_client import PODS, Api, eventually, pod

from tenantry_sim import FaultRule, SimCluster


async def test_failure_before_changes_nothing(cluster: SimCluster, api: Api) -> None:
    await api.create_pod("p")
    cluster.faults.fail("POST", "/binding$", 503)
    assert (await api.bind("p", "node-0"))[0] == 503
    assert "nodeName" not in (await api.get(f"{PODS}/p"))["spec"]
    assert (await api.bind("p", "node-0"))[0] == 201


async def test_failure_after_the_change_was_stored(cluster: SimCluster, api: Api) -> None:
    await api.create_pod("p")
    cluster.faults.fail("POST", "/binding$", 500, when="after")
    code, body = await api.bind("p", "node-0")
    assert (code, body["reason"]) == (500, "InternalError")
    assert (await api.get(f"{PODS}/p"))["spec"]["nodeName"] == "node-0"


async def test_number_of_hits_and_clearing(cluster: SimCluster, api: Api) -> None:
    cluster.faults.fail("GET", "/pods$", 500, times=2)
    codes = [(await api.call("GET", PODS))[0] for _ in range(3)]
    assert codes == [500, 500, 200]
    cluster.faults.fail("", "", 500, times=-1)
    assert (await api.call("GET", PODS))[0] == 500
    cluster.faults.clear()
    assert (await api.call("GET", PODS))[0] == 200
    assert cluster.faults.hits == 3


async def test_a_share_of_the_requests(cluster: SimCluster, api: Api) -> None:
    cluster.faults.fail("GET", "/pods$", 503, times=-1, rate=0.5)
    codes = [(await api.call("GET", PODS))[0] for _ in range(60)]
    assert set(codes) == {200, 503}
    assert cluster.faults.hits == codes.count(503)


async def test_throttling_names_the_wait(cluster: SimCluster, api: Api) -> None:
    cluster.faults.fail("GET", "/pods", 429, retry_after=7)
    async with api.session.get(api.url + PODS) as answer:
        assert (answer.status, answer.headers["Retry-After"]) == (429, "7")


async def test_delay_and_a_client_that_gives_up(cluster: SimCluster, api: Api) -> None:
    await api.create_pod("p")
    cluster.faults.add(FaultRule("POST", "/binding$", 0, when="after", delay_seconds=30))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(api.bind("p", "node-0"), 0.2)
    assert (await api.get(f"{PODS}/p"))["spec"]["nodeName"] == "node-0"


async def test_dropped_connection_after_the_change(cluster: SimCluster, api: Api) -> None:
    cluster.faults.fail("POST", "/pods$", 0, when="after", drop=True)
    with pytest.raises(aiohttp.ClientError):
        await api.post(PODS, pod("p"))
    assert (await api.call("GET", f"{PODS}/p"))[0] == 200


async def test_cut_watches_break_in_mid_stream(cluster: SimCluster, api: Api) -> None:
    await api.create_pod("p")
    async with api.watch(PODS) as events:
        await events.next()
        assert cluster.faults.cut_watches("/nodes") == 0
        assert cluster.faults.cut_watches("/pods") == 1
        with pytest.raises((aiohttp.ClientError, EOFError)):
            await events.next()


async def test_open_watch_survives_compaction(cluster: SimCluster, api: Api) -> None:
    async with api.watch(PODS) as events:
        cluster.faults.expire_history()
        await api.create_pod("p")
        assert (await events.next())["object"]["metadata"]["name"] == "p"


async def test_restart_keeps_state_and_port(cluster: SimCluster, api: Api) -> None:
    created = await api.create_pod("p")
    async with api.watch(PODS) as events:
        await events.next()
        await cluster.faults.stop_server()
        with pytest.raises((aiohttp.ClientError, EOFError)):
            await events.next()
    with pytest.raises(aiohttp.ClientError):
        await api.get(PODS)
    await cluster.faults.start_server()
    assert (await api.get(f"{PODS}/p"))["metadata"]["uid"] == created["metadata"]["uid"]


async def test_switches_over_http(cluster: SimCluster, api: Api) -> None:
    rule = {"method": "GET", "path": "/pods$", "status": 503, "times": -1}
    code, body = await api.post("/sim/faults", {"rules": [rule]})
    assert (code, body["rules"][0]["status"]) == (200, 503)
    assert (await api.call("GET", PODS))[0] == 503
    assert (await api.get("/sim/faults"))["hits"] == 1
    assert (await api.post("/sim/faults", {"clear": True, "cutWatches": True, "expireHistory": True}))[0] == 200
    assert (await api.call("GET", PODS))[0] == 200


async def test_restart_over_http(cluster: SimCluster, api: Api) -> None:
    await api.create_pod("p")
    async with api.watch(PODS) as events:
        await events.next()
        assert (await api.post("/sim/faults", {"restart": 0.1}))[0] == 200
        with pytest.raises((aiohttp.ClientError, EOFError)):
            await events.next()

    async def back() -> bool:
        try:
            return (await api.call("GET", f"{PODS}/p"))[0] == 200
        except aiohttp.ClientError:
            return False

    await eventually(back)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"rules": [{"path": "("}]}, id="bad-pattern"),
        pytest.param({"rules": [{"when": "never"}]}, id="unknown-moment"),
        pytest.param({"nope": 1}, id="unknown-member"),
    ],
)
async def test_bad_switches_are_refused(api: Api, body: dict[str, object]) -> None:
    assert (await api.post("/sim/faults", body))[0] == 400
