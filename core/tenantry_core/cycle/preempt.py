"""Preemption: which placed pods would have to go so that this pod fits, worked out without touching anything.

1. May the pod preempt at all?
2. Which rows were refused for a reason that taking pods away could cure?
3. Dry run on some of them, from an offset that the caller moves.
4. The candidate that loses least; without one, the sentence for the condition.

Source: Evaluator.Preempt of kube-scheduler 1.36. Deleting and nominating is the caller's work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, replace

import numpy as np

from tenantry_core.cycle.preempt_choose import least_loss
from tenantry_core.cycle.preempt_dry_run import NO_VICTIMS, method_for, rows_from
from tenantry_core.cycle.preempt_floor import PriorityFloor
from tenantry_core.cycle.preempt_memo import VictimMemo
from tenantry_core.cycle.preempt_victims import Victims
from tenantry_core.framework.columns import BoolArray, IntArray
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.placed import PlacedPod
from tenantry_core.framework.post_filter import PostFilterResult, Rejections
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.status import Code
from tenantry_core.model.objects import Pod

PREFIX = "preemption: "
NEVER = "not eligible due to preemptionPolicy=Never."
STILL_ENDING = "not eligible due to a terminating pod on the nominated node."
NOT_HELPFUL = "Preemption is not helpful for scheduling"
DISRUPTION_TARGET = "DisruptionTarget"
BY_PREEMPTION = "PreemptionByScheduler"
NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Search:
    """How far the search goes."""

    percentage: int = 10
    """Share of the possible nodes that must yield a candidate before the search stops, percent."""
    absolute: int = 100
    """At least so many candidates."""
    offset: int = 0
    """Where among the possible nodes the search begins, taken modulo their number."""
    turn: int = 0
    """Where the order of equal pods that have not started begins, taken modulo their number."""

    def wanted(self, possible: int) -> int:
        """Candidates after which the search stops."""
        return min(possible, max(self.absolute, possible * self.percentage // 100))


@dataclass(slots=True)
class Preemption:
    """One search: the profile whose filters decide, its limits, and what the caller knows beside the snapshot."""

    profile: Profile
    search: Search = Search()
    floor: PriorityFloor | None = None
    """Kept by the caller between searches over one snapshot; made afresh where it is None. So is `memo`."""
    memo: VictimMemo | None = None
    ending: Container[str] = NOBODY
    """UIDs of pods whose deletion we have asked for, whether or not news of it came."""

    def run(self, ctx: CycleContext, rejected: Rejections) -> PostFilterResult:
        """Find a node and its victims, or say why there are none. Leaves the snapshot as it was."""
        refusal = self._ineligible(ctx, rejected)
        if refusal:
            return PostFilterResult(message=PREFIX + refusal, eligible=False)
        rows = np.flatnonzero(curable(ctx, rejected))
        texts: Counter[str] = Counter()
        found = self._dry_run(ctx, rows, texts)
        if not found:
            return PostFilterResult(message=_message(rejected.nodes, len(rows), texts), clear_own=True)
        best = least_loss(found)
        node = ctx.snapshot.nodes.names[best.row]
        return PostFilterResult(
            nominated_node=node,
            victims=best.pods,
            clear_nominations=_lower_nominations(ctx, node),
            pdb_violations=best.violations,
            candidates=len(found),
        )

    def outcomes(self, ctx: CycleContext, rejected: Rejections, starts: int) -> list[PostFilterResult]:
        """Distinct results over the first `starts` offsets, the order of equals turned along.

        Upstream begins at a random offset, so a recorded outcome is to be compared with all of these.
        """
        found: dict[tuple[str | None, frozenset[str]], PostFilterResult] = {}
        for offset in range(starts):
            search = replace(self.search, offset=offset, turn=offset)
            result = Preemption(self.profile, search, self.floor, self.memo, self.ending).run(ctx, rejected)
            found.setdefault((result.nominated_node, frozenset(v.uid for v in result.victims)), result)
        return list(found.values())

    def _ineligible(self, ctx: CycleContext, rejected: Rejections) -> str:
        """Why the pod may not preempt now, or an empty text."""
        if ctx.cls.never_preempts:
            return NEVER
        own = ctx.snapshot.nominations.get(ctx.pod.metadata.uid)
        name = own.node if own is not None else ctx.pod.status.nominated_node_name
        row = ctx.snapshot.nodes.row_of(name) if name else -1
        if row < 0 or not curable(ctx, rejected)[row]:
            return ""
        lower = (p for p in ctx.snapshot.pods_on(row) if p.priority < ctx.cls.priority)
        return STILL_ENDING if any(self._makes_room(p) for p in lower) else ""

    def _makes_room(self, placed: PlacedPod) -> bool:
        return placed.uid in self.ending or (placed.terminating and ended_by_preemption(placed.pod))

    def _dry_run(self, ctx: CycleContext, rows: IntArray, texts: Counter[str]) -> list[Victims]:
        """Candidates, those within their budgets first. Counts the reasons of the rows that are none."""
        floor = self.floor or PriorityFloor()
        helpful = floor.below(ctx.snapshot, ctx.cls.priority)[rows]
        texts[NO_VICTIMS] += len(rows) - int(helpful.sum())
        if not helpful.any():
            return []
        wanted = self.search.wanted(len(rows))
        method = method_for(self.profile, ctx, self.memo or VictimMemo(), self.search.turn)
        clean: list[Victims] = []
        violating: list[Victims] = []
        for row in rows_from(rows[helpful], self.search.offset):
            answer = method.victims(row)
            if isinstance(answer, Victims):
                (violating if answer.violations else clean).append(answer)
                if clean and len(clean) + len(violating) >= wanted:
                    break
            else:
                texts.update(answer)
        return clean + violating


def curable(ctx: CycleContext, rejected: Rejections) -> BoolArray:
    """bool[N]: living rows that were refused for a reason which taking pods away could cure."""
    alive = ctx.snapshot.nodes.alive
    if not rejected.pre_filter.ok:
        return alive & (rejected.pre_filter.code is Code.UNSCHEDULABLE)
    if rejected.unresolvable is None:
        return np.zeros_like(alive)
    return alive & ~rejected.unresolvable


def ended_by_preemption(pod: Pod) -> bool:
    """Whether a terminating pod is being ended to make room for another."""
    target = next((c for c in pod.status.conditions or () if c.type == DISRUPTION_TARGET), None)
    return target is not None and target.status == "True" and target.reason == BY_PREEMPTION


def _lower_nominations(ctx: CycleContext, node: str) -> tuple[str, ...]:
    promises = ctx.snapshot.nominations.values()
    return tuple(
        n.uid
        for n in promises
        if n.node == node and n.cls.priority < ctx.cls.priority and n.uid != ctx.pod.metadata.uid
    )


def _message(nodes: int, tried: int, texts: Counter[str]) -> str:
    texts[NOT_HELPFUL] += nodes - tried
    reasons = sorted(f"{count} {text}" for text, count in texts.items() if count)
    listed = f" {', '.join(reasons)}." if reasons else ""
    return f"{PREFIX}0/{nodes} nodes are available:{listed}"
