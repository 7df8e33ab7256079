"""Lists come in pages, and start again when the server forgets the continue token."""

import random

import msgspec
import pytest
from fakes.clock import FakeClock
from fakes.kube import FakeKube, obj, ok, status

from tenantry_core.errors import DecodeError
from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.errors import ApiError, Expired
from tenantry_core.kube.resources import PODS
from tenantry_core.kube.transport import PlainResponse
from tenantry_core.kube.values import ListOptions

GONE = status(410, "Expired", "The provided continue parameter is too old")


def make(pods: int = 5) -> tuple[FakeKube, KubeClient]:
    server = FakeKube()
    for number in range(pods):
        server.add("/api/v1", "pods", obj(f"p{number}", 0))
    return server, KubeClient(server, FakeClock(), random.Random(1))


def names(items: list[msgspec.Raw]) -> list[str]:
    return [msgspec.json.decode(item)["metadata"]["name"] for item in items]


@pytest.mark.parametrize(
    ("pods", "size", "lengths"),
    [
        pytest.param(5, 2, [2, 2, 1], id="last page short"),
        pytest.param(4, 2, [2, 2], id="last page full"),
        pytest.param(5, 0, [5], id="unpaged"),
        pytest.param(0, 2, [0], id="empty"),
    ],
)
async def test_pages_cover_the_list_in_order(pods: int, size: int, lengths: list[int]) -> None:
    """Every object comes once, the last page says so."""
    _, api = make(pods)
    pages = [page async for page in api.list_pages(PODS, ListOptions(page_size=size))]
    assert [len(page.items) for page in pages] == lengths
    assert [page.index for page in pages] == list(range(len(lengths)))
    assert [page.last for page in pages] == [False] * (len(lengths) - 1) + [True]
    assert [name for page in pages for name in names(page.items)] == [f"p{number}" for number in range(pods)]


async def test_expired_token_starts_the_list_again() -> None:
    """410 in the middle: a page with index 0 voids what came before, and `list_all` hides it."""
    server, api = make()
    first = ok({"metadata": {"resourceVersion": "1", "continue": "9"}, "items": [obj("old", 1)]})
    server.script("GET", "/pods$", first, GONE)
    listing = await api.list_all(PODS, ListOptions(page_size=2))
    assert names(listing.items) == ["p0", "p1", "p2", "p3", "p4"]
    assert listing.resource_version == "105"


async def test_a_list_that_keeps_expiring_is_asked_for_in_one_piece() -> None:
    """After three restarts no limit is sent, since one answer can't expire."""
    server, api = make()
    first = ok({"metadata": {"resourceVersion": "1", "continue": "9"}, "items": [obj("old", 1)]})
    server.script("GET", "/pods$", first, GONE, first, GONE, first, GONE)
    listing = await api.list_all(PODS, ListOptions(page_size=2))
    assert len(listing.items) == 5
    assert "limit" not in server.requests[-1].query


@pytest.mark.parametrize(
    ("options", "query"),
    [
        pytest.param(ListOptions(), {"limit": "500"}, id="quorum read by default"),
        pytest.param(ListOptions(resource_version="0"), {"limit": "500", "resourceVersion": "0"}, id="from the cache"),
        pytest.param(
            ListOptions(field_selector="spec.nodeName=", label_selector="a=1", page_size=0),
            {"fieldSelector": "spec.nodeName=", "labelSelector": "a=1"},
            id="selectors",
        ),
    ],
)
async def test_list_query(options: ListOptions, query: dict[str, str]) -> None:
    """Options travel as the API spells them."""
    server, api = make(0)
    await api.list_all(PODS, options)
    assert server.requests[0].query == query


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        pytest.param(GONE, Expired, id="410 without a token"),
        pytest.param(status(403, "Forbidden", "no"), ApiError, id="forbidden"),
        pytest.param(ok("what"), DecodeError, id="no list"),
    ],
)
async def test_list_faults(answer: PlainResponse, error: type[Exception]) -> None:
    """What can't be helped by reading again is raised."""
    server, api = make(0)
    server.script("GET", "/pods$", *[answer] * 3)
    with pytest.raises(error):
        await api.list_all(PODS)
