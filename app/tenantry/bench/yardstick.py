"""The yardstick: one plain NumPy pass over all nodes per pod, as one would write it first.

It depends on the machine as the engine does, so the ratio of the two can be compared between machines.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from tenantry_core.framework.columns import IntArray
from tenantry_core.model.objects import Node
from tenantry_core.model.requests import amounts

SECONDS = 0.5
"""Passes are made for about this long."""
AT_LEAST = 20
"""Passes, however slow."""

_NAMES = ("cpu", "memory", "pods")
_REQUEST = (100, 500 << 20, 1)


def passes_per_second(nodes: Sequence[Node]) -> float:
    """Pods per second that plain passes over `nodes` place, each of 100m and 500Mi."""
    found = [amounts(node.status.allocatable) for node in nodes]
    capacity = [np.array([each.get(name, 0) for each in found], dtype=np.int64) for name in _NAMES]
    used = [np.zeros(len(nodes), dtype=np.int64) for _ in _NAMES]
    done, start = 0, time.perf_counter()
    while done < AT_LEAST or time.perf_counter() - start < SECONDS:
        if _place(capacity, used) < 0:
            for column in used:
                column[:] = 0
        done += 1
    return done / (time.perf_counter() - start)


def _place(capacity: Sequence[IntArray], used: Sequence[IntArray]) -> int:
    """Fit, least allocated, balanced allocation and argmax; takes the room. Row, or -1 where none is left.

    One column at a time: temporaries over several columns at once would be large enough for the allocator to fetch
    each from the operating system anew, which takes longer than the sums.
    """
    cpu, memory, pods = (column + amount for column, amount in zip(used, _REQUEST, strict=True))
    fits = (cpu <= capacity[0]) & (memory <= capacity[1]) & (pods <= capacity[2])
    cpu_share, memory_share = cpu / capacity[0], memory / capacity[1]
    least = ((2 - cpu_share - memory_share) * 50).astype(np.int64)
    balanced = ((1 - np.abs(cpu_share - memory_share) / 2) * 100).astype(np.int64)
    score = np.where(fits, least + balanced, -1)
    row = int(score.argmax())
    if score[row] < 0:
        return -1
    for column, amount in zip(used, _REQUEST, strict=True):
        column[row] += amount
    return row
