"""Events are posted once, counted in a series, cut to size, bounded in number, and wait for binds."""

import asyncio
import random
from typing import Any

import pytest
from fakes.clock import FakeClock
from fakes.kube import FakeKube, status

from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.errors import MaybeSent
from tenantry_core.kube.event_body import EventNote, ObjectRef, cut, event_name
from tenantry_core.kube.events import EventRecorder, EventSettings
from tenantry_core.kube.outbox import OutboxSettings

POD = ObjectRef("Pod", "a", "ns", "u1", "v1")


def note(text: str = "0/3 nodes are available.", **changes: Any) -> EventNote:
    fields = {"reason": "FailedScheduling", "action": "Scheduling", "controller": "tenantry", "warning": True}
    return EventNote(**{"regarding": POD, "note": text, **fields, **changes})


class Rig:
    def __init__(self, settings: EventSettings | None = None, start: bool = True) -> None:
        self.server = FakeKube()
        self.clock = FakeClock()
        self.open = True
        api = KubeClient(self.server, self.clock, random.Random(1))
        self.recorder = EventRecorder(api, "host-1", self.clock, settings, lambda: self.open)
        if start:
            self.recorder.start()

    def sent(self, method: str) -> list[Any]:
        return [r.json for r in self.server.seen(method, "/events")]


async def test_one_event() -> None:
    """The body is an events.k8s.io/v1 Event with every field that validation asks for."""
    rig = Rig()
    rig.recorder.record(note(related=ObjectRef("Pod", "b", "ns")))
    await rig.clock.settle()
    (event,) = rig.sent("POST")
    assert rig.server.requests[0].path == "/apis/events.k8s.io/v1/namespaces/ns/events"
    name = event["metadata"].pop("name")
    assert name.startswith("a.")
    assert event == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"namespace": "ns"},
        "eventTime": "2027-01-15T08:00:00.000000Z",
        "reportingController": "tenantry",
        "reportingInstance": "host-1",
        "action": "Scheduling",
        "reason": "FailedScheduling",
        "regarding": {"kind": "Pod", "name": "a", "namespace": "ns", "uid": "u1", "apiVersion": "v1"},
        "related": {"kind": "Pod", "name": "b", "namespace": "ns"},
        "note": "0/3 nodes are available.",
        "type": "Warning",
    }
    assert await rig.recorder.close(1) == 0


SERIES = [
    pytest.param([0, 1], 1, [2], id="second time is told at once"),
    pytest.param([0, 1, 1, 1], 1, [2, 4], id="more are told together"),
    pytest.param([0, 1, 40], 1, [2, 3], id="after the interval at once"),
    pytest.param([0, 1, 400], 2, [2], id="after the window a new event"),
    pytest.param([0], 1, [], id="once"),
]


@pytest.mark.parametrize(("gaps", "posts", "counts"), SERIES)
async def test_series(gaps: list[float], posts: int, counts: list[int]) -> None:
    """Repeats become counts of one event."""
    rig = Rig()
    for gap in gaps:
        await rig.clock.advance(gap)
        rig.recorder.record(note())
    await rig.clock.advance(31)
    assert len(rig.sent("POST")) == posts
    assert [patch["series"]["count"] for patch in rig.sent("PATCH")] == counts
    await rig.recorder.close(1)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(note("1/3 nodes"), id="note"),
        pytest.param(note(reason="Preempted"), id="reason"),
        pytest.param(note(action="Binding"), id="action"),
        pytest.param(note(controller="other"), id="controller"),
        pytest.param(note(regarding=ObjectRef("Pod", "a", "ns", "u2", "v1")), id="object"),
        pytest.param(note(warning=False), id="type"),
    ],
)
async def test_what_makes_another_event(other: EventNote) -> None:
    """Any field that differs is another series, with another name."""
    rig = Rig()
    rig.recorder.record(note())
    rig.recorder.record(other)
    await rig.clock.settle()
    names = {event["metadata"]["name"] for event in rig.sent("POST")}
    assert len(names) == 2
    assert not rig.sent("PATCH")
    await rig.recorder.close(1)


async def test_counts_of_the_last_moments_are_sent_at_the_end() -> None:
    """`close` tells what came since the last patch."""
    rig = Rig()
    for _ in range(5):
        rig.recorder.record(note())
        await rig.clock.settle()
    assert await rig.recorder.close(1) == 0
    assert [patch["series"]["count"] for patch in rig.sent("PATCH")] == [2, 5]


async def test_event_that_the_server_forgot_is_posted_anew() -> None:
    """A PATCH that finds nothing becomes a new event with the whole count."""
    rig = Rig()
    rig.recorder.record(note())
    await rig.clock.settle()
    rig.server.objects.clear()
    rig.recorder.record(note())
    await rig.clock.advance(2)
    assert [event.get("series", {}).get("count") for event in rig.sent("POST")] == [None, 2]
    await rig.recorder.close(1)


