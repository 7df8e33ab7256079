"""ImageLocality: prefers nodes that already hold the pod's images, damped for images that few nodes hold."""

from __future__ import annotations

import numpy as np

from tenantry_core.framework.columns import IntArray, NodeColumns, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Normalize, Scope
from tenantry_core.plugins.masks import memoized

MEBIBYTE = 1 << 20
FLOOR = 23 * MEBIBYTE
CEILING = 1000 * MEBIBYTE
"""Per container."""


class ImageLocality:
    """Source: plugins/imagelocality of kube-scheduler 1.36."""

    name = "ImageLocality"
    score_scope = Scope.STATIC
    normalization = Normalize.NONE

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod names no image or no node reports any."""
        return not ctx.cls.images

    def score(self, ctx: CycleContext, rows: Rows) -> IntArray:
        """int64 0 to 100."""
        nodes = ctx.snapshot.nodes
        scores = memoized(ctx.cls, self.name, nodes.static_version, lambda: _scores(ctx, nodes))
        return scores[rows]


def _scores(ctx: CycleContext, nodes: NodeColumns) -> IntArray:
    sets = nodes.image_sets.values
    if len(sets) <= 1 and not (sets and sets[0]):
        return np.zeros(nodes.size, dtype=np.int64)
    members = np.bincount(nodes.image_set[nodes.alive], minlength=len(sets))
    total = np.zeros(len(sets), dtype=np.int64)
    for image in ctx.cls.images:
        sizes = np.array([dict(held).get(image, 0) for held in sets], dtype=np.int64)
        spread = float(members[sizes > 0].sum()) / max(1, nodes.alive_count)
        total += (sizes * spread).astype(np.int64)
    top = CEILING * ctx.cls.image_containers
    clamped = np.clip(total, FLOOR, top)
    return (100 * (clamped - FLOOR) // (top - FLOOR))[nodes.image_set]
