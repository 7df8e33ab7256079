"""Dry runs kept between searches, for pods whose dry run is a matter of sums.

A row's answer holds until the row changes (by the change log), a budget changes, or a pod on it starts, which alone is
no change of the row. So a burst of equal preemptors costs one dry run for each row that the one before touched. The
property `test_preemption_memo_equals_fresh` holds it to the answers of a fresh search.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from tenantry_core.cycle.preempt_rows import Texts
from tenantry_core.cycle.preempt_victims import Victims
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.snapshot import Snapshot
from tenantry_core.model.storage import PodDisruptionBudget

CLASSES = 16
"""Pod classes kept; the one not searched for longest goes first."""


class Kept(NamedTuple):
    """An answer with the number of lower-priority pods that had not started."""

    answer: Victims | Texts
    waiting: int


class VictimMemo:
    """For one profile."""

    def __init__(self) -> None:
        self._by_class: OrderedDict[PodClass, dict[int, Kept]] = OrderedDict()
        self._snapshot: Snapshot | None = None
        self._position = -1
        self._budgets: list[PodDisruptionBudget] = []
        self._turn = 0

    def rows(
        self, snapshot: Snapshot, cls: PodClass, budgets: Iterable[PodDisruptionBudget], turn: int
    ) -> dict[int, Kept]:
        """Answers that still hold, by row; new ones are to be added to it during this search."""
        current = list(budgets)
        same = len(current) == len(self._budgets) and all(a is b for a, b in zip(current, self._budgets, strict=True))
        changed = snapshot.changes_since(self._position) if snapshot is self._snapshot else None
        if changed is None or not same or turn != self._turn:
            self._by_class.clear()
        else:
            for row in set(changed):
                for kept in self._by_class.values():
                    kept.pop(row, None)
        self._snapshot, self._position, self._budgets, self._turn = snapshot, snapshot.log_end, current, turn
        found = self._by_class.setdefault(cls, {})
        self._by_class.move_to_end(cls)
        if len(self._by_class) > CLASSES:
            self._by_class.popitem(last=False)
        return found
