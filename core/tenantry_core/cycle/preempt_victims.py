"""Who would have to go: the order of importance among placed pods, and what disruption budgets say about losing them.

Source: MoreImportantPod and filterPodsWithPDBViolation of kube-scheduler 1.36.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from tenantry_core.framework.placed import PlacedPod
from tenantry_core.model.selectors import Selector, SelectorError, compile_selector
from tenantry_core.model.storage import PodDisruptionBudget

NOT_STARTED = "~"
"""Sorts after every RFC 3339 time: a pod that has not started counts as starting now."""


class Charge(NamedTuple):
    """A budget as the victim search counts it."""

    namespace: str
    selector: Selector
    allowed: int
    disrupted: frozenset[str]
    """Names of pods whose eviction the API server has already charged."""


class Victims(NamedTuple):
    """What taking one row would cost."""

    row: int
    pods: tuple[PlacedPod, ...]
    """Most important first; never empty."""
    violations: int
    """How many of them go beyond a disruption budget."""


def start_time(placed: PlacedPod) -> str:
    """Start of the pod as text that sorts by time."""
    return placed.pod.status.start_time or NOT_STARTED


def by_importance(pods: Iterable[PlacedPod], turn: int = 0) -> list[PlacedPod]:
    """Most important first: high priority, then early start, then early arrival on the node (the order of `pods`).

    Among equals that have not started upstream leaves the order to chance; here it begins with number `turn` of them.
    """
    found = sorted(pods, key=_rank)
    if not turn or all(p.pod.status.start_time for p in found):
        return found
    turned: list[PlacedPod] = []
    for (_, start), group in groupby(found, key=_rank):
        equals = list(group)
        first = turn % len(equals) if start == NOT_STARTED else 0
        turned += equals[first:] + equals[:first]
    return turned


def _rank(placed: PlacedPod) -> tuple[int, str]:
    return -placed.priority, start_time(placed)


class Budgets:
    """All disruption budgets, by namespace."""

    def __init__(self, budgets: Iterable[PodDisruptionBudget]) -> None:
        self._by_namespace: dict[str, list[Charge]] = {}
        for budget in budgets:
            charge = _charge(budget)
            if charge is not None:
                self._by_namespace.setdefault(charge.namespace, []).append(charge)

    def split(self, pods: Sequence[PlacedPod]) -> tuple[list[PlacedPod], list[PlacedPod]]:
        """Pods whose loss would violate a budget, and the others; `pods` are charged in the order given.

        A pod that the API server has charged already (`disruptedPods`), or that is terminating and so is no longer
        counted as healthy, is not charged again.
        """
        if not self._by_namespace:
            return [], list(pods)
        left: dict[int, int] = {}
        violating: list[PlacedPod] = []
        others: list[PlacedPod] = []
        for placed in pods:
            violated = not placed.terminating and self._spend(placed, left)
            (violating if violated else others).append(placed)
        return violating, others

    def _spend(self, placed: PlacedPod, left: dict[int, int]) -> bool:
        meta = placed.pod.metadata
        violated = False
        for charge in self._by_namespace.get(meta.namespace, ()) if meta.labels else ():
            if meta.name in charge.disrupted or not charge.selector.matches(meta.labels or {}):
                continue
            rest = left.get(id(charge), charge.allowed) - 1
            left[id(charge)] = rest
            violated = violated or rest < 0
        return violated


def _charge(budget: PodDisruptionBudget) -> Charge | None:
    """The budget compiled; None where it selects nothing (no, empty or unreadable selector)."""
    try:
        selector = compile_selector(budget.spec.selector)
    except SelectorError:
        return None
    if selector.nothing or not selector.requirements:
        return None
    status = budget.status
    names = frozenset(status.disrupted_pods or ())
    return Charge(budget.metadata.namespace, selector, status.disruptions_allowed, names)
