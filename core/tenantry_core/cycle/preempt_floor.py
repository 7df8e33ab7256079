"""The lowest priority among the pods of each row, kept up to date by the change log.

It tells at once which rows hold nothing that a pod may preempt, so that a full cluster of equal priorities costs one
comparison of arrays instead of a walk over all pods.
"""

from __future__ import annotations

import numpy as np

from tenantry_core.framework.columns import BoolArray, IntArray
from tenantry_core.framework.snapshot import Snapshot

EMPTY = np.iinfo(np.int64).max


class PriorityFloor:
    """For one snapshot; results do not depend on when it was last brought up to date."""

    def __init__(self) -> None:
        self._lowest: IntArray = np.zeros(0, dtype=np.int64)
        self._position = -1
        self._snapshot: Snapshot | None = None

    def below(self, snapshot: Snapshot, priority: int) -> BoolArray:
        """bool[N]: rows with at least one pod of a priority below `priority`."""
        self._refresh(snapshot)
        return self._lowest < priority

    def _refresh(self, snapshot: Snapshot) -> None:
        size = snapshot.nodes.size
        changed = None
        if snapshot is self._snapshot and self._position >= 0:
            changed = snapshot.changes_since(self._position)
        known = len(self._lowest)
        if changed is None or known > size:
            self._lowest, known, changed = np.zeros(0, dtype=np.int64), 0, []
        if known < size:
            self._lowest = np.concatenate([self._lowest, np.full(size - known, EMPTY, dtype=np.int64)])
        for row in {*changed, *range(known, size)}:
            self._lowest[row] = min((p.priority for p in snapshot.pods_on(row)), default=EMPTY)
        self._snapshot, self._position = snapshot, snapshot.log_end
