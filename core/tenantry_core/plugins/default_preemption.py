"""DefaultPreemption: makes room for a pod by ending pods of lower priority; the search itself is `cycle/preempt.py`.

The plugin only answers. Whoever carries the answer out (the bind stage) tells `Evictions` when it begins and ends, so
that the preemptor is held out of the queue meanwhile and does not preempt again while its victims are ending.
Source: plugins/defaultpreemption of kube-scheduler 1.36.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tenantry_core.config.args import DefaultPreemptionArgs
from tenantry_core.cycle.preempt import Preemption, Search
from tenantry_core.cycle.preempt_floor import PriorityFloor
from tenantry_core.cycle.preempt_memo import VictimMemo
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.post_filter import PostFilterResult, Rejections
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.status import SUCCESS, Status, unresolvable
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Pod

REMEMBERED = 65_536
"""Victims remembered at most; the oldest are dropped, after which only their deletion mark tells of them."""
WAITING = "waiting for the preemption for this pod to be finished"
NO_EXTRA: DefaultPreemptionArgs = DefaultPreemptionArgs()


class Evictions:
    """Preemptions under way. One for the whole process, shared by all profiles.

    State of a preemptor: idle --begin--> held --end--> idle. State of a victim: unknown --begin--> ending, and back to
    unknown by `gone`, or by `end` where its deletion failed.
    """

    def __init__(self) -> None:
        self._held: set[str] = set()
        self._ending: dict[str, None] = {}

    def begin(self, preemptor: str, victims: Iterable[str]) -> None:
        """Deletion of the victims (UIDs) is about to be asked for; the preemptor is held until `end`."""
        self._held.add(preemptor)
        self._ending.update(dict.fromkeys(victims))
        while len(self._ending) > REMEMBERED:
            del self._ending[next(iter(self._ending))]

    def end(self, preemptor: str, failed: Iterable[str] = ()) -> None:
        """All calls returned; `failed` are victims that stay. The preemptor may be queued again. Harmless twice."""
        self._held.discard(preemptor)
        for uid in failed:
            self._ending.pop(uid, None)

    def gone(self, uid: str) -> None:
        """A pod vanished."""
        self._ending.pop(uid, None)
        self._held.discard(uid)

    def holds(self, preemptor: str) -> bool:
        """Whether the calls for this preemptor are still out."""
        return preemptor in self._held

    def __contains__(self, uid: object) -> bool:
        """Whether a pod's deletion has been asked for."""
        return uid in self._ending


class DefaultPreemption:
    """PostFilter and PreEnqueue. The search begins one node further each time, from `offset` on."""

    name = "DefaultPreemption"

    def __init__(
        self, args: DefaultPreemptionArgs = NO_EXTRA, evictions: Evictions | None = None, offset: int = 0
    ) -> None:
        self.evictions = evictions if evictions is not None else Evictions()
        self._args = args
        self._offset = offset
        self._floor = PriorityFloor()
        self._memo = VictimMemo()

    def pre_enqueue(self, pod: Pod) -> Status:
        """Hold a pod whose victims are just being deleted."""
        return unresolvable(WAITING) if self.evictions.holds(pod.metadata.uid) else SUCCESS

    def post_filter(self, ctx: CycleContext, profile: Profile, rejected: Rejections) -> PostFilterResult:
        """Find a node and its victims."""
        search = Search(
            percentage=self._args.min_candidate_nodes_percentage,
            absolute=self._args.min_candidate_nodes_absolute,
            offset=self._offset,
        )
        self._offset += 1
        return Preemption(profile, search, self._floor, self._memo, self.evictions).run(ctx, rejected)

    def events(self) -> Sequence[EventPattern]:
        """A pod went from a node: perhaps the last victim."""
        return (EventPattern(Resource.ASSIGNED_POD, Action.DELETE),)

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """Only where the calls for this pod have all returned."""
        return not self.evictions.holds(pod.metadata.uid)
