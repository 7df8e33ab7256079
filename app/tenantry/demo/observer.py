"""What can be seen of the demo from outside: a watch on pods, and the time from creating each to its being bound."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import numpy as np

from tenantry_core.kube.watch_event import EventType, WatchEvent
from tenantry_core.model.decode import DECODERS, DecodeError
from tenantry_core.model.objects import Pod

Clock = Callable[[], float]
RATE_WINDOW = 2.0
"""Seconds over which the shown rate is taken."""


@dataclass
class Seen:
    """One pod as the watch shows it."""

    namespace: str
    node: str = ""
    phase: str = ""
    uid: str = ""
    message: str = ""
    """Of the PodScheduled condition."""


@dataclass
class Observer:
    """Counts pods by namespace and state, and measures create-to-bound."""

    clock: Clock
    pods: dict[tuple[str, str], Seen] = field(default_factory=dict)
    created: dict[tuple[str, str], float] = field(default_factory=dict)
    """When the create call was sent, monotonic seconds."""
    latencies: list[float] = field(default_factory=list)
    """Seconds from create to the watch showing the node."""
    gone: list[tuple[str, str]] = field(default_factory=list)
    twice: list[tuple[str, str]] = field(default_factory=list)
    """Pods whose node changed after they were bound: must stay empty."""
    last_bound: float = 0.0
    ever_bound: int = 0
    """Pods that were bound at some time, those gone since included."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with every change seen."""
    _recent: deque[float] = field(default_factory=deque)

    async def follow(self, events: AsyncIterator[WatchEvent]) -> None:
        """Take in the watch until cancelled."""
        async for event in events:
            if event.type in (EventType.SYNC_ITEM, EventType.ADDED, EventType.MODIFIED, EventType.DELETED):
                try:
                    found: Pod = DECODERS["Pod"](event.object)
                except DecodeError:
                    continue
                self.see(found, event.type is EventType.DELETED)

    def see(self, pod: Pod, deleted: bool) -> None:
        """Take in one version of a pod."""
        self.changed.set()
        key = (pod.metadata.namespace, pod.metadata.name)
        if deleted:
            self.pods.pop(key, None)
            self.gone.append(key)
            return
        seen = self.pods.setdefault(key, Seen(key[0]))
        if pod.spec.node_name and not seen.node:
            self._bound(key)
        elif seen.node and seen.uid == pod.metadata.uid and pod.spec.node_name != seen.node:
            self.twice.append(key)
        seen.node, seen.phase, seen.uid = pod.spec.node_name, pod.status.phase, pod.metadata.uid
        seen.message = next((c.message for c in pod.status.conditions or () if c.type == "PodScheduled"), "")

    def _bound(self, key: tuple[str, str]) -> None:
        now = self.clock()
        self.last_bound = now
        self.ever_bound += 1
        self._recent.append(now)
        if key in self.created:
            self.latencies.append(now - self.created[key])

    def rate(self) -> float:
        """Pods bound per second over the last moments."""
        now = self.clock()
        while self._recent and self._recent[0] < now - RATE_WINDOW:
            self._recent.popleft()
        return len(self._recent) / RATE_WINDOW

    def percentile(self, percent: float) -> float:
        """Seconds of create-to-bound at a percentile; 0 while nothing is bound."""
        return float(np.percentile(self.latencies, percent)) if self.latencies else 0.0

    def by_namespace(self) -> dict[str, Counter[str]]:
        """Per namespace: how many pods are pending, bound and running."""
        found: dict[str, Counter[str]] = {}
        for seen in self.pods.values():
            state = "pending" if not seen.node else "running" if seen.phase == "Running" else "bound"
            found.setdefault(seen.namespace, Counter())[state] += 1
        return found

    def bound(self) -> int:
        """Pods that have a node."""
        return sum(bool(seen.node) for seen in self.pods.values())
