"""Settings of the scheduling queue."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """Delays of the queue, as kube-scheduler names and sets them."""

    backoff_initial: float = 1.0
    """Seconds a pod waits after its first failed attempt (podInitialBackoffSeconds); doubled by each further one."""

    backoff_max: float = 10.0
    """Seconds that the backoff grows to (podMaxBackoffSeconds)."""

    backoff_window: float = 1.0
    """Seconds. Backoffs of rejected pods end together at the start of their window, so that within one window the pod
    of higher priority comes first. 0 makes each end at its own time. Source: backoff queue of kube-scheduler 1.33+."""

    pop_from_backoff: bool = True
    """Whether an idle scheduler takes rejected pods before their backoff ends (SchedulerPopFromBackoffQ, on by default
    since 1.33). Pods that failed by an error always wait."""

    flush_after: float = 300.0
    """Seconds after which a parked pod is tried again although no event woke it (podMaxInUnschedulablePodsDuration)."""

    flush_every: float = 30.0
    """Seconds between looks for such pods; the scan is linear in them."""
