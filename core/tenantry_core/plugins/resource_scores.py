"""How full a node gets, as a score: least allocated, most allocated, or a broken line over utilisation.

Source: plugins/noderesources of kube-scheduler 1.36. cpu and memory use the scoring defaults; extended resources use
what is requested, and only where the pod asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tenantry_core.framework.columns import CPU, MEMORY, IntArray, NodeColumns, Rows
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.model.quantity import SATURATED

MAX_SCORE = 100
EXACT_LIMIT = 1 << 55
"""Above this, 100 times a capacity no longer fits in int64; both sides are scaled down first."""

Weights = tuple[tuple[str, int], ...]
VectorScore = Callable[[IntArray, IntArray], IntArray]
RowScore = Callable[[int, int], int]


@dataclass(frozen=True, eq=False)
class Strategy:
    """One scoring strategy: a score per resource from (requested, capacity), combined by weights."""

    weights: Weights
    vector: VectorScore
    row: RowScore
    only_positive: bool = False
    """Leave resources that score 0 out of the mean and round it, as RequestedToCapacityRatio does."""

    def score(self, cls: PodClass, nodes: NodeColumns, rows: Rows) -> IntArray:
        """int64 0 to 100 per row."""
        total: IntArray | int = 0
        weights: IntArray | int = 0
        for resource, weight, amount in self._resources(cls, nodes):
            capacity = nodes.allocatable[resource][rows]
            used = nodes.nonzero[resource][rows] if resource <= MEMORY else nodes.requested[resource][rows]
            if amount == SATURATED:
                used = np.minimum(used, SATURATED - 1)  # a sum of two saturated amounts would leave int64
            requested, capacity = _scaled(used + amount, capacity)
            score = self.vector(requested, capacity)
            counted = (capacity > 0) & (score > 0) if self.only_positive else capacity > 0
            total = total + np.where(counted, score * weight, 0)
            weights = weights + np.where(counted, weight, 0)
        if isinstance(total, int) or isinstance(weights, int):
            return np.zeros(len(nodes.pod_count[rows]), dtype=np.int64)
        safe = np.maximum(weights, 1)
        if self.only_positive:
            rounded: IntArray = (2 * total + safe) // (2 * safe)
            return rounded
        mean: IntArray = total // safe
        return mean

    def score_row(self, cls: PodClass, nodes: NodeColumns, row: int) -> int:
        """The same for one row."""
        total = weights = 0
        for resource, weight, amount in self._resources(cls, nodes):
            capacity = nodes.allocatable.item(resource, row)
            if capacity <= 0:
                continue
            used = nodes.nonzero.item(resource, row) if resource <= MEMORY else nodes.requested.item(resource, row)
            requested = used + amount
            if capacity > EXACT_LIMIT:
                requested, capacity = requested >> 8, capacity >> 8
            score = self.row(requested, capacity)
            if score or not self.only_positive:
                total += score * weight
                weights += weight
        if not weights:
            return 0
        return (2 * total + weights) // (2 * weights) if self.only_positive else total // weights

    def _resources(self, cls: PodClass, nodes: NodeColumns) -> Sequence[tuple[int, int, int]]:
        """(resource, weight, amount asked), without extended resources that the pod does not ask for."""
        found: list[tuple[int, int, int]] | None = cls.memo.get(self)
        if found is None:
            found = []
            for name, weight in self.weights:
                resource = nodes.resource_id(name)
                if resource in (CPU, MEMORY):
                    found.append((resource, weight, cls.scoring[resource]))
                elif "/" not in name or cls.request.get(name):
                    found.append((resource, weight, cls.request.get(name, 0)))
            cls.memo[self] = found
        return found


def least_allocated(weights: Weights) -> Strategy:
    """(capacity - requested) * 100 // capacity, 0 where it does not fit."""
    return Strategy(weights, _least, _least_row)


def most_allocated(weights: Weights) -> Strategy:
    """min(requested, capacity) * 100 // capacity."""
    return Strategy(weights, _most, _most_row)


def requested_to_capacity(weights: Weights, shape: Sequence[tuple[int, int]]) -> Strategy:
    """A broken line through (utilisation percent 0 to 100, score 0 to 10)."""
    line = _broken_line(shape)
    table = np.array([line(u) for u in range(MAX_SCORE + 1)], dtype=np.int64)

    def vector(requested: IntArray, capacity: IntArray) -> IntArray:
        utilisation = np.where(requested > capacity, MAX_SCORE, requested * MAX_SCORE // np.maximum(capacity, 1))
        found: IntArray = table[np.clip(utilisation, 0, MAX_SCORE)]
        return found

    def row(requested: int, capacity: int) -> int:
        utilisation = MAX_SCORE if requested > capacity else requested * MAX_SCORE // capacity
        return int(table[utilisation])

    return Strategy(weights, vector, row, only_positive=True)


def _scaled(requested: IntArray, capacity: IntArray) -> tuple[IntArray, IntArray]:
    huge = capacity > EXACT_LIMIT
    if not huge.any():
        return requested, capacity
    return np.where(huge, requested >> 8, requested), np.where(huge, capacity >> 8, capacity)


def _least(requested: IntArray, capacity: IntArray) -> IntArray:
    free = np.maximum(capacity - requested, 0)
    score: IntArray = free * MAX_SCORE // np.maximum(capacity, 1)
    return score


def _least_row(requested: int, capacity: int) -> int:
    return (capacity - requested) * MAX_SCORE // capacity if requested < capacity else 0


def _most(requested: IntArray, capacity: IntArray) -> IntArray:
    score: IntArray = np.minimum(requested, capacity) * MAX_SCORE // np.maximum(capacity, 1)
    return score


def _most_row(requested: int, capacity: int) -> int:
    return min(requested, capacity) * MAX_SCORE // capacity


def _broken_line(shape: Sequence[tuple[int, int]]) -> Callable[[int], int]:
    points = [(utilisation, score * MAX_SCORE // 10) for utilisation, score in shape]

    def line(at: int) -> int:
        for i, (utilisation, score) in enumerate(points):
            if at <= utilisation:
                if i == 0:
                    return score
                before, base = points[i - 1]
                rise = (score - base) * (at - before)
                return base + int(rise / (utilisation - before))
        return points[-1][1]

    return line
