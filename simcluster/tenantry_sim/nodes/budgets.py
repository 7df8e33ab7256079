"""The disruption controller, small: keeps `status` of disruption budgets up to date. Off unless asked for.

The number of pods that a budget expects is the number of pods that it selects, not the replicas of their owners.
"""

import math
from typing import Any

from tenantry_sim import selectors
from tenantry_sim.clock import Cancellable, parse_stamp
from tenantry_sim.store.records import Change, Object
from tenantry_sim.world import World

_BUDGETS = "policy/poddisruptionbudgets"
_SETTLE_SECONDS = 0.01
_DISRUPTED_SECONDS = 120.0
"""An eviction that has not led to a deletion in this time is forgotten, as upstream."""


class BudgetController:
    """Follows pods and budgets; recounts a namespace shortly after something in it changed."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._timers: dict[str, Cancellable] = {}

    def start(self) -> None:
        self.world.kind(_BUDGETS).listeners.append(self._on_change)
        self.world.kind("/pods").listeners.append(self._on_change)

    def stop(self) -> None:
        for key in (_BUDGETS, "/pods"):
            if self._on_change in self.world.kind(key).listeners:
                self.world.kind(key).listeners.remove(self._on_change)
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _on_change(self, change: Change) -> None:
        namespace = change.record.namespace
        if namespace not in self._timers and self.world.kind(_BUDGETS).items.get(namespace):
            action = self.world.clock.call_later(_SETTLE_SECONDS, lambda: self._recount(namespace))
            self._timers[namespace] = action

    def _recount(self, namespace: str) -> None:
        del self._timers[namespace]
        store = self.world.kind(_BUDGETS)
        pods = [r.decode() for r in self.world.kind("/pods").items.get(namespace, {}).values()]
        for record in list(store.items.get(namespace, {}).values()):
            budget = record.decode()
            before = budget.get("status", {})
            budget["status"] = self._status(budget, pods)
            if budget["status"] != before:
                self.world.store.replace(store, record, budget)

    def _status(self, budget: Object, pods: list[Object]) -> Object:
        match = selectors.from_object(budget["spec"].get("selector"))
        chosen = [p for p in pods if match(p["metadata"].get("labels") or {}) and not _ended(p)]
        disrupted = self._disrupted(budget, chosen)
        healthy = sum(1 for p in chosen if _ready(p) and p["metadata"]["name"] not in disrupted)
        desired = _desired(budget["spec"], len(chosen))
        allowed = max(healthy - desired, 0) if chosen else 0
        status: Object = {
            "observedGeneration": budget["metadata"].get("generation", 0),
            "disruptionsAllowed": allowed,
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "expectedPods": len(chosen),
        }
        if disrupted:
            status["disruptedPods"] = disrupted
        status["conditions"] = [self._condition(budget, allowed)]
        return status

    def _disrupted(self, budget: Object, chosen: list[Object]) -> dict[str, str]:
        """Evicted pods whose deletion is still to be seen."""
        present = {p["metadata"]["name"] for p in chosen if "deletionTimestamp" not in p["metadata"]}
        recorded: dict[str, str] = budget.get("status", {}).get("disruptedPods") or {}
        now = self.world.clock.now()
        return {n: at for n, at in recorded.items() if n in present and now - parse_stamp(at) < _DISRUPTED_SECONDS}

    def _condition(self, budget: Object, allowed: int) -> Object:
        status = "True" if allowed else "False"
        for present in budget.get("status", {}).get("conditions") or ():
            if present.get("type") == "DisruptionAllowed" and present.get("status") == status:
                return {**present, "observedGeneration": budget["metadata"].get("generation", 0)}
        return {
            "type": "DisruptionAllowed",
            "status": status,
            "observedGeneration": budget["metadata"].get("generation", 0),
            "lastTransitionTime": self.world.stamp(),
            "reason": "SufficientPods" if allowed else "InsufficientPods",
            "message": "",
        }


def _ended(pod: Object) -> bool:
    return pod.get("status", {}).get("phase") in ("Succeeded", "Failed")


def _ready(pod: Object) -> bool:
    if "deletionTimestamp" in pod["metadata"]:
        return False
    conditions = pod.get("status", {}).get("conditions") or ()
    return any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions)


def _desired(spec: Object, expected: int) -> int:
    if "minAvailable" in spec:
        return _count(spec["minAvailable"], expected)
    return max(expected - _count(spec.get("maxUnavailable", 0), expected), 0)


def _count(value: Any, expected: int) -> int:
    """A number, or a percentage rounded up. Anything else counts as 0."""
    if isinstance(value, int):
        return value
    text = str(value)
    return math.ceil(int(text[:-1]) * expected / 100) if text.endswith("%") and text[:-1].isdigit() else 0
