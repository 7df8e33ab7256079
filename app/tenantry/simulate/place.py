"""Places a backlog without a server: the real queue, classes, cycle and cache, with binds that always succeed.

A placed pod holds its room from then on. A preemption is carried out at once: victims are gone, the preemptor is
nominated and comes back through the queue. Time is whatever the caller passes in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Decision, Placement, Unplaced
from tenantry_core.cycle.run import Cycle
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.post_filter import PostFilterResult
from tenantry_core.framework.profile import Profile
from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.model.objects import Node, Pod
from tenantry_core.queue import QueuedPod, SchedulingQueue


class Attempt(NamedTuple):
    """One pod tried once."""

    queued: QueuedPod
    decision: Decision


class Placer:
    """A backlog over one cache and one profile. Not for several scheduler names."""

    def __init__(self, cache: ClusterCache, profile: Profile, preempt: bool = True) -> None:
        """`preempt` says whether PostFilter plugins may make room by taking placed pods away."""
        self.cache = cache
        self.queue = SchedulingQueue({profile.scheduler_name: profile.plugins})
        self.cycle = Cycle(cache, profile)
        self.evicted = 0
        """Pods taken away by preemption so far."""
        self._profile = profile
        self._preempts = preempt

    def submit(self, pods: Iterable[Pod], now: float) -> None:
        """Queue pods, in the order given where their priorities are equal."""
        for pod in pods:
            self.queue.add(pod, now)

    def attempt(self, now: float) -> Attempt | None:
        """Try the next pod. None where no pod can be tried now."""
        queued = self.queue.pop(now)
        if queued is None:
            return None
        pod = queued.pod
        cls = self.cache.classes.class_of(pod)
        decision = self.cycle.decide(pod, cls)
        if isinstance(decision, Placement):
            self.cache.clear_nomination(queued.uid)
            self.cache.assume(pod, cls, decision.row)
            self.queue.done(queued.uid)
        else:
            self.reject(queued, cls, decision, self._profile, now)
        return Attempt(queued, decision)

    def add_node(self, node: Node, now: float) -> None:
        """Add a node and tell the queue."""
        self.cache.upsert_node(node)
        self.queue.on_event(ClusterEvent(Resource.NODE, Action.ADD, None, node), now)

    def remove_node(self, node: Node, now: float) -> None:
        """Remove a node and tell the queue."""
        self.cache.remove_node(node.metadata.name)
        self.queue.on_event(ClusterEvent(Resource.NODE, Action.DELETE, node, None), now)

    def put(self, kind: str, item: object) -> None:
        """Store an object of any other kind."""
        self.cache.put(kind, item)

    def reject(self, queued: QueuedPod, cls: PodClass, decision: Unplaced, profile: Profile, now: float) -> list[Pod]:
        """Make room for a pod that no node takes, where that can be done, and give it back to the queue.

        Returns the pods that had to go for it.
        """
        gone: list[Pod] = []
        ctx = CycleContext(self.cache, cls, queued.pod)
        for plugin in profile.post_filter if self._preempts else ():
            result: PostFilterResult = plugin.post_filter(ctx, profile, decision.diagnosis)
            if result.nominated_node is not None:
                gone = self._make_room(queued.pod, result)
                break
        self.queue.unschedulable(queued, decision.diagnosis.plugins, now)
        for pod in gone:
            self.queue.on_event(ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE, pod, None), now)
        return gone

    def _make_room(self, pod: Pod, result: PostFilterResult) -> list[Pod]:
        for uid in result.clear_nominations:
            self.cache.clear_nomination(uid)
        for placed in result.victims:
            self.cache.remove_pod(placed.uid)
        self.evicted += len(result.victims)
        self.cache.nominate(pod, result.nominated_node or "")
        return [placed.pod for placed in result.victims]
