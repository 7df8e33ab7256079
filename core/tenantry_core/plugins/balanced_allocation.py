"""NodeResourcesBalancedAllocation: prefers nodes whose resources the pod brings closer to equal use."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tenantry_core.framework.columns import FloatArray, IntArray, NodeColumns, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Normalize, Scope
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.model.quantity import SATURATED

MAX_SCORE = 100
HALF = 50


class BalancedAllocation:
    """Source: plugins/noderesources/balanced_allocation.go of kube-scheduler 1.36.

    Real requests count, without scoring defaults. The score is 50 plus half of what the pod adds to the balance.
    """

    name = "NodeResourcesBalancedAllocation"
    score_scope = Scope.ROW
    normalization = Normalize.NONE

    def __init__(self, resources: Sequence[str] = ("cpu", "memory")) -> None:
        self._names = tuple(resources)

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod asks for none of the resources."""
        return not any(ctx.cls.request.get(name) for name in self._names)

    def score(self, ctx: CycleContext, rows: Rows) -> IntArray:
        """int64 0 to 100."""
        nodes = ctx.snapshot.nodes
        used, capacity, asked = [], [], []
        for resource, amount in self._resources(ctx.cls, nodes):
            used.append(nodes.requested[resource][rows])
            capacity.append(nodes.allocatable[resource][rows])
            asked.append(amount)
        before, caps = np.array(used), np.array(capacity)
        room = SATURATED - 1  # a sum of two saturated amounts would leave int64
        after = np.minimum(before, room) + np.array(asked, dtype=np.int64)[:, None]
        difference = _balance(after, caps) - _balance(before, caps)
        gain = HALF + difference
        return HALF + np.where(gain < 0, -(-gain // 2), gain // 2)

    def score_row(self, ctx: CycleContext, row: int) -> int:
        """The same for one row."""
        nodes = ctx.snapshot.nodes
        before: list[float] = []
        after: list[float] = []
        for resource, amount in self._resources(ctx.cls, nodes):
            capacity = nodes.allocatable.item(resource, row)
            if capacity > 0:
                used, whole = nodes.requested.item(resource, row), float(capacity)
                before.append(min(1.0, float(used) / whole))
                after.append(min(1.0, float(used + amount) / whole))
        gain = HALF + _balance_row(after) - _balance_row(before)
        return HALF + (-(-gain // 2) if gain < 0 else gain // 2)

    def _resources(self, cls: PodClass, nodes: NodeColumns) -> Sequence[tuple[int, int]]:
        found: list[tuple[int, int]] | None = cls.memo.get(self)
        if found is None:
            found = cls.memo[self] = [
                (nodes.resource_id(n), cls.request.get(n, 0)) for n in self._names if "/" not in n or cls.request.get(n)
            ]
        return found


def _balance(used: IntArray, capacity: IntArray) -> IntArray:
    """int64[N]: (1 - deviation of the fractions in use) * 100, truncated; what a node lacks is left out."""
    present = capacity > 0
    fractions: FloatArray = np.minimum(1.0, used / np.where(present, capacity, 1))
    count = present.sum(axis=0)
    if len(used) == 2:
        both = present.all(axis=0)
        deviation = np.where(both, np.abs((fractions[0] - fractions[1]) / 2), 0.0)
    else:
        deviation = _deviation(np.where(present, fractions, 0.0), present, count)
    return ((1 - deviation) * MAX_SCORE).astype(np.int64)


def _deviation(fractions: FloatArray, present: np.typing.NDArray[np.bool_], count: IntArray) -> FloatArray:
    safe = np.maximum(count, 1)
    total = np.zeros(fractions.shape[1])
    for row in fractions:
        total = total + row
    mean = total / safe
    squares = np.zeros(fractions.shape[1])
    for row, there in zip(fractions, present, strict=True):
        squares = squares + np.where(there, (row - mean) * (row - mean), 0.0)
    wide: FloatArray = np.sqrt(squares / safe)
    if len(fractions) > 2:
        pair = count == 2
        if pair.any():
            high = np.where(present, fractions, -np.inf).max(axis=0)
            low = np.where(present, fractions, np.inf).min(axis=0)
            wide = np.where(pair, np.abs((high - low) / 2), wide)
    return np.where(count > 1, wide, 0.0)


def _balance_row(fractions: list[float]) -> int:
    if len(fractions) == 2:
        deviation = abs((fractions[0] - fractions[1]) / 2)
    elif len(fractions) > 2:
        total = 0.0
        for fraction in fractions:
            total += fraction
        mean = total / len(fractions)
        squares = 0.0
        for fraction in fractions:
            squares += (fraction - mean) * (fraction - mean)
        deviation = math.sqrt(squares / len(fractions))
    else:
        deviation = 0.0
    return int((1 - deviation) * MAX_SCORE)
