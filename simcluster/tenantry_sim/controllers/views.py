"""Pods as controllers see them: the few members that matter, decoded once per revision."""

import re
from typing import Any

import msgspec

from tenantry_sim.clock import parse_stamp
from tenantry_sim.store.records import Record


class Owner(msgspec.Struct):
    """One owner reference."""

    uid: str = ""
    kind: str = ""
    name: str = ""
    apiVersion: str = ""  # noqa: N815 - the wire's own name
    controller: bool | None = None
    blockOwnerDeletion: bool | None = None  # noqa: N815 - the wire's own name


class Meta(msgspec.Struct):
    """Metadata with what decides about ownership."""

    ownerReferences: list[Owner] = msgspec.field(default_factory=list)  # noqa: N815 - the wire's own name
    finalizers: list[str] = msgspec.field(default_factory=list)
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    annotations: dict[str, str] = msgspec.field(default_factory=dict)
    creationTimestamp: str = ""  # noqa: N815 - the wire's own name


class Head(msgspec.Struct):
    """Any object, of which only the metadata is read."""

    metadata: Meta


class _Condition(msgspec.Struct):
    type: str = ""
    status: str = ""
    lastTransitionTime: str | None = None  # noqa: N815 - the wire's own name


class _Container(msgspec.Struct):
    restartCount: int = 0  # noqa: N815 - the wire's own name


class _Status(msgspec.Struct):
    phase: str = ""
    podIP: str = ""  # noqa: N815 - the wire's own name
    conditions: list[_Condition] = msgspec.field(default_factory=list)
    containerStatuses: list[_Container] = msgspec.field(default_factory=list)  # noqa: N815 - the wire's own name


class _Spec(msgspec.Struct):
    nodeName: str = ""  # noqa: N815 - the wire's own name
    restartPolicy: str = "Always"  # noqa: N815 - the wire's own name
    tolerations: list[dict[str, Any]] = msgspec.field(default_factory=list)


class _Pod(msgspec.Struct):
    metadata: Meta
    spec: _Spec = msgspec.field(default_factory=_Spec)
    status: _Status = msgspec.field(default_factory=_Status)


_GENERATION = re.compile(rb'"generation":(\d+)')
_read_pod = msgspec.json.Decoder(_Pod, strict=False).decode
_read_head = msgspec.json.Decoder(Head, strict=False).decode


def generation(record: Record) -> bytes:
    """The generation as it is written; the first in the object is the object's own."""
    match = _GENERATION.search(record.raw)
    return match.group(1) if match else b""


def head(record: Record) -> Meta:
    """Metadata of any record. Members of the wrong type read as absent."""
    try:
        return _read_head(record.raw).metadata
    except msgspec.ValidationError:
        return Meta()


class PodView:
    """One revision of a pod."""

    __slots__ = ("_pod", "record")

    def __init__(self, record: Record) -> None:
        self.record = record
        self._pod: _Pod | None = None

    @property
    def pod(self) -> _Pod:
        if self._pod is None:
            try:
                self._pod = _read_pod(self.record.raw)
            except msgspec.ValidationError:
                self._pod = _Pod(head(self.record))
        return self._pod

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def node(self) -> str:
        return self.record.fields.get("spec.nodeName", "")

    @property
    def phase(self) -> str:
        return self.record.fields.get("status.phase", "")

    @property
    def ended(self) -> bool:
        return self.phase in ("Succeeded", "Failed")

    @property
    def active(self) -> bool:
        """Counts as a replica: neither ended nor being deleted."""
        return not self.ended and not self.record.deleting

    @property
    def ready_since(self) -> float | None:
        """Seconds since the epoch; None when it is not ready."""
        for condition in self.pod.status.conditions:
            if condition.type == "Ready":
                if condition.status != "True":
                    return None
                try:
                    return parse_stamp(condition.lastTransitionTime or "")
                except ValueError:
                    return 0.0
        return None

    @property
    def ready(self) -> bool:
        return any(c.type == "Ready" and c.status == "True" for c in self.pod.status.conditions)

    @property
    def restarts(self) -> int:
        return sum(c.restartCount for c in self.pod.status.containerStatuses)

    def available(self, min_ready: float, now: float) -> bool:
        """Ready for at least `min_ready` seconds."""
        if not min_ready:
            return self.ready
        since = self.ready_since
        return since is not None and now - since >= min_ready
