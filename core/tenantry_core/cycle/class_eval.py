"""What one profile thinks of every node for one pod class, kept up to date row by row.

Answers that depend on the node alone are kept until a node changes; answers that depend on the pods of a row are worked
out again for the rows that the change log names. Consecutive pods of one class therefore cost one row each, and the
result is that of a full pass (property `test_incremental_equals_fresh`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tenantry_core.cycle.normalize import normalized
from tenantry_core.framework.columns import ALL, BoolArray, IntArray
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import (
    Normalize,
    RowFilter,
    RowScore,
    Scope,
)
from tenantry_core.framework.profile import Named, Profile, Weighted
from tenantry_core.framework.status import Code

if TYPE_CHECKING:
    from tenantry_core.cycle.grouped import GroupedRows
    from tenantry_core.cycle.nominated import KeptPromises

FEW_ROWS = 24
"""Up to this many changed rows are updated one at a time; more are done as one array operation."""
INFEASIBLE = -1


class ClassEval:
    """Masks and totals over rows, N long.

    ok bool[N]: passes every filter but the global ones; `feasible` counts them. total int64[N]: weighted score without
    global scorers, -1 where not ok. Static scores are kept raw and normalised over the feasible rows.
    """

    def __init__(self, profile: Profile, ctx: CycleContext) -> None:
        kept = [f for f in profile.filter if f.plugin.filter_scope is Scope.GLOBAL or speaks(f.plugin, ctx)]
        scorers = [s for s in profile.score if _is_global(s) or scores_now(s.plugin, ctx)]
        self.global_filters = tuple(f for f in kept if f.plugin.filter_scope is Scope.GLOBAL)
        self.global_scorers = tuple(s for s in scorers if _is_global(s))
        self._static_filters = tuple(f for f in kept if f.plugin.filter_scope is Scope.STATIC)
        self._row_filters = tuple(f for f in kept if f.plugin.filter_scope is Scope.ROW)
        self._static_scorers = tuple(s for s in scorers if s.plugin.score_scope is Scope.STATIC and not _is_global(s))
        self._row_scorers = tuple(s for s in scorers if s.plugin.score_scope is Scope.ROW and not _is_global(s))
        self.grouped: GroupedRows | None = None
        """Kept by `grouped_rows` for pods that a plugin groups rows for."""
        self.promises: KeptPromises | None = None
        """Kept for pods that are decided while nodes are promised to others."""
        self.shifts = 0
        """Rises when totals of other rows than those in the change log may have moved."""
        self._static_version = -1
        self._position = -1
        self._scalar = all(isinstance(f.plugin, RowFilter) for f in self._row_filters) and all(
            isinstance(s.plugin, RowScore) for s in self._row_scorers
        )

    def refresh(self, ctx: CycleContext) -> None:
        """Bring everything up to the snapshot."""
        snapshot = ctx.snapshot
        nodes, end = snapshot.nodes, snapshot.log_end
        if nodes.static_version != self._static_version:
            self._rebuild(ctx)
        elif end != self._position:
            changed = snapshot.changes_since(self._position)
            if changed is None or len(changed) > nodes.size:
                self._update_rows(ctx, np.arange(nodes.size, dtype=np.int64))
            elif self._scalar and len(changed) <= FEW_ROWS:
                self._update_each(ctx, changed)
            else:
                self._update_rows(ctx, np.unique(np.array(changed, dtype=np.int64)))
        self._position = end

    @property
    def even(self) -> bool:
        """Whether no total hangs on which other rows are feasible."""
        return not self._parts

    def scores(self, ctx: CycleContext, rows: IntArray) -> IntArray:
        """int64[len(rows)]: weighted totals of the kept scorers with `rows`, all of them `ok`, as the feasible set."""
        if len(rows) == self.feasible:
            return self.total[rows]
        totals = self._row_score[rows] + self._same
        for scorer, raw in self._parts:
            totals = totals + scorer.weight * normalized(scorer.plugin, ctx, raw[rows])
        return totals

    def _rebuild(self, ctx: CycleContext) -> None:
        nodes = ctx.snapshot.nodes
        self.shifts += 1
        self._static_version = nodes.static_version
        static_ok = nodes.alive.copy()
        for _, plugin in self._static_filters:
            static_ok &= plugin.filter(ctx, ALL)
        self._static_ok: BoolArray = static_ok
        self._score_nodes(ctx)
        self._row_score: IntArray = np.zeros(nodes.size, dtype=np.int64)
        self.ok: BoolArray = np.zeros(nodes.size, dtype=np.bool_)
        self.total: IntArray = np.full(nodes.size, INFEASIBLE, dtype=np.int64)
        self._norm: IntArray = np.full(nodes.size, self._same, dtype=np.int64)
        self.feasible = 0
        self._update_rows(ctx, np.arange(nodes.size, dtype=np.int64))
        self._renormalize(ctx)

    def _score_nodes(self, ctx: CycleContext) -> None:
        """Static scores. One that is equal on all living nodes comes to the same after normalisation, whatever the
        feasible set; the sum of these is `_same`, the others are `_parts`."""
        self._parts: list[tuple[Weighted, IntArray]] = []
        self._same = 0
        alive = ctx.snapshot.nodes.alive
        for scorer in self._static_scorers:
            raw = scorer.plugin.score(ctx, ALL)
            living = raw[alive]
            if len(living) and (living == living[0]).all():
                self._same += scorer.weight * int(normalized(scorer.plugin, ctx, living[:1])[0])
            else:
                self._parts.append((scorer, raw))

    def _update_rows(self, ctx: CycleContext, rows: IntArray) -> None:
        passed = self._static_ok[rows]
        for _, plugin in self._row_filters:
            passed = passed & plugin.filter(ctx, rows)
        scores = np.zeros(len(rows), dtype=np.int64)
        for _, scorer, weight in self._row_scorers:
            scores += weight * scorer.score(ctx, rows)
        flipped = bool((self.ok[rows] != passed).any())
        self.feasible += int(passed.sum()) - int(self.ok[rows].sum())
        self.ok[rows] = passed
        self._row_score[rows] = scores
        self.total[rows] = np.where(passed, scores + self._norm[rows], INFEASIBLE)
        if flipped and self._parts:
            self._renormalize(ctx)

    def _update_each(self, ctx: CycleContext, rows: list[int]) -> None:
        flipped = False
        for row in rows if len(rows) < 2 else set(rows):
            passed = self._static_ok.item(row)
            if passed:
                for _, plugin in self._row_filters:
                    if not plugin.filter_row(ctx, row):  # type: ignore[attr-defined]
                        passed = False
                        break
            score = 0
            for _, scorer, weight in self._row_scorers:
                score += weight * scorer.score_row(ctx, row)  # type: ignore[attr-defined]
            if self.ok.item(row) != passed:
                flipped = True
                self.feasible += 1 if passed else -1
                self.ok[row] = passed
            self._row_score[row] = score
            self.total[row] = score + self._norm.item(row) if passed else INFEASIBLE
        if flipped and self._parts:
            self._renormalize(ctx)

    def _renormalize(self, ctx: CycleContext) -> None:
        """Static scores depend on the feasible set through its maximum; redo them when that may have moved."""
        rows = np.flatnonzero(self.ok)
        if not self._parts or not len(rows):
            return
        self.shifts += 1
        self._norm[rows] = self._same
        for scorer, raw in self._parts:
            self._norm[rows] += scorer.weight * normalized(scorer.plugin, ctx, raw[rows])
        self.total[rows] = self._row_score[rows] + self._norm[rows]


def _is_global(scorer: Weighted) -> bool:
    return scorer.plugin.score_scope is Scope.GLOBAL or scorer.plugin.normalization is Normalize.CUSTOM


def speaks(plugin: object, ctx: CycleContext) -> bool:
    """Whether the plugin has something to say on this pod now."""
    skips = getattr(plugin, "skips", None)  # a protocol check costs ten times as much, per plugin and pod
    return skips is None or not skips(ctx)


def scores_now(plugin: object, ctx: CycleContext) -> bool:
    """Whether the plugin has a score to add: PreScore may still skip. `ctx.feasible` must be set for global scorers."""
    if not speaks(plugin, ctx):
        return False
    pre_score = getattr(plugin, "pre_score", None)
    return pre_score is None or pre_score(ctx).code is not Code.SKIP


def asked_over_rows(profile: Profile) -> tuple[Any, ...] | None:
    """The plugins that filter or score for each pod anew, beside the class evaluation; as `skippable` gives them."""
    filters = [f.plugin for f in profile.filter if f.plugin.filter_scope is Scope.GLOBAL]
    return skippable([*filters, *(s.plugin for s in profile.score if _is_global(s))])


def skippable(plugins: Sequence[object]) -> tuple[Any, ...] | None:
    """Each plugin once; None where one cannot say that it has nothing to say, so that no pod may pass it by."""
    once = tuple({id(plugin): plugin for plugin in plugins}.values())
    return once if all(hasattr(plugin, "skips") for plugin in once) else None


def active(named: tuple[Named, ...], ctx: CycleContext) -> list[Named]:
    """Global filters that have something to say on this pod now."""
    return [f for f in named if speaks(f.plugin, ctx)]
