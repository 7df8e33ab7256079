"""How many nodes are looked at when a profile asks for less than all of them.

Source: numFeasibleNodesToFind of kube-scheduler 1.36: never fewer than 100; the search goes on where the last
one ended.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenantry_core.framework.columns import BoolArray

MINIMUM = 100


def wanted(nodes: int, percentage: int) -> int:
    """Feasible nodes after which the search stops."""
    if nodes < MINIMUM or percentage >= 100:
        return nodes
    share = percentage or max(5, 50 - nodes // 125)
    return max(MINIMUM, nodes * share // 100)


class Sample(NamedTuple):
    """What one search looked at."""

    feasible: BoolArray
    """bool[N]"""
    evaluated: int
    """Nodes looked at."""
    following: int
    """Row where the next search begins."""


def sampled(mask: BoolArray, searched: BoolArray, start: int, percentage: int) -> Sample:
    """The first feasible rows (`mask`) among `searched` from row `start` on, wrapping round."""
    limit = wanted(int(searched.sum()), percentage)
    begin = start % max(1, len(mask))
    order = np.concatenate([np.arange(begin, len(mask)), np.arange(begin)])
    passed = np.cumsum(mask[order])
    looked = min(int(np.searchsorted(passed, limit)) + 1, len(order))
    kept = np.zeros_like(mask)
    chosen = order[:looked]
    kept[chosen] = mask[chosen]
    return Sample(kept, int(searched[chosen].sum()), (begin + looked) % max(1, len(mask)))
