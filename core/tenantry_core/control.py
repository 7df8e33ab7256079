"""What people may ask of a running scheduler: why a pod waits, what is in the queue, who was promised what.

Read-only; answers are plain data that the app prints or sends. Called by the app's pages and commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tenantry_core.bind.permits import Permits
from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.clock import Clock
from tenantry_core.cycle.decision import Placement
from tenantry_core.cycle.explain import explain
from tenantry_core.cycle.message import fit_message
from tenantry_core.framework.profile import Profile
from tenantry_core.model.objects import Pod
from tenantry_core.queue import SchedulingQueue
from tenantry_core.watch.writer import ClusterWriter

SHOWN_NODES = 10
"""Best nodes listed in an explanation."""


@dataclass(frozen=True, slots=True)
class PodExplanation:
    """Why a pod is where it is."""

    pod: str
    """namespace/name"""
    state: str
    """`bound`, `binding`, `waiting on permit`, a place in the queue, or `not ours`."""
    node: str = ""
    message: str = ""
    """What would be said if it were tried now."""
    attempts: int = 0
    rejected_by: tuple[str, ...] = ()
    gated_by: str = ""
    helped_by: tuple[str, ...] = ()
    """Events that would wake it."""
    backoff_seconds: float = 0.0
    waiting_seconds: float = 0.0
    nominated_node: str = ""
    scores: dict[str, dict[str, int]] = field(default_factory=dict)
    """Of the best nodes: score by plugin, with `total`."""


class Control:
    """Questions to the running parts."""

    def __init__(
        self,
        cache: ClusterCache,
        queue: SchedulingQueue,
        writer: ClusterWriter,
        profiles: Mapping[str, Profile],
        clock: Clock,
        permits: Permits,
    ) -> None:
        self._cache = cache
        self._queue = queue
        self._writer = writer
        self._profiles = profiles
        self._clock = clock
        self._permits = permits

    def find(self, namespace: str, name: str) -> Pod | None:
        """The newest version of a pod that is not terminal; linear in the pods."""
        return next(
            (p for p in self._writer.pods.values() if p.metadata.name == name and p.metadata.namespace == namespace),
            None,
        )

    def explain(self, namespace: str, name: str) -> PodExplanation | None:
        """Why a pod is where it is; None where there is no such pod. Decides it afresh without changing anything."""
        pod = self.find(namespace, name)
        if pod is None:
            return None
        label = f"{namespace}/{name}"
        if pod.spec.node_name:
            return PodExplanation(label, "bound", pod.spec.node_name)
        placed = self._cache.placed(pod.metadata.uid)
        if placed is not None:
            state = "waiting on permit" if self._permits.get(pod.metadata.uid) else "binding"
            return PodExplanation(label, state, self._cache.nodes.names[placed.row])
        profile = self._profiles.get(pod.spec.scheduler_name)
        if profile is None:
            return PodExplanation(
                label, "not ours", message=f"scheduler {pod.spec.scheduler_name!r} is not served here"
            )
        return self._pending(label, pod, profile)

    def place(self, namespace: str, name: str) -> dict[str, Any] | None:
        """Where a pending pod stands in the queue; None where it is not in it."""
        pod = self.find(namespace, name)
        now = self._clock.monotonic()
        where = self._queue.where(pod.metadata.uid, now) if pod is not None else None
        if where is None:
            return None
        found: dict[str, Any] = {"place": str(where.place), "attempts": where.attempts}
        if where.positions is not None:
            found["position"] = where.positions.overall
        if where.rejected_by:
            found["rejectedBy"] = list(where.rejected_by)
        if where.gated_by:
            found["gatedBy"] = where.gated_by
        if where.helped_by:
            found["helpedBy"] = list(where.helped_by)
        return found | {
            "backoffSeconds": round(where.backoff_remaining, 3),
            "waitingSeconds": round(where.waiting, 3),
        }

    def queue_dump(self) -> list[dict[str, Any]]:
        """Every pending pod with its place; linear in the pods."""
        found = []
        now = self._clock.monotonic()
        for uid, pod in self._writer.pods.items():
            entry = self._queue.get(uid)
            if entry is None:
                continue
            found.append(
                {
                    "pod": f"{pod.metadata.namespace}/{pod.metadata.name}",
                    "queue": str(entry.place),
                    "priority": entry.priority,
                    "attempts": entry.attempts,
                    "rejectedBy": sorted(entry.rejected_by | entry.pending_on),
                    "gatedBy": entry.gated_by,
                    "waitingSeconds": round(now - entry.timestamp, 3),
                }
            )
        return found

    def nominations(self) -> list[dict[str, str]]:
        """Pods that were promised a node."""
        found = []
        for uid, promise in self._cache.nominations.items():
            pod = self._writer.pods.get(uid)
            name = f"{pod.metadata.namespace}/{pod.metadata.name}" if pod is not None else uid
            found.append({"pod": name, "node": promise.node})
        return found

    def _pending(self, label: str, pod: Pod, profile: Profile) -> PodExplanation:
        uid = pod.metadata.uid
        where = self._queue.where(uid, self._clock.monotonic())
        found = explain(self._cache, profile, pod, self._cache.classes.class_of(pod))
        decision = found.decision
        if isinstance(decision, Placement):
            message = f"would be placed on {decision.node}"
        else:
            message = fit_message(decision.diagnosis)
        promise = self._cache.nominations.get(uid)
        scores: dict[str, dict[str, int]] = {}
        order = sorted(range(len(found.feasible)), key=lambda i: -int(found.totals[i])) if found.scores else []
        for i in order[:SHOWN_NODES]:
            by_plugin = {plugin: int(values[i]) for plugin, values in found.scores.items()}
            scores[self._cache.nodes.names[int(found.feasible[i])]] = by_plugin | {"total": int(found.totals[i])}
        return PodExplanation(
            pod=label,
            state=str(where.place) if where is not None else "not queued",
            message=message,
            attempts=where.attempts if where is not None else 0,
            rejected_by=where.rejected_by if where is not None else (),
            gated_by=where.gated_by if where is not None else "",
            helped_by=where.helped_by if where is not None else (),
            backoff_seconds=where.backoff_remaining if where is not None else 0.0,
            waiting_seconds=where.waiting if where is not None else 0.0,
            nominated_node=promise.node if promise is not None else "",
            scores=scores,
        )
