"""A stream lists, watches, resumes and lists again, whatever the server does."""

import asyncio
import random
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from fakes.clock import FakeClock
from fakes.kube import HOLD, FakeKube, line, obj, ok, status

from tenantry_core.kube.client import ClientSettings, KubeClient
from tenantry_core.kube.errors import MaybeSent, NotSent
from tenantry_core.kube.limits import RetrySettings
from tenantry_core.kube.resources import PODS
from tenantry_core.kube.stream import ResourceStream
from tenantry_core.kube.values import ListOptions
from tenantry_core.kube.watch_event import WatchEvent

LIST = ["SYNC_START", "SYNC_ITEM p0", "SYNC_END"]
AHEAD = {"kind": "Status", "code": 504, "reason": "Timeout", "message": "Too large resource version: 9, current: 3"}
EXPIRED = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"}


class Rig:
    """A stream with one pod in the store, read in the background."""

    def __init__(self, *watches: list[Any], selection: ListOptions | None = None) -> None:
        self.server = FakeKube()
        self.server.add("/api/v1", "pods", obj("p0", 0))
        self.server.watches.extend(watches)
        self.clock = FakeClock()
        api = KubeClient(self.server, self.clock, random.Random(2), ClientSettings(RetrySettings(attempts=1)))
        self.stream = ResourceStream(api, PODS, self.clock, random.Random(3), selection)
        self.said: list[str] = []
        self.events: list[WatchEvent] = []
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for event in self.stream.events():
            meta = (msgspec.json.decode(event.object) or {}).get("metadata")
            name = meta.get("name", "") if isinstance(meta, dict) else ""
            self.said.append(f"{event.type.value} {name}".strip())
            self.events.append(event)

    async def turn(self, seconds: float = 0.0) -> list[str]:
        """Turn the clock and say what came since the last call."""
        await self.clock.advance(seconds)
        said, self.said = self.said, []
        return said

    def watch_versions(self) -> list[str]:
        return [r.query["resourceVersion"] for r in self.server.requests if "watch" in r.query]

    async def close(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


def cut(*lines: bytes, at: int) -> list[bytes]:
    """The same bytes in pieces of `at`."""
    body = b"".join(lines)
    return [body[i : i + at] for i in range(0, len(body), at)]


ADDED, MODIFIED = line("ADDED", obj("a", 110)), line("MODIFIED", obj("a", 111))
DELETED, BOOKMARK = line("DELETED", obj("a", 112)), line("BOOKMARK", {"metadata": {"resourceVersion": "200"}})

SAYS = [
    pytest.param([ADDED, MODIFIED, DELETED, HOLD], ["ADDED a", "MODIFIED a", "DELETED a"], id="three lines"),
    pytest.param([ADDED + MODIFIED + DELETED, HOLD], ["ADDED a", "MODIFIED a", "DELETED a"], id="one chunk"),
    pytest.param([*cut(ADDED, MODIFIED, at=7), HOLD], ["ADDED a", "MODIFIED a"], id="lines cut anywhere"),
    pytest.param([ADDED, MODIFIED[:20], HOLD], ["ADDED a"], id="line not finished"),
]


@pytest.mark.parametrize(("watch", "said"), SAYS)
async def test_list_then_changes(watch: list[Any], said: list[str]) -> None:
    """First the list between its marks, then the changes in the server's order."""
    rig = Rig(watch)
    assert await rig.turn() == LIST + said
    assert rig.watch_versions() == ["101"]
    assert rig.events[2].resource_version == "101"
    await rig.close()


RESUMES = [
    pytest.param([ADDED], "110", id="watch ended by the server"),
    pytest.param([ADDED, MaybeSent("cut")], "110", id="connection lost"),
    pytest.param([ADDED, MODIFIED[:30], MaybeSent("cut")], "110", id="cut in the middle of a line"),
    pytest.param([ADDED, BOOKMARK], "200", id="bookmark"),
    pytest.param([BOOKMARK, MaybeSent("silent")], "200", id="silence after a bookmark"),
    pytest.param([NotSent("refused")], "101", id="server down"),
    pytest.param([status(500, "InternalError", "no")], "101", id="500"),
    pytest.param([status(429, "TooManyRequests", "later", {"Retry-After": "2"})], "101", id="429"),
    pytest.param([line("ERROR", {"kind": "Status", "code": 500, "message": "x"})], "101", id="error line"),
    pytest.param([], "101", id="ended at once"),
]


@pytest.mark.parametrize(("watch", "version"), RESUMES)
async def test_resume_without_a_list(watch: list[Any], version: str) -> None:
    """A watch that ends is opened again from the last version seen; nothing is listed or said twice."""
    rig = Rig(watch, [line("ADDED", obj("b", 300)), HOLD])
    said = await rig.turn(5)
    assert said[:3] == LIST
    assert said[-1] == "ADDED b"
    assert said.count("SYNC_START") == 1
    assert rig.watch_versions() == ["101", version]
    await rig.close()


RELISTS: list[Any] = [
    pytest.param([line("ERROR", EXPIRED)], {"expired": 1}, id="410 line"),
    pytest.param([status(410, "Expired", "too old")], {"expired": 1}, id="410 answer"),
    pytest.param([ADDED, b"{not json\n"], {"bad_lines": 1}, id="bad line"),
    pytest.param([b'{"type": "ADDED", "object": {"a": }}\n'], {"bad_lines": 1}, id="bad object"),
    pytest.param([b'{"type": "NEWS", "object": {}}\n'], {"bad_lines": 1}, id="unknown type"),
    pytest.param([line("ADDED", {"metadata": {}}), MaybeSent("cut")], {"bad_lines": 0}, id="object without a version"),
    pytest.param([line("ADDED", {"metadata": 7}), MaybeSent("cut")], {"bad_lines": 1}, id="unreadable version"),
    pytest.param([status(404, "NotFound", "no such resource")], {}, id="404"),
    pytest.param([status(504, "Timeout", "Too large resource version: 9, current: 3")], {}, id="version ahead"),
    pytest.param([line("ERROR", AHEAD)], {}, id="version ahead line"),
]


@pytest.mark.parametrize(("watch", "counted"), RELISTS)
async def test_list_again(watch: list[Any], counted: dict[str, int]) -> None:
    """Where the version is of no use the whole list comes again, counted, and the stream goes on."""
    rig = Rig(watch, [line("ADDED", obj("b", 300)), HOLD])
    said = await rig.turn(30)
    assert said.count("SYNC_START") == said.count("SYNC_END") == 2
    assert said[-1] == "ADDED b"
    assert {name: getattr(rig.stream.counters, name) for name in counted} == counted
    await rig.close()


async def test_failures_wait_longer_each_time() -> None:
    """Between attempts the stream sleeps, at most the cap and with jitter."""
    rig = Rig(*[[NotSent("refused")] for _ in range(20)])
    at = []
    for _ in range(1200):
        before = len(rig.watch_versions())
        await rig.clock.advance(0.1)
        if len(rig.watch_versions()) > before:
            at.append(rig.clock.monotonic())
    gaps = [b - a for a, b in pairwise(at)]
    assert 0.3 < gaps[0] < 2
    assert all(15 <= gap <= 30.2 for gap in gaps[7:])
    assert len({round(gap, 1) for gap in gaps[7:]}) > 1 or len(gaps) <= 8
    await rig.close()


async def test_bad_line_for_ever_is_no_hot_loop() -> None:
    """A server that says one good line and then nonsense is listed ever more rarely."""
    rig = Rig(*[[ADDED, b"nonsense\n"] for _ in range(100)])
    await rig.clock.advance(60)
    assert 3 <= rig.stream.counters.lists <= 10
    await rig.close()


async def test_watch_asks_for_bookmarks_and_a_random_end() -> None:
    """Selectors, bookmarks, and a time-out between five and ten minutes."""
    rig = Rig([HOLD], selection=ListOptions(namespace="n", field_selector="spec.nodeName=x", label_selector="a=1"))
    await rig.turn()
    (request,) = rig.server.seen("GET", "/namespaces/n/pods")[1:]
    assert request.query["allowWatchBookmarks"] == "true"
    assert 300 <= int(request.query["timeoutSeconds"]) <= 600
    assert (request.query["fieldSelector"], request.query["labelSelector"]) == ("spec.nodeName=x", "a=1")
    await rig.close()


async def test_list_that_breaks_off_starts_anew() -> None:
    """A second SYNC_START voids the first; only one SYNC_END comes."""
    rig = Rig([HOLD])
    page = ok({"metadata": {"resourceVersion": "5", "continue": "1"}, "items": [obj("x", 5)]})
    rig.server.script("GET", "/pods$", page, MaybeSent("cut"))
    assert await rig.turn(3) == ["SYNC_START", "SYNC_ITEM x", *LIST]
    await rig.close()


@pytest.mark.parametrize("selection", [None, ListOptions(resource_version="0")], ids=["quorum", "cached"])
async def test_resync_is_a_quorum_read_at_once(selection: ListOptions | None) -> None:
    """`resync` interrupts a silent watch and lists without a version, as a new leader needs."""
    rig = Rig([HOLD], [HOLD], selection=selection)
    await rig.turn()
    rig.stream.resync()
    assert await rig.turn() == LIST
    lists = [r for r in rig.server.requests if "watch" not in r.query]
    assert "resourceVersion" not in lists[-1].query
    assert rig.stream.counters.failures == 0
    await rig.close()
