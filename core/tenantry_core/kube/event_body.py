"""The `events.k8s.io/v1` Event as we write it. Pure; no I/O.

Field rules are those of the API's validation: a note of at most 1024 bytes, a name of at most 253, the event in the
namespace of what it regards ("default" for cluster-scoped objects), a series with a count of at least 2.
"""

from dataclasses import dataclass
from typing import Any

import msgspec

from tenantry_core.clock import rfc3339_micro
from tenantry_core.kube.resources import EVENTS

NOTE_LIMIT = 1024
"""Bytes of a note that the API accepts."""
CUT = " ..."
"""End of a note that was cut, as kube-scheduler marks it."""


class ObjectRef(msgspec.Struct, rename="camel", omit_defaults=True, frozen=True):
    """What an event regards."""

    kind: str
    name: str
    namespace: str = ""
    uid: str = ""
    api_version: str = ""
    resource_version: str = ""
    field_path: str = ""


@dataclass(frozen=True, slots=True)
class EventNote:
    """One thing that happened, as the caller says it. Equal notes (all fields) within a while become one series."""

    regarding: ObjectRef
    reason: str
    """CamelCase word, such as `FailedScheduling`."""
    action: str
    """What was being done, such as `Scheduling`, `Binding`, `Preempting`."""
    note: str
    """Text for people; cut to 1024 bytes."""
    controller: str
    """`reportingController`; the scheduler's name."""
    warning: bool = False
    """Type Warning in place of Normal."""
    related: ObjectRef | None = None
    """Second object, such as the preemptor."""


def cut(note: str, limit: int = NOTE_LIMIT) -> str:
    """The note in at most `limit` UTF-8 bytes; a longer one ends in ` ...`."""
    data = note.encode()
    if len(data) <= limit:
        return note
    return data[: limit - len(CUT)].decode(errors="ignore") + CUT


def namespace_of(note: EventNote) -> str:
    """Namespace that the event lives in."""
    return note.regarding.namespace or "default"


def event_name(regarding: ObjectRef, number: int) -> str:
    """A name that is valid and unique for a unique `number`: object's name, dot, hexadecimal number."""
    suffix = f".{number:x}"
    return regarding.name[: 253 - len(suffix)].rstrip("-.") + suffix


def series(count: int, last: float) -> dict[str, Any]:
    """The `series` field: how often and when last (wall seconds)."""
    return {"count": count, "lastObservedTime": rfc3339_micro(last)}


def body(note: EventNote, name: str, instance: str, times: tuple[float, float, int]) -> dict[str, Any]:
    """The Event object. `times` is first and last wall seconds and how often."""
    first, last, count = times
    event: dict[str, Any] = {
        "apiVersion": EVENTS.api_version,
        "kind": EVENTS.kind,
        "metadata": {"name": name, "namespace": namespace_of(note)},
        "eventTime": rfc3339_micro(first),
        "reportingController": note.controller,
        "reportingInstance": instance[:128],
        "action": note.action,
        "reason": note.reason,
        "regarding": note.regarding,
        "note": cut(note.note),
        "type": "Warning" if note.warning else "Normal",
    }
    if note.related is not None:
        event["related"] = note.related
    if count > 1:
        event["series"] = series(count, last)
    return event
