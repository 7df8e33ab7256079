"""Plugins that stop, refuse or break on purpose."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from tenantry_core.config import Point
from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Refusal, Scope
from tenantry_core.framework.registry import Entry
from tenantry_core.framework.status import SUCCESS, Status
from tenantry_core.plugins.defaults import Factory


class Holder:
    """PreBind that waits until it is told to go on."""

    name = "Holder"

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.go = asyncio.Event()
        self.log: list[tuple[str, str]] = []

    def reserve(self, ctx: CycleContext, node: str) -> Status:
        self.log.append(("reserve", ctx.pod.metadata.name))
        return SUCCESS

    def unreserve(self, ctx: CycleContext, node: str) -> None:
        self.log.append(("unreserve", ctx.pod.metadata.name))

    def pre_bind_needed(self, ctx: CycleContext, node: str) -> bool:
        return True

    async def pre_bind(self, ctx: CycleContext, node: str) -> Status:
        self.reached.set()
        await self.go.wait()
        return SUCCESS

    def entry(self) -> Entry[Factory]:
        points = frozenset({Point.RESERVE, Point.PRE_BIND})
        return Entry(self.name, lambda p, o: self, points, "1", "test")


class Breaker:
    """Filter that raises for pods labelled `break`, while `broken`."""

    name = "Breaker"
    filter_scope = Scope.GLOBAL

    def __init__(self) -> None:
        self.broken = True

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        if self.broken and "break" in (ctx.pod.metadata.labels or {}):
            raise RuntimeError("out of order")
        found: BoolArray = ctx.snapshot.nodes.alive[rows]
        return found

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        return []

    def entry(self) -> Entry[Factory]:
        return Entry(self.name, lambda p, o: self, frozenset({Point.FILTER}), "1", "test")
