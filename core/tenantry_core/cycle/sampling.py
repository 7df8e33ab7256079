"""How many nodes are looked at when a profile asks for less than all of them.

Source: numFeasibleNodesToFind of kube-scheduler 1.36: never fewer than 100; the search goes on where the last
one ended.
"""

from __future__ import annotations

import numpy as np

from tenantry_core.framework.columns import BoolArray

MINIMUM = 100


def wanted(nodes: int, percentage: int) -> int:
    """Feasible nodes after which the search stops."""
    if nodes < MINIMUM or percentage >= 100:
        return nodes
    share = percentage or max(5, 50 - nodes // 125)
    return max(MINIMUM, nodes * share // 100)


def sampled(mask: BoolArray, alive: BoolArray, start: int, percentage: int) -> tuple[BoolArray, int]:
    """Keep the first feasible rows from `start` on, wrapping round; also returns how many nodes were looked at."""
    limit = wanted(int(alive.sum()), percentage)
    order = np.concatenate([np.arange(start, len(mask)), np.arange(min(start, len(mask)))])
    passed = np.cumsum(mask[order])
    looked = int(np.searchsorted(passed, limit)) + 1
    kept = np.zeros_like(mask)
    chosen = order[:looked]
    kept[chosen] = mask[chosen]
    return kept, int(alive[chosen].sum())
