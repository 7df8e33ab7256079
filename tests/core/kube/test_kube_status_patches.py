"""Status patches: the latest per pod wins, none is lost, one pod is never patched twice at once."""

import asyncio
import random
from typing import Any

import msgspec
import pytest
from fakes.clock import FakeClock
from fakes.kube import FakeKube, obj, ok, status

from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.errors import CredentialsError, MaybeSent, NotSent
from tenantry_core.kube.outbox import OutboxSettings
from tenantry_core.kube.status import StatusPatcher
from tenantry_core.kube.values import Key, Patch, PatchType, Refused

A = Key("ns", "a")


def patch(value: Any) -> Patch:
    return Patch(PatchType.STRATEGIC, {"status": {"message": value}})


def join(old: Patch, new: Patch) -> Patch:
    return Patch(PatchType.STRATEGIC, {"status": {"message": f"{said(old.body)}+{said(new.body)}"}})


def said(body: Any) -> str:
    return str(body["status"]["message"])


class Rig:
    def __init__(self, *answers: Any, workers: int = 4, merged: bool = False) -> None:
        self.server = FakeKube()
        for name in ("a", "b"):
            self.server.add("/api/v1", "pods", obj(name, 0))
        self.server.script("PATCH", "/status$", *answers)
        self.clock = FakeClock()
        self.open = True
        self.refused: list[tuple[Key, Refused]] = []
        self.patcher = StatusPatcher(
            KubeClient(self.server, self.clock, random.Random(1)),
            self.clock,
            OutboxSettings(workers=workers),
            gate=lambda: self.open,
            merge=join if merged else None,
            on_refused=lambda pod, why: self.refused.append((pod, why)),
        )
        self.patcher.start()

    def sent(self) -> list[str]:
        return [said(r.json) for r in self.server.seen("PATCH")]


@pytest.mark.parametrize(("merged", "last"), [(False, "3"), (True, "1+2+3")], ids=["latest wins", "merged"])
async def test_patches_that_wait_become_one(merged: bool, last: str) -> None:
    """While the gate is closed only the last word for a pod is kept, or what the merge makes of all."""
    rig = Rig(merged=merged)
    rig.open = False
    for number in (1, 2, 3):
        rig.patcher.put(A, patch(number))
        await rig.clock.advance(0.1)
    rig.open = True
    await rig.clock.advance(0.1)
    assert rig.sent() == [last]
    assert await rig.patcher.close(1) == 0


PASSING = [
    pytest.param(MaybeSent("cut"), id="lost"),
    pytest.param(NotSent("refused"), id="server down"),
    pytest.param(status(500, "InternalError", "x"), id="500"),
    pytest.param(status(429, "TooManyRequests", "x", {"Retry-After": "1"}), id="429"),
    pytest.param(status(409, "Conflict", "the object has been modified"), id="conflict"),
    pytest.param(status(403, "Forbidden", "role not there yet"), id="forbidden"),
    pytest.param(CredentialsError("plugin failed"), id="credentials"),
]


@pytest.mark.parametrize("answer", PASSING)
async def test_tried_until_it_is_stored(answer: Any) -> None:
    """Twenty failures in a row lose nothing."""
    rig = Rig(*[answer] * 20)
    rig.patcher.put(A, patch(1))
    await rig.clock.advance(300)
    assert rig.sent() == ["1"] * 21
    assert (len(rig.patcher), rig.patcher.counters.retried) == (0, 20)
    await rig.patcher.close(1)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        pytest.param(status(404, "NotFound", "gone"), False, id="gone"),
        pytest.param(status(409, "Conflict", "Precondition failed: UID in precondition: x"), False, id="other uid"),
        pytest.param(status(422, "Invalid", "bad"), True, id="invalid"),
        pytest.param(status(400, "BadRequest", "bad"), True, id="bad request"),
    ],
)
async def test_hopeless_is_given_up(answer: Any, told: bool) -> None:
    """A pod that is gone needs no patch; one that the server can't take is reported."""
    rig = Rig(answer)
    rig.patcher.put(A, patch(1))
    await rig.clock.advance(60)
    assert len(rig.sent()) == 1
    assert [pod for pod, _ in rig.refused] == ([A] if told else [])
    await rig.patcher.close(1)


async def test_newer_patch_replaces_one_that_failed() -> None:
    """An old value never follows a new one."""
    rig = Rig(status(500, "InternalError", "x"), workers=1)
    rig.patcher.put(A, patch("old"))
    await rig.clock.settle()
    rig.patcher.put(A, patch("new"))
    await rig.clock.advance(5)
    assert rig.sent() == ["old", "new"]
    await rig.patcher.close(1)


async def test_one_pod_is_never_in_flight_twice() -> None:
    """A patch that comes while another is in flight waits for its end; other pods do not."""
    gate = asyncio.Event()
    rig = Rig()
    real, flying = rig.server.request, []

    async def slow(method: str, path: str, **rest: Any) -> Any:
        flying.append(said(msgspec.json.decode(rest["body"])))
        await gate.wait()
        return await real(method, path, **rest)

    rig.server.request = slow  # type: ignore[method-assign]  # a slower server
    rig.patcher.put(A, patch("a1"))
    await rig.clock.settle()
    rig.patcher.put(A, patch("a2"))
    rig.patcher.put(A, patch("a3"))
    rig.patcher.put(Key("ns", "b"), patch("b1"))
    await rig.clock.settle()
    assert flying == ["a1", "b1"]
    gate.set()
    await rig.clock.settle()
    assert rig.sent() == ["a1", "b1", "a3"]
    await rig.patcher.close(1)


async def test_discarded_patch_is_not_sent() -> None:
    """The pod was deleted while its patch waited; a later pod of the name is patched once."""
    rig = Rig()
    rig.open = False
    rig.patcher.put(A, patch("old"))
    await rig.clock.settle()
    rig.patcher.discard(A)
    rig.patcher.put(A, patch("new"))
    rig.open = True
    await rig.clock.advance(1)
    assert rig.sent() == ["new"]
    await rig.patcher.close(1)


async def test_close_sends_what_waits() -> None:
    """At the end the gate counts for nothing; after it nothing is taken."""
    rig = Rig(ok({}))
    rig.open = False
    rig.patcher.put(A, patch(1))
    await rig.clock.settle()
    closing = asyncio.create_task(rig.patcher.close(5))
    await rig.clock.advance(0.1)
    assert await closing == 0
    assert rig.sent() == ["1"]
    rig.patcher.put(A, patch(2))
    assert rig.patcher.counters.dropped == 1
