"""Reads are tried again; writes only where the server did not act on them; Retry-After is honoured."""

import asyncio
import random
from typing import Any

import msgspec
import pytest
from fakes.clock import FakeClock
from fakes.kube import FakeKube, obj, ok, status

from tenantry_core.errors import DecodeError
from tenantry_core.kube.client import ClientSettings, KubeClient
from tenantry_core.kube.errors import ApiError, MaybeSent, NotSent, TooManyRequests
from tenantry_core.kube.limits import RateLimiter, RateSettings
from tenantry_core.kube.resources import NODES, PODS
from tenantry_core.kube.values import (
    CALL,
    CallOptions,
    DeleteOptions,
    Key,
    Patch,
    PatchType,
    Refused,
    Unknown,
    Written,
)

BUSY = status(429, "TooManyRequests", "later", {"Retry-After": "4"})
DOWN = status(503, "ServiceUnavailable", "down")
DRAIN = status(503, "ServiceUnavailable", "draining", {"Retry-After": "4"})
BROKEN = status(500, "InternalError", "boom")
LATER = status(429, "TooManyRequests", "later", {"Retry-After": "3600"})
LOST, REFUSED = MaybeSent("cut"), NotSent("refused")
KEY = Key("ns", "a")


class Rig:
    def __init__(self, method: str, *answers: Any) -> None:
        self.server = FakeKube()
        self.server.add("/api/v1", "pods", obj("a", 0))
        self.server.script(method, "/pods", *answers)
        self.clock = FakeClock()
        self.api = KubeClient(self.server, self.clock, random.Random(1))

    async def call(self, what: str, call: CallOptions) -> Any:
        if what == "get":
            return await self.api.get(PODS, KEY, call)
        if what == "create":
            return await self.api.create(PODS, "ns", obj("b", ""), call)
        if what == "update":
            return await self.api.update(PODS, KEY, {"metadata": {"name": "a", "namespace": "ns"}}, call)
        if what == "delete":
            return await self.api.delete(PODS, KEY, DeleteOptions(), call)
        return await self.api.patch(PODS, KEY, Patch(PatchType.MERGE, {"a": 1}), call)

    async def finish(self, what: str, call: CallOptions = CALL) -> tuple[Any, int, float]:
        """Result or error, number of requests, seconds of the fake clock until the last one."""
        task = asyncio.ensure_future(asyncio.wait_for(self.call(what, call), 30))
        for _ in range(400):
            await self.clock.advance(0.1)
            if task.done():
                break
        result = (await asyncio.gather(task, return_exceptions=True))[0]
        return result, len(self.server.requests), self.clock.monotonic()


METHODS = {"get": "GET", "create": "POST", "update": "PUT", "delete": "DELETE", "patch": "PATCH"}

AGAIN = [
    *[pytest.param(what, BUSY, 4.0, id=f"{what} after 429") for what in METHODS],
    *[pytest.param(what, DRAIN, 4.0, id=f"{what} after 503 with a wait") for what in METHODS],
    *[pytest.param(what, REFUSED, 0.0, id=f"{what} never sent") for what in METHODS],
    pytest.param("get", DOWN, 0.0, id="get after 503"),
    pytest.param("get", BROKEN, 0.0, id="get after 500"),
    pytest.param("get", LOST, 0.0, id="get lost"),
]


@pytest.mark.parametrize(("what", "answer", "at_least"), AGAIN)
async def test_tried_again(what: str, answer: Any, at_least: float) -> None:
    """A second request after the wait that the server asked for, or a short one of our own."""
    result, requests, seconds = await Rig(METHODS[what], answer).finish(what)
    assert requests == 2
    assert isinstance(result, Written | bytes)
    assert at_least <= seconds <= at_least + 1


ONCE = [
    *[pytest.param(what, LOST, Unknown("cut"), id=f"{what} lost") for what in ("create", "update", "delete", "patch")],
    *[
        pytest.param(what, BROKEN, Refused(500, "InternalError", "boom"), id=f"{what} after 500")
        for what in ("create", "update", "delete", "patch")
    ],
    pytest.param("patch", LATER, Refused(429, "TooManyRequests", "later", 3600), id="wait too long"),
]


