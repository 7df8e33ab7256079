"""What users see about a pod: the PodScheduled condition, nominatedNodeName and events.

Exact forms are kube-scheduler 1.36's. A condition is patched only when it differs from what the pod has and from what
we said last; patches and events go out in the background and yield to binds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tenantry_core.clock import Clock, rfc3339
from tenantry_core.cycle.message import event_note
from tenantry_core.kube.event_body import EventNote, ObjectRef
from tenantry_core.kube.events import EventRecorder
from tenantry_core.kube.status import StatusPatcher
from tenantry_core.kube.values import Key, Patch, PatchType
from tenantry_core.model.objects import Condition, Pod

UNSCHEDULABLE = "Unschedulable"
SCHEDULER_ERROR = "SchedulerError"
POD_SCHEDULED = "PodScheduled"
DISRUPTION_TARGET = "DisruptionTarget"


class _Said(NamedTuple):
    """What we patched last, and the condition that the pod had then."""

    wanted: Condition
    before: Condition | None


class Reporter:
    """Tells the API server about pods. Every method returns at once."""

    def __init__(self, events: EventRecorder, patcher: StatusPatcher, clock: Clock) -> None:
        self._events = events
        self._patcher = patcher
        self._clock = clock
        self._said: dict[str, _Said] = {}

    def scheduled(self, pod: Pod, node: str) -> None:
        """The pod was bound."""
        self._said.pop(pod.metadata.uid, None)
        note = f"Successfully assigned {pod.metadata.namespace}/{pod.metadata.name} to {node}"
        self._events.record(EventNote(reference(pod), "Scheduled", "Binding", note, pod.spec.scheduler_name))

    def failed(self, pod: Pod, reason: str, message: str) -> None:
        """An attempt failed; `reason` is UNSCHEDULABLE or SCHEDULER_ERROR."""
        self.warn(pod, message)
        self._condition(pod, Condition(POD_SCHEDULED, "False", reason, message))

    def warn(self, pod: Pod, message: str) -> None:
        """A FailedScheduling event alone."""
        note = EventNote(
            reference(pod), "FailedScheduling", "Scheduling", event_note(message), pod.spec.scheduler_name, True
        )
        self._events.record(note)

    def nominated(self, pod: Pod, node: str) -> None:
        """Write status.nominatedNodeName; "" clears it."""
        self._patch(pod, {"nominatedNodeName": node or None})

    def preempted(self, victim: Pod, preemptor: Pod, node: str) -> None:
        """A victim is being evicted."""
        note = f"Preempted by pod {preemptor.metadata.uid} on node {node}"
        event = EventNote(
            reference(victim),
            "Preempted",
            "Preempting",
            note,
            preemptor.spec.scheduler_name,
            related=reference(preemptor),
        )
        self._events.record(event)

    def unreadable(self, regarding: ObjectRef, field: str, rule: str, controller: str) -> None:
        """An object can't be read and scheduling goes on without it."""
        note = f"{field}: {rule}; scheduling goes on without this version of the object"
        self._events.record(EventNote(regarding, "Unreadable", "Reading", note, controller, True))

    def forget(self, uid: str) -> None:
        """The pod is gone."""
        self._said.pop(uid, None)

    def _condition(self, pod: Pod, wanted: Condition) -> None:
        uid = pod.metadata.uid
        current = next((c for c in pod.status.conditions or () if c.type == wanted.type), None)
        said = self._said.get(uid)
        if current == wanted or (said is not None and said.wanted == wanted and said.before == current):
            return
        self._said[uid] = _Said(wanted, current)
        before = said.wanted if said is not None else current
        turned = before is None or before.status != wanted.status
        self._patch(pod, {"conditions": [condition_body(wanted, rfc3339(self._clock.now()) if turned else "")]})

    def _patch(self, pod: Pod, status: dict[str, Any]) -> None:
        self._patcher.put(Key(pod.metadata.namespace, pod.metadata.name), status_patch(pod, status))


def reference(pod: Pod) -> ObjectRef:
    """The pod as events name it. Without its version, so that what happens again and again is one series."""
    meta = pod.metadata
    return ObjectRef("Pod", meta.name, meta.namespace, meta.uid, "v1")


def condition_body(condition: Condition, turned_at: str) -> dict[str, Any]:
    """One entry of status.conditions; `turned_at` is "" where the status did not change, which keeps the old time."""
    body: dict[str, Any] = {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
    }
    if turned_at:
        body["lastTransitionTime"] = turned_at
    return body


def status_patch(pod: Pod, status: dict[str, Any]) -> Patch:
    """A strategic merge patch of a pod's status that only this very pod accepts (by its UID)."""
    return Patch(PatchType.STRATEGIC, {"metadata": {"uid": pod.metadata.uid}, "status": status})


def merged(older: Patch, newer: Patch) -> Patch:
    """Two status patches of one pod as one; the newer wins field by field, conditions by type.

    Patches of two pods that had one name one after the other do not mix: the newer stands alone.
    """
    if older.body["metadata"] != newer.body["metadata"]:
        return newer
    status = {**older.body["status"], **newer.body["status"]}
    by_type: dict[str, Any] = {}
    for condition in (*older.body["status"].get("conditions", ()), *newer.body["status"].get("conditions", ())):
        # A turn that only the older one tells must not get lost.
        kept = by_type.get(condition["type"], {})
        by_type[condition["type"]] = {**kept, **condition}
    if by_type:
        status["conditions"] = list(by_type.values())
    return Patch(newer.type, {"metadata": newer.body["metadata"], "status": status})
