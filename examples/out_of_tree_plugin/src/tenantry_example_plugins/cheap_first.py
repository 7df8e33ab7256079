"""CheapFirst: the cheaper a node, the better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from tenantry_core.framework.simple import NodeView, Scope, ScorePlugin, Task

COST_LABEL = "example.com/hourly-cost"
DEAREST = 10.0
"""Cost that scores 0 unless the arguments say otherwise."""


class CheapFirst(ScorePlugin):
    """1 for a node that costs nothing, 0 for one at `dearest` or without a readable cost label."""

    version = "0.1.0"
    # The label belongs to the node object, so answers hold until the node changes.
    scope = Scope.STATIC

    def __init__(self, dearest: float = DEAREST) -> None:
        if dearest <= 0:
            raise ValueError("dearest must be above 0")
        self._dearest = dearest

    @classmethod
    def create(cls, args: Mapping[str, object]) -> Self:
        """Read `dearest` from the profile's pluginConfig."""
        dearest = args.get("dearest", DEAREST)
        if not isinstance(dearest, int | float):
            raise TypeError(f"dearest must be a number, not {dearest!r}")
        return cls(float(dearest))

    def name(self) -> str:
        return "CheapFirst"

    def score(self, task: Task, node: NodeView) -> float:
        try:
            cost = float(node.labels[COST_LABEL])
        except (KeyError, ValueError):
            return 0.0
        return 1.0 - min(max(cost / self._dearest, 0.0), 1.0)