@pytest.mark.parametrize(("what", "answer", "result"), ONCE)
async def test_not_tried_again(what: str, answer: Any, result: object) -> None:
    """A write that may have happened is for the caller to look into."""
    got, requests, _ = await Rig(METHODS[what], answer).finish(what)
    assert (got, requests) == (result, 1)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        pytest.param(BROKEN, ApiError, id="500"),
        pytest.param(LOST, MaybeSent, id="lost"),
        pytest.param(REFUSED, NotSent, id="refused"),
        pytest.param(BUSY, TooManyRequests, id="busy"),
    ],
)
async def test_attempts_are_bounded(answer: Any, error: type[Exception]) -> None:
    """After five attempts the last answer stands; with `retry` off after one."""
    got, requests, _ = await Rig("GET", *[answer] * 9).finish("get")
    assert isinstance(got, error)
    assert requests == 5
    got, requests, _ = await Rig("GET", *[answer] * 9).finish("get", CallOptions(retry=False))
    assert isinstance(got, error)
    assert requests == 1


async def test_reads() -> None:
    """Absent is None; a body that does not fit names the object."""

    class Node(msgspec.Struct):
        metadata: dict[str, str]
        spec: int = 0

    server = FakeKube()
    server.add("/api/v1", "nodes", {"metadata": {"name": "n"}})
    server.add("/api/v1", "nodes", {"metadata": {"name": "bad"}, "spec": "x"})
    api = KubeClient(server, FakeClock())
    assert await api.get(NODES, Key("", "none")) is None
    assert await api.get_as(Node, NODES, Key("", "none")) is None
    node = await api.get_as(Node, NODES, Key("", "n"))
    assert node is not None
    assert node.metadata["name"] == "n"
    with pytest.raises(DecodeError, match="nodes /bad"):
        await api.get_as(Node, NODES, Key("", "bad"))


WRITES = [
    pytest.param(Patch(PatchType.MERGE, b"{}"), "application/merge-patch+json", {}, id="merge"),
    pytest.param(Patch(PatchType.STRATEGIC, {}), "application/strategic-merge-patch+json", {}, id="strategic"),
    pytest.param(Patch(PatchType.JSON, {}), "application/json-patch+json", {}, id="json"),
    pytest.param(
        Patch(PatchType.APPLY, {}, "tenantry", force=True),
        "application/apply-patch+yaml",
        {"fieldManager": "tenantry", "force": "true"},
        id="apply",
    ),
]


@pytest.mark.parametrize(("patch", "content", "query"), WRITES)
async def test_patch_forms(patch: Patch, content: str, query: dict[str, str]) -> None:
    """Each patch type has its content type; apply has its manager."""
    rig = Rig("GET")
    assert isinstance(await rig.api.patch_status(PODS, KEY, patch), Written)
    (request,) = rig.server.requests
    assert request.path == "/api/v1/namespaces/ns/pods/a/status"
    assert (request.headers["Content-Type"], request.query) == (content, query)


async def test_delete_options_travel() -> None:
    """Grace, UID, version, propagation and dry run."""
    rig = Rig("GET")
    options = DeleteOptions(0, "u", "7", "Background", dry_run=True)
    assert isinstance(await rig.api.delete(PODS, KEY, options), Written)
    assert rig.server.requests[0].json == {
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "gracePeriodSeconds": 0,
        "preconditions": {"uid": "u", "resourceVersion": "7"},
        "propagationPolicy": "Background",
        "dryRun": ["All"],
    }
    assert isinstance(await rig.api.delete(PODS, KEY, options), Refused)
    await rig.api.close()
    assert rig.server.closed


@pytest.mark.parametrize(("qps", "seconds"), [(0.0, 0.0), (10.0, 1.5)], ids=["off", "10 a second, burst 5"])
async def test_rate_limit(qps: float, seconds: float) -> None:
    """Twenty requests: the burst at once, the others at the rate; without a rate all at once."""
    clock = FakeClock()
    limiter = RateLimiter(RateSettings(qps, 5), clock)
    tasks = [asyncio.create_task(limiter.acquire()) for _ in range(20)]
    await clock.settle()
    if qps:
        assert sum(task.done() for task in tasks) == 5
        await clock.advance(seconds - 0.05)
        assert not all(task.done() for task in tasks)
    await clock.advance(0.1)
    assert all(task.done() for task in tasks)


async def test_rate_limit_reaches_the_client() -> None:
    """The setting is used by calls."""
    server, clock = FakeKube(), FakeClock()
    api = KubeClient(server, clock, settings=ClientSettings(rate=RateSettings(1.0, 1)))
    server.script("GET", "/pods", ok(obj("a", 1)), ok(obj("a", 1)))
    await api.get(PODS, KEY)
    second = asyncio.create_task(api.get(PODS, KEY))
    await clock.settle()
    assert not second.done()
    await clock.advance(1)
    assert second.done()