async def test_lost_answer_does_not_make_two_events() -> None:
    """The name is kept for the second try, and AlreadyExists means that the first was stored."""
    rig = Rig()
    rig.server.script("POST", "/events", MaybeSent("cut"), status(409, "AlreadyExists", "there"))
    rig.recorder.record(note())
    await rig.clock.advance(5)
    posts = rig.sent("POST")
    assert len(posts) == 2
    assert posts[0]["metadata"]["name"] == posts[1]["metadata"]["name"]
    assert len(rig.recorder) == 0
    await rig.recorder.close(1)


async def test_full_queue_drops_and_counts() -> None:
    """Nothing waits for an event; repeats of one that waits cost no place."""
    rig = Rig(EventSettings(outbox=OutboxSettings(capacity=3)), start=False)
    for number in range(5):
        rig.recorder.record(note(str(number)))
        rig.recorder.record(note("0"))
    assert (len(rig.recorder), rig.recorder.counters.dropped) == (3, 2)
    rig.recorder.start()
    await rig.clock.settle()
    assert len(rig.sent("POST")) == 3
    await rig.recorder.close(1)


@pytest.mark.parametrize(
    "answer", [status(403, "Forbidden", "namespace is being terminated"), status(422, "Invalid", "x")]
)
async def test_hopeless_events_are_given_up(answer: Any) -> None:
    """One attempt, counted."""
    rig = Rig()
    rig.server.script("POST", "/events", answer)
    rig.recorder.record(note())
    await rig.clock.advance(60)
    assert (len(rig.server.requests), rig.recorder.counters.refused) == (1, 1)
    await rig.recorder.close(1)


async def test_attempts_are_bounded() -> None:
    """A server that keeps failing costs an event its place in the end."""
    rig = Rig(EventSettings(outbox=OutboxSettings(workers=1, attempts=4)))
    rig.server.script("POST", "/events", *[status(500, "InternalError", "x")] * 9)
    rig.recorder.record(note())
    await rig.clock.advance(60)
    assert (len(rig.server.requests), rig.recorder.counters.dropped, len(rig.recorder)) == (4, 1, 0)
    await rig.recorder.close(1)


async def test_events_yield_to_binds_but_not_for_ever() -> None:
    """A closed gate holds events back, opening it lets them go, and so does a long wait."""
    rig = Rig()
    rig.open = False
    rig.recorder.record(note("one"))
    await rig.clock.advance(5)
    assert not rig.server.requests
    rig.open = True
    await rig.clock.advance(0.1)
    assert len(rig.server.requests) == 1
    rig.open = False
    rig.recorder.record(note("two"))
    await rig.clock.advance(31)
    assert len(rig.server.requests) == 2
    await rig.recorder.close(1)


async def test_close_keeps_its_deadline() -> None:
    """A server that does not answer can't hold the process; what is left is said."""
    rig = Rig()
    rig.server.script("POST", "/events", *[status(500, "InternalError", "x")] * 99)
    rig.recorder.record(note())
    await rig.clock.settle()
    closing = asyncio.create_task(rig.recorder.close(2))
    await rig.clock.advance(1.9)
    assert not closing.done()
    await rig.clock.advance(0.2)
    assert await closing == 1


CUTS = [
    pytest.param("x" * 1024, "x" * 1024, id="fits"),
    pytest.param("x" * 1025, "x" * 1020 + " ...", id="one too many"),
    pytest.param("é" * 600, "é" * 510 + " ...", id="bytes count"),
    pytest.param("a" + "é" * 600, "a" + "é" * 509 + " ...", id="no half character"),
    pytest.param("", "", id="empty"),
]


@pytest.mark.parametrize(("text", "result"), CUTS)
def test_note_is_cut(text: str, result: str) -> None:
    """At most 1024 bytes, ending in ` ...` when something is missing."""
    assert cut(text) == result
    assert len(result.encode()) <= 1024


@pytest.mark.parametrize("name", ["a", "x" * 253, "y" * 235 + "." * 18], ids=["short", "longest", "dots at the cut"])
def test_event_name_is_valid(name: str) -> None:
    """Object's name, a dot and a number in at most 253 characters, with no dot or dash before the dot."""
    result = event_name(ObjectRef("Pod", name), 0x18A5D3C2B1F0E000)
    stem, _, number = result.rpartition(".")
    assert len(result) <= 253
    assert number == "18a5d3c2b1f0e000"
    assert stem == stem.rstrip("-.")
    assert name.startswith(stem)
