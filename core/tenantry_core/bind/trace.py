"""Hands finished attempts to the trace sink, where it wants them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tenantry_core.bind.job import BindPorts
from tenantry_core.queue import QueuedPod
from tenantry_telemetry.api import AttemptResult, AttemptTrace, Phase


class Ended(NamedTuple):
    """How an attempt ended."""

    result: AttemptResult
    seconds: float
    """From pop to now."""
    node: str = ""
    feasible: int = 0
    reasons: Sequence[str] = ()
    plugins: Sequence[str] = ()
    phases: tuple[Phase, ...] = ()


def hand_over(ports: BindPorts, qp: QueuedPod, ended: Ended) -> None:
    """Build the trace only if somebody wants it."""
    if not ports.traces.wants(ended.result, ended.seconds):
        return
    meta = qp.pod.metadata
    trace = AttemptTrace(
        namespace=meta.namespace,
        pod=meta.name,
        uid=qp.uid,
        attempt=qp.attempts,
        profile=qp.profile,
        result=ended.result,
        start=ports.clock.now() - ended.seconds,
        seconds=ended.seconds,
        node=ended.node,
        reasons=tuple(ended.reasons),
        plugins=tuple(ended.plugins),
        phases=ended.phases,
        nodes_total=ports.cache.nodes.alive_count,
        nodes_feasible=ended.feasible,
        traceparent=(meta.annotations or {}).get("tenantry.io/traceparent", ""),
    )
    ports.traces.record(trace)
