"""Lists: pages that agree with each other, revisions, continue tokens."""

from urllib.parse import quote

import pytest
from simcluster_client import PODS, Api

from tenantry_sim import SimCluster


async def _page(api: Api, limit: int, token: str = "", more: str = "") -> tuple[int, dict[str, object], list[str]]:
    _, body = await api.call("GET", f"{PODS}?limit={limit}&continue={quote(token)}{more}")
    names = [item["metadata"]["name"] for item in body.get("items", ())]
    return int(body.get("code", 200)), body.get("metadata", {}), names


async def test_pages_show_one_moment(api: Api) -> None:
    for name in "abcde":
        await api.create_pod(name)
    _, metadata, names = await _page(api, 2)
    assert metadata["remainingItemCount"] == 3
    first = metadata["resourceVersion"]
    await api.call("DELETE", f"{PODS}/c")
    await api.create_pod("bb")
    _, metadata, more = await _page(api, 2, str(metadata["continue"]))
    _, last, rest = await _page(api, 2, str(metadata["continue"]))
    assert names + more + rest == ["a", "b", "c", "d", "e"]
    assert last["resourceVersion"] == first
    assert "continue" not in last


async def test_pages_with_a_selector_end_without_an_empty_page(api: Api) -> None:
    for name in "abcd":
        await api.create_pod(name)
    for name in "ac":
        await api.call("PATCH", f"{PODS}/{name}", {"metadata": {"labels": {"x": "1"}}}, "application/merge-patch+json")
    _, metadata, names = await _page(api, 1, more="&labelSelector=x%3D1")
    assert "remainingItemCount" not in metadata
    _, last, rest = await _page(api, 1, str(metadata["continue"]), more="&labelSelector=x%3D1")
    assert (names, rest) == (["a"], ["c"])
    assert "continue" not in last


async def test_a_page_after_compaction_is_gone(cluster: SimCluster, api: Api) -> None:
    for name in "abc":
        await api.create_pod(name)
    _, metadata, _ = await _page(api, 1)
    cluster.faults.expire_history()
    code, _, _ = await _page(api, 1, str(metadata["continue"]))
    assert code == 410


async def test_an_exact_version_shows_the_past(api: Api) -> None:
    await api.create_pod("a")
    second = await api.create_pod("b")
    await api.call("DELETE", f"{PODS}/a")
    await api.create_pod("c")
    version = second["metadata"]["resourceVersion"]
    body = await api.get(f"{PODS}?resourceVersion={version}&resourceVersionMatch=Exact")
    assert [item["metadata"]["name"] for item in body["items"]] == ["a", "b"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        pytest.param("limit=-1", 400, id="negative-limit"),
        pytest.param("limit=x", 400, id="no-number"),
        pytest.param("continue=%21%21", 400, id="broken-token"),
        pytest.param("fieldSelector=spec.nope%3D1", 400, id="unknown-field"),
        pytest.param("labelSelector=a%20in", 400, id="broken-selector"),
        pytest.param("resourceVersion=99999999", 504, id="future"),
    ],
)
async def test_bad_queries_get_a_status(api: Api, query: str, code: int) -> None:
    got, body = await api.call("GET", f"{PODS}?{query}")
    assert (got, body["kind"]) == (code, "Status")
