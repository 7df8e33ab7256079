"""Raw scores of the feasible rows to 0 to 100.

Source: DefaultNormalizeScore of kube-scheduler; integer division truncates.
"""

from __future__ import annotations

import numpy as np

from tenantry_core.framework.columns import IntArray
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Normalize, ScorePlugin

MAX_SCORE = 100


def normalized(plugin: ScorePlugin, ctx: CycleContext, raw: IntArray) -> IntArray:
    """int64: scores 0 to 100 of the feasible rows, as the plugin's `normalization` says. Raises ValueError outside."""
    match plugin.normalization:
        case Normalize.DEFAULT:
            return _by_maximum(raw, reverse=False)
        case Normalize.REVERSE:
            return _by_maximum(raw, reverse=True)
        case Normalize.CUSTOM:
            custom = getattr(plugin, "normalize", None)  # a protocol check would cost more than the sums
            scores = raw if custom is None else custom(ctx, raw)
        case _:
            scores = raw
    if len(scores) and (int(scores.min()) < 0 or int(scores.max()) > MAX_SCORE):
        raise ValueError(f"a score is outside 0 to {MAX_SCORE}")
    return scores


def _by_maximum(raw: IntArray, reverse: bool) -> IntArray:
    top = int(raw.max()) if len(raw) else 0
    if top == 0:
        return np.full(len(raw), MAX_SCORE if reverse else 0, dtype=np.int64)
    scores = MAX_SCORE * raw // top
    return MAX_SCORE - scores if reverse else scores
