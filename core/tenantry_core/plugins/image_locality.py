"""ImageLocality: prefers nodes that already hold the pod's images, damped for images that few nodes hold."""

from __future__ import annotations

import numpy as np

from tenantry_core.framework.columns import IntArray, NodeColumns, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Normalize, Scope
from tenantry_core.model.intern import InternTable
from tenantry_core.plugins.masks import memoized

ImageSet = tuple[tuple[str, int], ...]
"""(name, size in bytes) of every image of a node."""
MEBIBYTE = 1 << 20
FLOOR = 23 * MEBIBYTE
CEILING = 1000 * MEBIBYTE
"""Per container."""


class ImageLocality:
    """Source: plugins/imagelocality of kube-scheduler 1.36."""

    name = "ImageLocality"
    score_scope = Scope.STATIC
    normalization = Normalize.NONE

    def __init__(self) -> None:
        self._table: InternTable[ImageSet] | None = None
        self._indexed = 0
        self._holders: dict[str, dict[int, int]] = {}

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod names no image."""
        return not ctx.cls.images

    def score(self, ctx: CycleContext, rows: Rows) -> IntArray:
        """int64 0 to 100."""
        nodes = ctx.snapshot.nodes
        scores = memoized(ctx.cls, self.name, nodes.static_version, lambda: self._scores(ctx, nodes))
        return scores[rows]

    def _scores(self, ctx: CycleContext, nodes: NodeColumns) -> IntArray:
        self._index(nodes.image_sets)
        members = np.bincount(nodes.image_set[nodes.alive], minlength=self._indexed)
        total = np.zeros(max(1, self._indexed), dtype=np.int64)
        for image in ctx.cls.images:
            held = self._holders.get(image)
            if held:
                ids, sizes = np.array(list(held), dtype=np.int64), np.array(list(held.values()), dtype=np.int64)
                spread = float(members[ids].sum()) / max(1, nodes.alive_count)
                total[ids] += (sizes * spread).astype(np.int64)
        top = CEILING * ctx.cls.image_containers
        clamped = np.clip(total, FLOOR, top)
        return (100 * (clamped - FLOOR) // (top - FLOOR))[nodes.image_set]

    def _index(self, table: InternTable[ImageSet]) -> None:
        """Note which image sets hold an image, and its size there; a table only ever grows, or is another one."""
        if table is not self._table:
            self._table, self._indexed, self._holders = table, 0, {}
        for ident in range(self._indexed, len(table)):
            for image, size in table.values[ident]:
                if size > 0:
                    self._holders.setdefault(image, {})[ident] = size
        self._indexed = len(table)
