"""The long form of a decision: what every plugin said of every node. Nothing is cached and nothing is changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tenantry_core.cycle.class_eval import scores_now
from tenantry_core.cycle.decision import Decision, Unplaced
from tenantry_core.cycle.normalize import normalized
from tenantry_core.cycle.run import Cycle
from tenantry_core.framework.columns import IntArray
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.snapshot import Snapshot
from tenantry_core.model.objects import Pod


@dataclass(frozen=True)
class Explanation:
    """A decision with its grounds."""

    decision: Decision
    feasible: IntArray
    """Rows that passed all filters."""
    scores: dict[str, IntArray]
    """Weighted, normalised scores by plugin, one entry per feasible row; empty where fewer than two rows are."""
    totals: IntArray
    """Sum over the plugins, one entry per feasible row."""


def explain(snapshot: Snapshot, profile: Profile, pod: Pod, cls: PodClass) -> Explanation:
    """Decide the pod afresh and keep what every plugin said."""
    cycle = Cycle(snapshot, profile, keep=1)
    decision = cycle.decide(pod, cls)
    ctx = CycleContext(snapshot, cls, pod)
    refused, narrowed = cycle.pre_filter(ctx) if snapshot.nodes.alive_count else (None, None)
    if isinstance(decision, Unplaced) or refused is not None:
        return Explanation(decision, np.zeros(0, dtype=np.int64), {}, np.zeros(0, dtype=np.int64))
    rows = np.flatnonzero(cycle.passing(ctx, cycle.evaluation(ctx), narrowed))
    scores = scores_by_plugin(profile, ctx, rows) if len(rows) > 1 else {}
    totals = sum(scores.values(), start=np.zeros(len(rows), dtype=np.int64))
    return Explanation(decision, rows, scores, totals)


def scores_by_plugin(profile: Profile, ctx: CycleContext, rows: IntArray) -> dict[str, IntArray]:
    """int64 per plugin: weighted, normalised scores of `rows` as the feasible set."""
    ctx.feasible = rows
    found = {}
    for name, plugin, weight in profile.score:
        if scores_now(plugin, ctx):
            found[name] = weight * normalized(plugin, ctx, plugin.score(ctx, rows))
    return found
