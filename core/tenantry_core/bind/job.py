"""What travels through the bind stage, and the ports of the stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from tenantry_core.bind.reporter import Reporter
from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.clock import Clock
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.snapshot import Nomination
from tenantry_core.kube.port import KubeApi
from tenantry_core.model.objects import Pod
from tenantry_core.queue import QueuedPod, SchedulingQueue
from tenantry_telemetry.api import NOOP_RECORDER, NOOP_TRACES, SchedulerRecorder, TraceSink


class End(Enum):
    """How a bind ended."""

    BOUND = "bound"
    """The pod is on our node."""
    ELSEWHERE = "elsewhere"
    """Somebody else bound it to another node."""
    GONE = "gone"
    """The pod does not exist any more."""
    FAILED = "failed"
    """It is not bound, and a later attempt may succeed."""


class Outcome(NamedTuple):
    """How a bind ended, with the reason of a failure."""

    end: End
    message: str = ""


@dataclass(slots=True, eq=False)
class BindJob:
    """One pod on its way to one node."""

    qp: QueuedPod
    pod: Pod
    """The version that was decided on."""
    ctx: CycleContext
    """Handed to every plugin from Reserve to PostBind."""
    profile: Profile
    node: str
    row: int
    started: float
    """Monotonic seconds when the pod was popped."""
    feasible: int = 0
    """Nodes that passed all filters."""
    promised: Nomination | None = None
    """The nomination that the pod had, put back should the bind fail."""
    reserved: bool = False
    """Reserve has begun, so every Unreserve is owed; cleared by the one undo."""

    @property
    def uid(self) -> str:
        """UID of the pod."""
        return self.qp.uid


@dataclass(frozen=True, slots=True)
class BindSettings:
    """Times and sizes of the bind stage."""

    concurrency: int = 64
    """Bind requests in flight (bindConcurrency)."""
    backlog: int = 4
    """Times `concurrency` jobs may be under way before the loop stops deciding."""
    bind_timeout: float = 30.0
    """Seconds for one bind request."""
    bind_limit: float = 600.0
    """Seconds in which a bind must get its answer, retries included; kube-scheduler's bindingTimeoutSeconds."""
    bind_attempts: int = 5
    """Bind requests that may fail for one job before it is undone and the pod queued again."""
    confirm_within: float = 30.0
    """Seconds after a bind in which the watch is to show it; then the pod is read."""
    retry_base: float = 0.1
    """Seconds before the first retry of a bind or an eviction; doubles up to `retry_cap`."""
    retry_cap: float = 5.0
    """Longest such wait."""
    evictions: int = 16
    """Victims evicted at once."""
    evict_attempts: int = 4
    """Requests that may fail for one victim before the preemption counts as failed."""


def _forever() -> float:
    return float("inf")


def _unknown(_: str) -> Pod | None:
    return None


def _nothing() -> None:
    return


@dataclass(frozen=True, slots=True)
class BindPorts:
    """What the stage works with."""

    api: KubeApi
    cache: ClusterCache
    queue: SchedulingQueue
    clock: Clock
    reporter: Reporter
    recorder: SchedulerRecorder = NOOP_RECORDER
    lease_left: Callable[[], float] = _forever
    """Seconds that we may still act as the leader; 0 when we may not."""
    latest: Callable[[str], Pod | None] = _unknown
    """Newest version of a pod by UID, None where it is gone or terminal."""
    traces: TraceSink = NOOP_TRACES
    """Takes finished attempts; asked first whether it wants one."""
    changed: Callable[[], None] = _nothing
    """Called when pods may have become ready to be tried; wakes the loop."""
    settings: BindSettings = field(default_factory=BindSettings)
