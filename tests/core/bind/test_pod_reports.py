"""Conditions and events about pods: exact text, and patched only when something is new."""

from __future__ import annotations

from typing import Any

import pytest
from builders import PodBuilder, a_pod
from fakes.clock import FakeClock

from tenantry_core.bind.reporter import SCHEDULER_ERROR, UNSCHEDULABLE, Reporter, merged, status_patch
from tenantry_core.kube.event_body import EventNote
from tenantry_core.kube.values import Key, Patch


class Sent:
    """Stands in for the event recorder and the status patcher."""

    def __init__(self) -> None:
        self.notes: list[EventNote] = []
        self.patches: list[dict[str, Any]] = []

    def record(self, note: EventNote) -> None:
        self.notes.append(note)

    def put(self, pod: Key, patch: Patch) -> None:
        self.patches.append(patch.body)


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
def reporter(sent: Sent) -> Reporter:
    return Reporter(sent, sent, FakeClock(0.0))  # type: ignore[arg-type]


def said(message: str, reason: str = UNSCHEDULABLE) -> dict[str, str]:
    return {"type": "PodScheduled", "status": "False", "reason": reason, "message": message}


def test_scheduled_event(reporter: Reporter, sent: Sent) -> None:
    reporter.scheduled(a_pod("p", "ns").build(), "n1")
    note = sent.notes[0]
    assert (note.reason, note.action, note.note) == ("Scheduled", "Binding", "Successfully assigned ns/p to n1")
    assert (note.warning, note.controller, note.regarding.uid) == (False, "default-scheduler", "ns/p")
    assert sent.patches == []


def test_failure_is_an_event_and_a_condition(reporter: Reporter, sent: Sent) -> None:
    reporter.failed(a_pod().build(), UNSCHEDULABLE, "0/1 nodes are available: 1 Too many pods.")
    note = sent.notes[0]
    assert (note.reason, note.action, note.warning) == ("FailedScheduling", "Scheduling", True)
    condition = sent.patches[0]["status"]["conditions"][0]
    assert condition == said("0/1 nodes are available: 1 Too many pods.") | {
        "lastTransitionTime": "1970-01-01T00:00:00Z"
    }
    assert sent.patches[0]["metadata"] == {"uid": "default/pod"}


def test_long_message_is_cut_in_the_event_alone(reporter: Reporter, sent: Sent) -> None:
    reporter.failed(a_pod().build(), UNSCHEDULABLE, "x" * 2000)
    assert len(sent.notes[0].note) == 1024
    assert sent.notes[0].note.endswith(" ...")
    assert len(sent.patches[0]["status"]["conditions"][0]["message"]) == 2000


@pytest.mark.parametrize(
    ("pod", "first", "second", "patches"),
    [
        pytest.param(a_pod(), "a", "a", 1, id="same-again"),
        pytest.param(a_pod(), "a", "b", 2, id="other-message"),
        pytest.param(a_pod().status(conditions=[said("a")]), "a", "a", 0, id="the-pod-has-it"),
        pytest.param(a_pod().status(conditions=[said("a", SCHEDULER_ERROR)]), "a", "a", 1, id="other-reason"),
    ],
)
def test_condition_is_patched_only_when_it_changes(
    reporter: Reporter, sent: Sent, pod: PodBuilder, first: str, second: str, patches: int
) -> None:
    for message in (first, second):
        reporter.failed(pod.build(), UNSCHEDULABLE, message)
    assert len(sent.patches) == patches
    assert len(sent.notes) == 2


def test_condition_that_somebody_overwrote_is_said_again(reporter: Reporter, sent: Sent) -> None:
    reporter.failed(a_pod().build(), UNSCHEDULABLE, "a")
    reporter.failed(a_pod().status(conditions=[said("theirs")]).build(), UNSCHEDULABLE, "a")
    assert len(sent.patches) == 2


def test_time_of_the_turn_is_kept_while_the_status_stays(reporter: Reporter, sent: Sent) -> None:
    reporter.failed(a_pod().build(), UNSCHEDULABLE, "a")
    reporter.failed(a_pod().build(), UNSCHEDULABLE, "b")
    assert "lastTransitionTime" not in sent.patches[1]["status"]["conditions"][0]


@pytest.mark.parametrize(("node", "value"), [("n1", "n1"), ("", None)])
def test_nomination(reporter: Reporter, sent: Sent, node: str, value: str | None) -> None:
    reporter.nominated(a_pod().build(), node)
    assert sent.patches[0]["status"] == {"nominatedNodeName": value}


def test_preempted_event(reporter: Reporter, sent: Sent) -> None:
    reporter.preempted(a_pod("victim").build(), a_pod("winner").build(), "n1")
    note = sent.notes[0]
    assert note.note == "Preempted by pod default/winner on node n1"
    assert (note.reason, note.action, note.regarding.name) == ("Preempted", "Preempting", "victim")
    assert note.related is not None
    assert note.related.name == "winner"


def test_two_patches_of_one_pod_say_both() -> None:
    pod = a_pod().build()
    older = status_patch(pod, {"conditions": [said("a") | {"lastTransitionTime": "t"}]})
    newer = status_patch(pod, {"nominatedNodeName": "n1", "conditions": [said("b")]})
    body = merged(older, newer).body["status"]
    assert body == {"nominatedNodeName": "n1", "conditions": [said("b") | {"lastTransitionTime": "t"}]}


def test_patches_of_namesakes_do_not_mix() -> None:
    older = status_patch(a_pod().build(), {"nominatedNodeName": "n1"})
    newer = status_patch(a_pod().meta(uid="other").build(), {"conditions": [said("a")]})
    assert merged(older, newer) is newer
