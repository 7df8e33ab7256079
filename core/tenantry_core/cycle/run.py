"""One cycle: (snapshot, pod, profile) to a decision.

1. PreFilter: refuse at once, or narrow the nodes.
2. Filter: what the class's evaluation says, then the global filters.
3. Nominations: rows promised to others of at least this priority must hold with them added.
4. None left: diagnose. One left: take it.
5. Score, normalise, weigh.
6. Pick the best, or the next best where a constraint refuses it; ties go to the next row after the last pick, so that
   load spreads and the result is repeatable.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np

from tenantry_core.cycle.class_eval import (
    INFEASIBLE,
    ClassEval,
    active,
    asked_over_rows,
    scores_now,
    skippable,
    speaks,
)
from tenantry_core.cycle.constraints import Refused, best_first, constraints_of, first_allowed, note_refused
from tenantry_core.cycle.decision import Decision, Diagnosis, Placement, Unplaced
from tenantry_core.cycle.diagnose import PRE_FILTER_CUT, diagnose
from tenantry_core.cycle.grouped import grouped_rows
from tenantry_core.cycle.nominated import KeptPromises, drop_promised
from tenantry_core.cycle.normalize import normalized
from tenantry_core.cycle.sampling import sampled
from tenantry_core.framework.columns import BoolArray, IntArray
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.snapshot import Snapshot
from tenantry_core.framework.status import Code, Status, unresolvable
from tenantry_core.model.objects import Pod

EVALS_KEPT = 256
"""Class evaluations kept per cycle object; each holds about 35 bytes per node,
and as much again where rows are grouped."""


class Cycle:
    """Decides for one profile over one live snapshot. Evaluations are kept; results do not depend on that."""

    def __init__(self, snapshot: Snapshot, profile: Profile, keep: int = EVALS_KEPT) -> None:
        self.profile = profile
        self._snapshot = snapshot
        self._keep = keep
        self._evals: OrderedDict[PodClass, ClassEval] = OrderedDict()
        self._cursor = 0
        self._asked_last = asked_over_rows(profile)
        self._asked = skippable([*profile.pre_filter, *self._asked_last]) if self._asked_last is not None else None
        self._constraints = constraints_of(profile)
        self._samples = 0 < profile.percentage_of_nodes_to_score < 100

    def decide(self, pod: Pod, cls: PodClass) -> Decision:
        """Place the pod, or say why not. Raises nothing of its own; a plugin's fault passes through."""
        ctx = CycleContext(self._snapshot, cls, pod)
        nodes = self._snapshot.nodes
        if nodes.alive_count == 0:
            return Unplaced(unresolvable(), Diagnosis(nodes=0))
        speaking = self._speaking(ctx, self._asked)
        found = self.evaluation(ctx) if speaking is not None else None
        if found is not None:
            decision = self._decide_shortly(ctx, found, speaking)
            if decision is not None:
                return decision
        refused, narrowed = self.pre_filter(ctx)
        if refused is not None:
            return refused
        if found is None:
            found = self.evaluation(ctx)
            if narrowed is None:
                decision = self._decide_shortly(ctx, found, self._speaking(ctx, self._asked_last))
                if decision is not None:
                    return decision
        return self._decide_fully(ctx, found, narrowed)

    def _speaking(self, ctx: CycleContext, asked: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        """Who of `asked` has something to add to the class's evaluation: nobody, or one plugin that groups rows.

        None where the long way must be taken: others speak, or nodes are sampled.
        """
        if asked is None or self._samples or self._constraints:
            return None
        speaking: tuple[Any, ...] = ()
        for plugin in asked:
            if not plugin.skips(ctx):
                if speaking or not hasattr(plugin, "groups"):
                    return None
                speaking = (plugin,)
        return speaking

    def _decide_shortly(self, ctx: CycleContext, found: ClassEval, speaking: tuple[Any, ...] | None) -> Decision | None:
        """Decide by the class's evaluation and what `speaking` says of groups; None where that cannot be."""
        if speaking is None:
            return None
        if self._snapshot.nominations:
            return None if speaking else self._pick_around_promises(ctx, found)
        if not speaking:
            return self._pick(ctx, found, found.total, found.feasible)
        grouped = grouped_rows(found, speaking[0])
        if not grouped.refresh(ctx, found):
            return None
        totals, feasible = grouped.totals(ctx, found)
        return self._pick(ctx, found, totals, feasible)

    def pre_filter(self, ctx: CycleContext) -> tuple[Unplaced | None, BoolArray | None]:
        """Run PreFilter. Returns a refusal, or the mask that the plugins narrowed the nodes to (None for all)."""
        names: frozenset[str] | None = None
        narrowing: list[str] = []
        for plugin in self.profile.pre_filter:
            if not speaks(plugin, ctx):
                continue
            result = plugin.pre_filter(ctx)
            name = plugin.name  # type: ignore[attr-defined]
            if not result.status.ok:
                return self._refused(result.status.by(name)), None
            if result.nodes is not None:
                narrowing.append(name)
                names = result.nodes if names is None else names & result.nodes
                if not names:
                    return self._contradicting(narrowing), None
        if names is None:
            return None, None
        ctx.state[PRE_FILTER_CUT] = tuple(sorted(narrowing))
        mask = np.zeros(self._snapshot.nodes.size, dtype=np.bool_)
        mask[[r for n in names if (r := self._snapshot.nodes.row_of(n)) >= 0]] = True
        return None, mask

    def passing(self, ctx: CycleContext, found: ClassEval, narrowed: BoolArray | None) -> BoolArray:
        """bool[N]: rows that pass every filter, promises to others included."""
        mask = found.ok if narrowed is None else found.ok & narrowed
        rows = np.flatnonzero(mask)
        for _, plugin in active(found.global_filters, ctx):
            if not len(rows):
                break
            rows = rows[plugin.filter(ctx, rows)]
        mask = np.zeros(self._snapshot.nodes.size, dtype=np.bool_)
        mask[rows] = True
        return drop_promised(self, ctx, mask)

    def _decide_fully(self, ctx: CycleContext, found: ClassEval, narrowed: BoolArray | None) -> Decision:
        nodes = self._snapshot.nodes
        mask = self.passing(ctx, found, narrowed)
        own = self._snapshot.nominations.get(ctx.pod.metadata.uid)
        if own is not None:
            promised = nodes.row_of(own.node)
            if promised >= 0 and mask[promised] and first_allowed(self._constraints, ctx, (promised,))[0] is not None:
                return Placement(promised, own.node, 1, 1, 0)
        searched = nodes.alive if narrowed is None else nodes.alive & narrowed
        sample = None
        if self._samples:
            sample = sampled(mask, searched, self._cursor, self.profile.percentage_of_nodes_to_score)
        rows = np.flatnonzero(mask if sample is None else sample.feasible)
        if not len(rows):
            return self._unplaced(ctx, found, narrowed)
        row, score, refused = self._choose(ctx, found, rows)
        if row is None:
            return self._unplaced(ctx, found, narrowed, refused)
        evaluated = int(searched.sum()) if sample is None else sample.evaluated
        placement = self._placement(row, len(rows), evaluated, score)
        if sample is not None:
            self._cursor = sample.following
        return placement

    def _choose(self, ctx: CycleContext, found: ClassEval, rows: IntArray) -> tuple[int | None, int, Sequence[Refused]]:
        """The row to take among feasible ones with its score, and the rows that constraints refused before it."""
        totals = self._totals(ctx, found, rows) if len(rows) > 1 else np.zeros(1, dtype=np.int64)
        if not self._constraints:
            best = int(totals.max())
            return self._next_of(rows[totals == best]), best, ()
        row, refused = first_allowed(self._constraints, ctx, best_first(rows, totals, self._cursor))
        return row, int(totals[rows == row].sum()) if row is not None else 0, refused

    def _totals(self, ctx: CycleContext, found: ClassEval, rows: IntArray) -> IntArray:
        """int64[len(rows)]: weighted totals of feasible rows."""
        ctx.feasible = rows
        totals = found.scores(ctx, rows)
        for scorer in found.global_scorers:
            if not scores_now(scorer.plugin, ctx):
                continue
            raw = scorer.plugin.score(ctx, rows)
            totals = totals + scorer.weight * normalized(scorer.plugin, ctx, raw)
        return totals

    def _pick(self, ctx: CycleContext, found: ClassEval, total: IntArray, feasible: int) -> Decision:
        """The best by `total` (int64[N], below 0 where not feasible), ties as `_next_of` has them."""
        cursor = self._cursor
        row = cursor + int(total[cursor:].argmax()) if cursor < len(total) else 0
        best = total.item(row)
        if cursor:
            other = int(total[:cursor].argmax())
            if total.item(other) > best:
                row, best = other, total.item(other)
        if best < 0:
            return self._unplaced(ctx, found, None)
        return self._placement(row, feasible, self._snapshot.nodes.alive_count, best if feasible > 1 else 0)

    def _pick_around_promises(self, ctx: CycleContext, found: ClassEval) -> Decision | None:
        """As `_pick`, without rows that promises take; None where the pod has one itself or that cannot be told."""
        if ctx.pod.metadata.uid in self._snapshot.nominations:
            return None
        if found.promises is None:
            found.promises = KeptPromises()
        taken = found.promises.taken(self.profile, ctx, found.ok)
        if not taken:
            return None if taken is None else self._pick(ctx, found, found.total, found.feasible)
        if not found.even:
            return None
        standing = found.total[taken]
        found.total[taken] = INFEASIBLE
        try:
            return self._pick(ctx, found, found.total, found.feasible - len(taken))
        finally:
            found.total[taken] = standing

    def _next_of(self, rows: IntArray) -> int:
        position = int(np.searchsorted(rows, self._cursor))
        return int(rows[position if position < len(rows) else 0])

    def _placement(self, row: int, feasible: int, evaluated: int, score: int) -> Placement:
        self._cursor = row + 1
        return Placement(row, self._snapshot.nodes.names[row], feasible, evaluated, score)

    def _refused(self, status: Status) -> Unplaced:
        diagnosis = Diagnosis(nodes=self._snapshot.nodes.alive_count, pre_filter=status)
        diagnosis.plugins = frozenset({status.plugin})
        return Unplaced(status, diagnosis)

    def _contradicting(self, plugins: list[str]) -> Unplaced:
        """Plugins that leave no name between them; source of the text: RunPreFilterPlugins of kube-scheduler."""
        text = f"node(s) didn't satisfy plugin {plugins[0]}"
        if len(plugins) > 1:
            text = f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(plugins))}] simultaneously"
        refused = self._refused(unresolvable(text).by(plugins[-1]))
        refused.diagnosis.plugins = frozenset(plugins)
        return refused

    def _unplaced(
        self, ctx: CycleContext, found: ClassEval, narrowed: BoolArray | None, refused: Sequence[Refused] = ()
    ) -> Unplaced:
        diagnosis = diagnose(self, ctx, narrowed)
        note_refused(diagnosis, refused, self._snapshot.nodes.size)
        hopeless = diagnosis.unresolvable is not None and bool(diagnosis.unresolvable[self._snapshot.nodes.alive].all())
        code = Code.UNRESOLVABLE if hopeless else Code.UNSCHEDULABLE
        return Unplaced(Status(code), diagnosis)

    def evaluation(self, ctx: CycleContext) -> ClassEval:
        """The class's evaluation, up to date."""
        found = self._evals.get(ctx.cls)
        if found is None:
            found = self._evals[ctx.cls] = ClassEval(self.profile, ctx)
            if len(self._evals) > self._keep:
                idle, _ = self._evals.popitem(last=False)
                idle.memo.clear()  # masks over all nodes, worked out again should such a pod come back
        elif self._keep > 1:
            self._evals.move_to_end(ctx.cls)
        found.refresh(ctx)
        return found
