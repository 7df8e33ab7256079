"""Tries pods until nothing moves any more, by the rules of `run`: every profile, Reserve, preemption, queue order.

Time does not pass while it works: a pod that waits for its backoff is tried as soon as nobody else is. A pod that a
preemption took away comes back as its controller would make it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import structs

from tenantry.simulate.place import Placer
from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Diagnosis, Placement, Unplaced
from tenantry_core.cycle.run import Cycle
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.pod_class import controlling_owner
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.status import Status
from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.model.objects import Pod, PodStatus
from tenantry_core.queue import Place, SchedulingQueue

TRIES = 40
"""Attempts of one pod before it counts as unplaced."""
ROUNDS = 3
"""Times that pods are tried once more in the end."""
STEP = 0.001
"""Seconds that an attempt takes in the queue's eyes."""


class Preempted(NamedTuple):
    """One pod taken away for another."""

    victim: Pod
    by: Pod
    node: str
    returns_as: str
    """UID under which its controller makes it again; "" where nothing does."""


@dataclass
class Trial:
    """A cluster and the pods that want in. Not for profiles that are still to change."""

    cache: ClusterCache
    profiles: Mapping[str, Profile]
    preempt: bool = True
    placed: dict[str, str] = field(default_factory=dict)
    """Node by UID of pods that got one and still have it."""
    waiting: dict[str, Pod] = field(default_factory=dict)
    """Pods without a node, by UID."""
    gated: dict[str, str] = field(default_factory=dict)
    """UID to the plugin that holds the pod out of the queue."""
    faults: dict[str, str] = field(default_factory=dict)
    """UID to what a plugin raised."""
    preempted: list[Preempted] = field(default_factory=list)
    now: float = 0.0

    def __post_init__(self) -> None:
        self._cycles = {name: Cycle(self.cache, profile) for name, profile in self.profiles.items()}
        first = next(iter(self.profiles.values()))
        self._placer = Placer(self.cache, first, self.preempt)
        self._queue = self._placer.queue = SchedulingQueue({n: p.plugins for n, p in self.profiles.items()})
        self._parked = False

    def serves(self, pod: Pod) -> bool:
        """Whether the pod names one of the profiles."""
        return pod.spec.scheduler_name in self.profiles

    def submit(self, pod: Pod) -> None:
        """Queue a pod; its scheduler must be one of ours."""
        uid = pod.metadata.uid
        self.waiting[uid] = pod
        if self._queue.add(pod, self.now) is Place.GATED:
            self.gated[uid] = self._gate(pod)

    def run(self, done: Callable[[int], None] = lambda _: None) -> None:
        """Try until no pod is left that could be. `done` is told of every attempt's number."""
        if not self.cache.nodes.alive_count:
            return
        attempts = 0
        while self._attempt():
            attempts += 1
            done(attempts)

    def try_again(self) -> None:
        """Try one pod of each class once more, and its like where that got in: some events help and wake nobody."""
        for _ in range(ROUNDS):
            queued = {u: p for u, p in self.waiting.items() if u not in self.gated and u not in self.faults}
            queued = {uid: pod for uid, pod in queued.items() if self.serves(pod)}
            first = {self.cache.classes.class_of(pod): uid for uid, pod in reversed(queued.items())}
            before = len(self.waiting)
            self._queue.activate(first.values(), self.now)
            self.run()
            if len(self.waiting) == before:
                return
            self._queue.activate([uid for uid in queued if uid in self.waiting], self.now)
            self.run()

    def _attempt(self) -> bool:
        self.now += STEP
        queued = self._queue.pop(self.now)
        if queued is None:
            return False
        pod = queued.pod
        if queued.attempts > TRIES or pod.metadata.uid not in self.waiting:
            self._queue.done(queued.uid)
            return True
        cls = self.cache.classes.class_of(pod)
        profile = self.profiles[pod.spec.scheduler_name]
        ctx = CycleContext(self.cache, cls, pod)
        try:
            decision = self._cycles[profile.scheduler_name].decide(pod, cls)
            if isinstance(decision, Placement):
                refused = _reserve(ctx, profile, decision.node)
                if refused is None:
                    self._take(ctx, decision)
                    return True
                decision = Unplaced(refused, _refusal(self.cache, refused))
            gone = self._placer.reject(queued, cls, decision, profile, self.now)
        except Exception as error:  # a plugin of somebody else's may raise anything; the other pods go on
            self.faults[queued.uid] = f"{type(error).__name__}: {error}"
            self._queue.done(queued.uid)
            return True
        self._parked = True
        nomination = self.cache.nominations.get(queued.uid)
        for victim in gone:
            self._send_away(victim, pod, nomination.node if nomination else "")
        if nomination is not None and not gone:
            self._queue.activate([queued.uid], self.now)
        return True

    def _take(self, ctx: CycleContext, decision: Placement) -> None:
        pod = ctx.pod
        uid = pod.metadata.uid
        self.cache.clear_nomination(uid)
        self.cache.assume(pod, ctx.cls, decision.row)
        self._queue.done(uid)
        self.placed[uid] = decision.node
        del self.waiting[uid]
        if self._parked:
            bound = structs.replace(pod, spec=structs.replace(pod.spec, node_name=decision.node))
            self._queue.on_event(ClusterEvent(Resource.ASSIGNED_POD, Action.ADD, None, bound), self.now)

    def _send_away(self, victim: Pod, by: Pod, node: str) -> None:
        self.placed.pop(victim.metadata.uid, None)
        again = comes_back(victim) if self.serves(victim) else None
        self.preempted.append(Preempted(victim, by, node, again.metadata.uid if again else ""))
        if again is not None:
            self.submit(again)

    def _gate(self, pod: Pod) -> str:
        for plugin in self.profiles[pod.spec.scheduler_name].pre_enqueue:
            if not (status := plugin.pre_enqueue(pod)).ok:
                return status.message
        return ""


def comes_back(pod: Pod) -> Pod | None:
    """The pod as its controller would make it again elsewhere; None where none would."""
    if controlling_owner(pod)[0] in ("", "Node"):
        return None
    meta = structs.replace(pod.metadata, uid=f"{pod.metadata.uid}+", deletion_timestamp="")
    return structs.replace(pod, metadata=meta, spec=structs.replace(pod.spec, node_name=""), status=PodStatus())


def _reserve(ctx: CycleContext, profile: Profile, node: str) -> Status | None:
    """Reserve at every plugin; the first refusal, with everything given back."""
    for plugin in profile.reserve:
        status = plugin.reserve(ctx, node)
        if not status.ok:
            for other in reversed(profile.reserve):
                other.unreserve(ctx, node)
            name = getattr(plugin, "name", type(plugin).__name__)
            return status.by(name)
    return None


def _refusal(cache: ClusterCache, status: Status) -> Diagnosis:
    diagnosis = Diagnosis(nodes=cache.nodes.alive_count, pre_filter=status)
    diagnosis.plugins = frozenset({status.plugin})
    return diagnosis
