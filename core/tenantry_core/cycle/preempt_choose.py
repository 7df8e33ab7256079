"""Which of the candidate nodes loses least.

Rules, each deciding among what the one before left: fewest budget violations; lowest top priority among the victims;
lowest sum of priorities; fewest victims; latest start among the victims of top priority (of each node the earliest such
start counts); first found. Source: pickOneNodeForPreemption of kube-scheduler 1.36.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tenantry_core.cycle.preempt_victims import Victims, start_time

SHIFT = 1 << 31
"""Added to each priority in the sum, so that more victims of negative priority never look cheaper than fewer."""


def least_loss(candidates: Sequence[Victims]) -> Victims:
    """The candidate to take. `candidates` is not empty."""
    left = list(candidates)
    for rule in (_violations, _top, _sum, _count):
        left = _least(left, rule)
        if len(left) == 1:
            return left[0]
    latest = max(_earliest_of_top(c) for c in left)
    return next(c for c in left if _earliest_of_top(c) == latest)


def _least(candidates: list[Victims], rule: Callable[[Victims], Any]) -> list[Victims]:
    least = min(rule(c) for c in candidates)
    return [c for c in candidates if rule(c) == least]


def _violations(candidate: Victims) -> int:
    return candidate.violations


def _top(candidate: Victims) -> int:
    return candidate.pods[0].priority


def _sum(candidate: Victims) -> int:
    return sum(p.priority + SHIFT for p in candidate.pods)


def _count(candidate: Victims) -> int:
    return len(candidate.pods)


def _earliest_of_top(candidate: Victims) -> str:
    top = candidate.pods[0].priority
    return min(start_time(p) for p in candidate.pods if p.priority == top)
