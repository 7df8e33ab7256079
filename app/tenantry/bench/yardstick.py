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

_REQUEST = np.array([[100], [500 << 20], [1]], dtype=np.int64)


def passes_per_second(nodes: Sequence[Node], seconds: float = SECONDS) -> float:
    """Pods per second that plain passes over `nodes` place, each of 100m and 500Mi."""
    capacity = np.array(
        [[found.get(n, 0) for found in (amounts(x.status.allocatable) for x in nodes)] for n in _NAMES], dtype=np.int64
    )
    used = np.zeros_like(capacity)
    done, start = 0, time.perf_counter()
    while done < AT_LEAST or time.perf_counter() - start < seconds:
        if _place(capacity, used) < 0:
            used[:] = 0
        done += 1
    return done / (time.perf_counter() - start)


_NAMES = ("cpu", "memory", "pods")


def _place(capacity: IntArray, used: IntArray) -> int:
    """Fit, least allocated, balanced allocation and argmax; takes the room. Row, or -1 where none is left."""
    after = used + _REQUEST
    fits = (after <= capacity).all(axis=0)
    least = ((capacity[:2] - after[:2]) * 100 // capacity[:2]).sum(axis=0) // 2
    share = after[:2] / capacity[:2]
    balanced = ((1 - np.abs(share[0] - share[1]) / 2) * 100).astype(np.int64)
    score = np.where(fits, least + balanced, -1)
    row = int(score.argmax())
    if score[row] < 0:
        return -1
    used[:, row] += _REQUEST[:, 0]
    return row
