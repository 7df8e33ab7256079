"""Which of the candidate nodes loses least.

Rules, each deciding among what the one before left: fewest budget violations; lowest top priority among the victims;
lowest sum of priorities; fewest victims; latest start among the victims of top priority (of each node the earliest such
start counts); first found. Source: pickOneNodeForPreemption of kube-scheduler 1.36.
"""

from __future__ import annotations

from collections.abc import Sequence

from tenantry_core.cycle.preempt_victims import Victims, start_time

SHIFT = 1 << 31
"""Added to each priority in the sum, so that more victims of negative priority never look cheaper than fewer."""


def least_loss(candidates: Sequence[Victims]) -> Victims:
    """The candidate to take. `candidates` is not empty."""
    losses = [_loss(c) for c in candidates]
    least = min(losses)
    left = [c for c, loss in zip(candidates, losses, strict=True) if loss == least]
    if len(left) == 1:
        return left[0]
    starts = [_earliest_of_top(c) for c in left]
    return left[starts.index(max(starts))]


def _loss(candidate: Victims) -> tuple[int, int, int, int]:
    """The first four rules in order."""
    pods = candidate.pods
    total = sum([p.pod.spec.priority for p in pods]) + SHIFT * len(pods)
    return candidate.violations, pods[0].pod.spec.priority, total, len(pods)


def _earliest_of_top(candidate: Victims) -> str:
    top = candidate.pods[0].pod.spec.priority
    return min([start_time(p) for p in candidate.pods if p.pod.spec.priority == top])
