"""Watches: order, selectors, bookmarks, initial events, lost history."""

import aiohttp
import pytest
from simcluster_client import MERGE, PODS, Api, eventually, pod

from tenantry_sim import SimCluster, SimConfig


async def _version(api: Api, path: str = PODS) -> str:
    return str((await api.get(path))["metadata"]["resourceVersion"])


async def test_life_of_a_pod_on_a_simulated_node(api: Api) -> None:
    async with api.watch(f"{PODS}?resourceVersion={await _version(api)}") as events:
        await api.create_pod("p")
        await api.bind("p", "node-0")
        seen = await events.take(3)
        assert (await api.call("DELETE", f"{PODS}/p"))[0] == 200
        seen += await events.take(3)
    assert [e["type"] for e in seen] == ["ADDED", "MODIFIED", "MODIFIED", "MODIFIED", "MODIFIED", "DELETED"]
    versions = [int(e["object"]["metadata"]["resourceVersion"]) for e in seen]
    assert versions == sorted(set(versions))
    assert [e["object"]["metadata"].get("deletionGracePeriodSeconds") for e in seen[3:]] == [30, 0, 0]


async def test_a_watch_resumes_where_it_broke_off(api: Api) -> None:
    first = await api.create_pod("a")
    await api.create_pod("b")
    await api.create_pod("c")
    async with api.watch(f"{PODS}?resourceVersion={first['metadata']['resourceVersion']}") as events:
        assert [e["object"]["metadata"]["name"] for e in await events.take(2)] == ["b", "c"]


async def test_without_a_version_the_present_comes_first(api: Api) -> None:
    await api.create_pod("a")
    async with api.watch(PODS) as events:
        await api.create_pod("b")
        seen = await events.take(2)
    assert [(e["type"], e["object"]["metadata"]["name"]) for e in seen] == [("ADDED", "a"), ("ADDED", "b")]


async def test_initial_events_end_with_an_annotated_bookmark(api: Api) -> None:
    await api.create_pod("a")
    query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    async with api.watch(f"{PODS}?{query}") as events:
        added, bookmark = await events.take(2)
    assert (added["type"], bookmark["type"]) == ("ADDED", "BOOKMARK")
    assert bookmark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


async def test_leaving_and_entering_a_selector(api: Api) -> None:
    await api.create_pod("p")
    async with api.watch(f"{PODS}?labelSelector=a%3D1&resourceVersion={await _version(api)}") as events:
        for labels in ({"a": "1"}, {"a": "2"}, {"a": "1"}):
            await api.call("PATCH", f"{PODS}/p", {"metadata": {"labels": labels}}, MERGE)
        seen = await events.take(3)
    assert [(e["type"], e["object"]["metadata"]["labels"]["a"]) for e in seen] == [
        ("ADDED", "1"),
        ("DELETED", "1"),
        ("ADDED", "1"),
    ]


async def test_field_selector_on_the_node(api: Api) -> None:
    await api.create_pod("p")
    await api.create_pod("q")
    query = f"fieldSelector=spec.nodeName%3Dnode-1&resourceVersion={await _version(api)}"
    async with api.watch(f"/api/v1/pods?{query}") as events:
        await api.bind("q", "node-0")
        await api.bind("p", "node-1")
        event = await events.next()
    assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "p")


async def test_bookmarks_come_by_themselves() -> None:
    config = SimConfig(bookmark_seconds=0.05)
    async with SimCluster(config) as cluster, aiohttp.ClientSession() as session:
        api = Api(session, cluster.url)
        async with api.watch(f"{PODS}?allowWatchBookmarks=true") as events:
            seen = await events.take(2)
    assert [e["type"] for e in seen] == ["BOOKMARK", "BOOKMARK"]
    assert seen[0]["object"]["kind"] == "Pod"


async def test_a_watch_ends_when_its_time_is_up(api: Api) -> None:
    async with api.watch(f"{PODS}?timeoutSeconds=1") as events:
        with pytest.raises(EOFError):
            await events.next()


@pytest.mark.parametrize("how", ["compaction", "small-ring"])
async def test_a_forgotten_version_is_gone(how: str) -> None:
    config = SimConfig(history=1000 if how == "compaction" else 2)
    async with SimCluster(config) as cluster, aiohttp.ClientSession() as session:
        api = Api(session, cluster.url)
        first = await api.create_pod("p0")
        for i in range(1, 5):
            await api.create_pod(f"p{i}")
        if how == "compaction":
            cluster.faults.expire_history()
        async with api.watch(f"{PODS}?resourceVersion={first['metadata']['resourceVersion']}") as events:
            event = await events.next()
            assert event["type"] == "ERROR"
            assert (event["object"]["code"], event["object"]["reason"]) == (410, "Expired")
            with pytest.raises(EOFError):
                await events.next()


async def test_a_version_from_the_future_is_refused(api: Api) -> None:
    code, body = await api.call("GET", f"{PODS}?watch=true&resourceVersion=99999999")
    assert (code, body["reason"]) == (504, "Timeout")


async def test_a_client_that_goes_leaves_no_watch_behind(cluster: SimCluster, api: Api) -> None:
    async with api.watch(PODS):
        assert len(cluster.server.hub.open) == 1

    async def closed() -> bool:
        return not cluster.server.hub.open

    await eventually(closed)


async def test_events_group_sees_the_same_events_under_its_own_names(api: Api) -> None:
    await api.create_pod("p")
    event = {
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "p"},
        "message": "m",
        "reason": "r",
        "type": "Normal",
    }
    assert (await api.post("/api/v1/namespaces/default/events", event))[0] == 201
    async with api.watch("/apis/events.k8s.io/v1/namespaces/default/events") as events:
        seen = (await events.next())["object"]
    assert (seen["apiVersion"], seen["note"], seen["regarding"]["name"]) == ("events.k8s.io/v1", "m", "p")


async def test_pod_created_with_generated_name(api: Api) -> None:
    wanted = pod("x")
    wanted["metadata"] = {"generateName": "job-"}
    code, body = await api.post(PODS, wanted)
    assert code == 201
    assert body["metadata"]["name"].startswith("job-")
    assert len(body["metadata"]["name"]) == len("job-") + 5
