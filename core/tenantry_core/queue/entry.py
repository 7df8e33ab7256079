"""A pod in the queue: the pod with the history of its attempts."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import StrEnum

from tenantry_core.model.objects import Pod

next_token = itertools.count(1).__next__
"""Numbers heap entries. One counter for all heaps: an entry is live while its number is that of its pod."""

_NONE: frozenset[str] = frozenset()


class Place(StrEnum):
    """Where a pod is. The first four are the values of the `queue` label of scheduler_pending_pods."""

    ACTIVE = "active"
    BACKOFF = "backoff"
    PARKED = "unschedulable"
    GATED = "gated"
    IN_FLIGHT = "in-flight"
    """Popped, and neither requeued nor done yet."""
    OUT = "out"
    """Not known to the queue."""


@dataclass(slots=True, eq=False)
class QueuedPod:
    """One pod. The queue alone writes it, except `cls` and `cls_version`. Compare by identity."""

    pod: Pod
    uid: str
    timestamp: float
    """Time of the last entry: when it was added, then when its last attempt failed. Orders pods of one priority."""
    entered: float | None = None
    """When it first got past PreEnqueue; pod_scheduling_sli_duration_seconds starts here."""
    attempts: int = 0
    """Times it was popped."""
    unschedulable_count: int = 0
    """Attempts that ended with a rejection; sets the backoff."""
    error_count: int = 0
    """Attempts in a row that ended with an error; sets the backoff while above 0."""
    rejected_by: frozenset[str] = _NONE
    """Plugins that rejected it in the last attempt."""
    pending_on: frozenset[str] = _NONE
    """Plugins that wait for something they started themselves; their event skips the backoff."""
    gated_by: str = ""
    """PreEnqueue plugin that holds it, or empty."""
    flushed: bool = False
    """Its present attempt is owed to the time-out and not to an event: if it is bound now, an event was missed."""
    ready_at: float = 0.0
    """End of its backoff."""
    since: float = 0.0
    """When it was parked or gated, or last looked at by the flush."""
    place: Place = Place.OUT
    token: int = 0
    """Number of its live heap entry; 0 if it is in no heap."""
    charged: frozenset[str] = _NONE
    """Plugins under which it counts in scheduler_unschedulable_pods now."""
    cls: object | None = None
    """The caller's pod class; forgotten when the pod changes. Pods of one class share the answers of hints."""
    cls_version: int = 0
    """Version of whatever `cls` was worked out from; the caller's."""

    @property
    def key(self) -> str:
        """`namespace/name`."""
        return f"{self.pod.metadata.namespace}/{self.pod.metadata.name}"

    @property
    def namespace(self) -> str:
        return self.pod.metadata.namespace

    @property
    def priority(self) -> int:
        return self.pod.spec.priority

    @property
    def profile(self) -> str:
        """Scheduler name, which chooses the plugins."""
        return self.pod.spec.scheduler_name

    @property
    def blockers(self) -> frozenset[str]:
        """Plugins whose events can help it."""
        if self.gated_by:
            return frozenset((self.gated_by,))
        return self.rejected_by | self.pending_on if self.pending_on else self.rejected_by

    def replace(self, pod: Pod, changed: bool) -> None:
        """Take a newer version of the pod; `changed` says that scheduling may see a difference."""
        self.pod = pod
        if changed:
            self.cls = None
            self.cls_version = 0
