"""Constraints: hard rules asked last, about the one node that is about to be taken."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from tenantry_core.framework.context import CycleContext


@runtime_checkable
class Constraint(Protocol):
    """May refuse the chosen node; then the next best is tried."""

    name: str

    def constrain(self, ctx: CycleContext, row: int) -> str | None:
        """Why the row must not be taken, None where it may."""
        ...
