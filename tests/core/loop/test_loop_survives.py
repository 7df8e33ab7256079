"""Nothing that breaks in one attempt stops the loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from builders import a_pod
from deciding import profile_with
from loop_kit import Rig

from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Refusal, Scope
from tenantry_core.framework.profile import Named
from tenantry_core.queue import Place


class Raises:
    """Filter that raises for pods labelled `bad`."""

    name = "Raises"
    filter_scope = Scope.GLOBAL

    def __init__(self) -> None:
        self.on = True

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        if self.on and "bad" in (ctx.pod.metadata.labels or {}):
            raise RuntimeError("boom")
        found: BoolArray = ctx.snapshot.nodes.alive[rows]
        return found

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        return []


async def test_plugin_that_raises_costs_its_pod_a_backoff() -> None:
    plugin, base = Raises(), profile_with()
    rig = Rig(replace(base, filter=(*base.filter, Named("Raises", plugin)), plugins=(*base.plugins, plugin)))
    async with rig.deciding():
        entry = rig.put(a_pod("hurt").labelled(bad="yes"))
        rig.put(a_pod("fine"))
        await rig.settle()
        assert sorted(rig.reports) == ["SchedulerError: RuntimeError: boom", "scheduled fine n1"]
        assert entry is not None
        assert (entry.place, entry.error_count) == (Place.BACKOFF, 1)
        plugin.on = False
        await rig.stage.clock.advance(2)
        assert rig.reports[-1] == "scheduled hurt n1"


async def test_loop_that_broke_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig()
    original, broken = rig.loop.decide_slice, [True]

    def decide() -> int:
        if broken.pop() if broken else False:
            raise RuntimeError("boom")
        return original()

    monkeypatch.setattr(rig.loop, "decide_slice", decide)
    async with rig.deciding():
        rig.put(a_pod())
        await rig.settle()
        assert rig.reports == []
        await rig.stage.clock.advance(2)
        assert rig.reports == ["scheduled pod n1"]


async def test_post_filter_that_raises_is_passed_over() -> None:
    class Broken:
        name = "Broken"

        def post_filter(self, *_: object) -> None:
            raise RuntimeError("boom")

    base = profile_with()
    rig = Rig(replace(base, post_filter=(Broken(),)))
    async with rig.deciding():
        entry = rig.put(a_pod().asking(cpu="99"))
        await rig.settle()
        assert rig.reports == ["Unschedulable: 0/1 nodes are available: 1 Insufficient cpu."]
        assert entry is not None
        assert entry.place is Place.PARKED
