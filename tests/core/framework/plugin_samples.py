"""Simple plugins and a small cluster for the plugin tests."""

from __future__ import annotations

from typing import Any

from fakes.clock import FakeClock

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.guard import Guards, GuardSettings
from tenantry_core.framework.simple import ConstraintPlugin, FilterPlugin, NodeView, ScorePlugin, Task
from tenantry_core.model.decode import from_builtins
from tenantry_telemetry.api import CycleRecorder


class Noted(CycleRecorder):
    """Remembers what the guards report."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def plugin_isolated(self, plugin: str, reason: str) -> None:
        self.seen.append((plugin, reason))

    def plugin_restored(self, plugin: str) -> None:
        self.seen.append((plugin, "restored"))


def guards(**settings: Any) -> Guards:
    """Guards on a clock that stands still."""
    clock = FakeClock()
    return Guards(monotonic=clock.monotonic, recorder=Noted(), settings=GuardSettings(**settings))


def cluster(nodes: int = 3) -> ClusterCache:
    """Nodes n0, n1, ... with a zone label each and 4 CPUs."""
    cache = ClusterCache()
    for i in range(nodes):
        raw = {
            "metadata": {"name": f"n{i}", "labels": {"zone": f"z{i % 2}", "index": str(i)}},
            "spec": {"taints": [{"key": "k", "effect": "PreferNoSchedule"}] if i == 1 else []},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}},
        }
        cache.upsert_node(from_builtins("Node", raw))
    return cache


def context(cache: ClusterCache, name: str = "p", **meta: Any) -> CycleContext:
    """A pod of 500m and 1Gi, to be placed."""
    raw = {
        "metadata": {"name": name, "namespace": "default", "uid": name, **meta},
        "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}]},
    }
    pod = from_builtins("Pod", raw)
    return CycleContext(cache, cache.classes.class_of(pod), pod)


class EvenOnly(FilterPlugin):
    """Keeps nodes with an even index."""

    version = "1.2"

    def name(self) -> str:
        return "EvenOnly"

    def filter(self, task: Task, node: NodeView) -> bool | str:
        return int(node.labels["index"]) % 2 == 0 or "node(s) had an odd index"


class ByIndex(ScorePlugin):
    """Likes a high index."""

    def name(self) -> str:
        return "ByIndex"

    def score(self, task: Task, node: NodeView) -> float:
        return int(node.labels["index"]) / 10


class NotLast(ConstraintPlugin):
    """Refuses n2."""

    def name(self) -> str:
        return "NotLast"

    def allows(self, task: Task, node: NodeView) -> bool | str:
        return node.name != "n2"
