"""Adds what one plugin says of groups of rows to the class's evaluation, at the price of the groups.

The plugin (framework.plugin.GroupsRows) says which group a row is in and what each group gets; kept here are where the
rows are and how many feasible rows each group has. The result is that of asking about every row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tenantry_core.cycle.class_eval import ClassEval
from tenantry_core.framework.columns import IntArray
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import RowGroups

FEW_ROWS = 256
"""Up to this many changed rows are placed one at a time; more are placed with all others as array operations."""
NEVER = -(1 << 40)
"""Added to the total of rows that are not feasible; far below any sum of scores."""


class GroupedRows:
    """Where the rows are for one plugin and class, kept up to date by the change log.

    place int64[N]: the group of each row that passes everything else, `size` for other rows; sizes int64[size + 1]:
    how many rows are where. The last totals are kept too: what groups get may stay the same from pod to pod, as under
    hard constraints until a domain fills up.
    """

    def __init__(self, plugin: Any, found: ClassEval) -> None:
        self.plugin = plugin
        self._filters = any(f.plugin is plugin for f in found.global_filters)
        self._weight = sum(s.weight for s in found.global_scorers if s.plugin is plugin)
        self._scores = any(s.plugin is plugin for s in found.global_scorers)
        self._version: object = None
        self._position = -1
        self._sorted = False
        self._groups: RowGroups | None = None
        self._place: IntArray = np.zeros(0, dtype=np.int64)
        self._sizes: IntArray = np.zeros(1, dtype=np.int64)
        self._totals: IntArray | None = None
        self._added_version: object = None
        self._moved: list[int] = []

    def refresh(self, ctx: CycleContext, found: ClassEval) -> bool:
        """Bring everything up to the snapshot and to `found`, which must be so. False where rows are not grouped.

        Sorting the rows costs as much as several decisions the long way, so it waits until a class comes twice.
        """
        snapshot = ctx.snapshot
        version = (snapshot.nodes.static_version, self.plugin.groups_version(ctx))
        if version != self._version:
            self._version, self._groups, self._sorted = version, None, False
            return False
        if not self._sorted:
            stands = self._sort(ctx, found)
        elif self._groups is None:
            return False
        else:
            changed = snapshot.changes_since(self._position)
            stands = self._placed(ctx, found, changed) or self._sort(ctx, found)
        self._position = snapshot.log_end
        return stands

    def totals(self, ctx: CycleContext, found: ClassEval) -> tuple[IntArray, int]:
        """int64[N]: totals of feasible rows, below 0 elsewhere, to be read only; and how many rows are feasible."""
        table, feasible = self._judged()
        if feasible < found.feasible and not found.even:
            self._totals = None
            totals: IntArray = table.take(self._place)
            rows = np.flatnonzero(totals >= 0)
            totals[rows] += found.scores(ctx, rows)
            return totals, feasible
        return self._added(table, found), feasible

    def _judged(self) -> tuple[IntArray, int]:
        """int64[size + 1]: what the plugin adds to a row's total by where that is; how many rows are feasible."""
        assert self._groups is not None
        sizes = self._sizes[:-1]
        table = np.zeros(len(self._sizes), dtype=np.int64)
        table[-1] = NEVER
        passing = self._groups.passing() if self._filters else None
        if passing is not None:
            table[:-1][~passing] = NEVER
            sizes = sizes * passing
        scores = self._groups.scores(sizes) if self._scores else None
        if scores is not None:
            table[:-1] += self._weight * scores
        return table, int(np.add.reduce(sizes))

    def _added(self, table: IntArray, found: ClassEval) -> IntArray:
        """`table` by row and the evaluation's total. Where neither moved as a whole, only rows that changed do."""
        version = (table.tobytes(), found.shifts)
        totals = self._totals
        if totals is None or version != self._added_version:
            totals = self._totals = table.take(self._place)
            totals += found.total
            self._added_version = version
        else:
            for row in self._moved:
                totals[row] = table.item(self._place.item(row)) + found.total.item(row)
        self._moved.clear()
        return totals

    def _sort(self, ctx: CycleContext, found: ClassEval) -> bool:
        self._groups = self.plugin.groups(ctx)
        self._sorted = True
        return self._groups is not None and self._place_all(ctx, found)

    def _placed(self, ctx: CycleContext, found: ClassEval, changed: list[int] | None) -> bool:
        if changed is None or len(changed) > FEW_ROWS:
            return self._place_all(ctx, found)
        return self._place_each(ctx, found, changed)

    def _place_all(self, ctx: CycleContext, found: ClassEval) -> bool:
        assert self._groups is not None
        groups = self._groups.place_all(ctx)
        if groups is None:
            return False
        self._place = np.where(found.ok, groups, self._groups.size)
        self._sizes = np.bincount(self._place, minlength=self._groups.size + 1)
        self._totals = None
        self._moved.clear()
        return True

    def _place_each(self, ctx: CycleContext, found: ClassEval, rows: list[int]) -> bool:
        groups, place, sizes = self._groups, self._place, self._sizes
        assert groups is not None
        for row in rows if len(rows) < 2 else set(rows):
            group = groups.place(ctx, row)
            if group < 0:
                return False
            self._moved.append(row)
            new = group if found.ok.item(row) else groups.size
            old = place.item(row)
            if old != new:
                place[row] = new
                sizes[old] -= 1
                sizes[new] += 1
        return True


def grouped_rows(found: ClassEval, plugin: Any) -> GroupedRows:
    """The rows of a class's evaluation as `plugin` groups them."""
    grouped = found.grouped
    if grouped is None or grouped.plugin is not plugin:
        grouped = found.grouped = GroupedRows(plugin, found)
    return grouped
