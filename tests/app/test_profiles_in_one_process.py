"""Several scheduler names over one cache, and plugins that come while it runs."""

from __future__ import annotations

from collections import Counter

from wired import Wired

from tenantry_core.framework.simple import FilterPlugin
from tenantry_core.framework.views import NodeView, Task
from tenantry_core.plugins.loader import Catalog
from tenantry_telemetry.api import NoopRecorder

TWO = """
profiles:
- schedulerName: apart
- schedulerName: pack
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
  plugins:
    score:
      disabled: [{name: NodeResourcesBalancedAllocation}]
"""


async def test_each_name_follows_its_own_profile() -> None:
    world = Wired(TWO)
    for name in ("n1", "n2"):
        world.node(name)
    for profile in ("apart", "pack"):
        for i in range(2):
            world.pod(f"{profile}-{i}", schedulerName=profile)
    async with world.running() as scheduler:
        assert sorted(scheduler.profiles) == ["apart", "pack"]
        spread, pack = world.nodes_of("apart-0", "apart-1"), world.nodes_of("pack-0", "pack-1")
        controllers = {event["regarding"]["name"]: event["reportingController"] for event in world.events()}
    assert len(set(spread)) == 2
    assert len(set(pack)) == 1
    assert controllers["pack-0"] == "pack"
    assert controllers["apart-0"] == "apart"


class Nowhere(FilterPlugin):
    """Refuses every node."""

    version = "1"

    def name(self) -> str:
        return "Nowhere"

    def filter(self, task: Task, node: NodeView) -> bool:
        return False


async def test_plugin_that_comes_and_goes_takes_effect_at_once() -> None:
    catalog = Catalog()
    world = Wired(catalog=catalog)
    world.node("n1")
    async with world.running() as scheduler:
        catalog.add(Nowhere, "test", on=True)
        world.pod("p1")
        scheduler.feeds.by_resource[next(r for r in scheduler.feeds.by_resource if r.kind == "Pod")].relist()
        await world.clock.advance(3)
        assert world.nodes_of("p1") == [""]
        catalog.remove("Nowhere")
        scheduler.loop.parts.wake.set()
        await world.clock.advance(3)
        assert world.nodes_of("p1") == ["n1"]


class Counts(NoopRecorder):
    def __init__(self) -> None:
        self.attempts: Counter[str] = Counter()
        self.flushed = 0

    def attempt(self, result: str, profile: str, seconds: float, count: int = 1) -> None:
        self.attempts[result] += count

    def scheduled_after_flush(self, count: int = 1) -> None:
        self.flushed += count


async def test_attempts_are_counted_and_no_pod_needs_the_flush() -> None:
    counts = Counts()
    world = Wired(recorder=counts)
    world.pod("p1")
    async with world.running() as scheduler:
        world.node("n1")
        scheduler.feeds.by_resource[next(r for r in scheduler.feeds.by_resource if r.kind == "Node")].relist()
        await world.clock.advance(3)
    assert world.nodes_of("p1") == ["n1"]
    assert counts.attempts == {"unschedulable": 1, "scheduled": 1}
    assert counts.flushed == 0
