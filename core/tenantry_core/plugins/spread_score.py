"""PodTopologySpread, Score: soft spread constraints."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tenantry_core.framework.columns import BoolArray, FloatArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Normalize, Scope
from tenantry_core.framework.status import SKIP, SUCCESS, Status
from tenantry_core.framework.terms import HOSTNAME, SpreadConstraint
from tenantry_core.plugins.domains import domain_sums, domains_present
from tenantry_core.plugins.spread_defaults import DefaultConstraints
from tenantry_core.plugins.spread_groups import eligible, with_all_keys

MAX_SCORE = 100
IGNORED = -1
"""Raw score of rows that lack a key which the pod requires; they end at 0."""


class SpreadScore:
    """The score half of PodTopologySpread; fewer matching pods in a domain is better."""

    score_scope = Scope.GLOBAL
    normalization = Normalize.CUSTOM

    def __init__(self, defaults: DefaultConstraints) -> None:
        self._defaults = defaults

    def pre_score(self, ctx: CycleContext) -> Status:
        """Skip where no soft constraint stands."""
        return SUCCESS if self.soft(ctx) else SKIP

    def soft(self, ctx: CycleContext) -> Sequence[SpreadConstraint]:
        """Constraints that score: the pod's own, or the cluster's."""
        return ctx.cls.soft_spread or self._defaults.soft(ctx)

    def requires_all_keys(self, ctx: CycleContext) -> bool:
        """Whether rows that lack a key of a constraint are left out of everything."""
        return bool(ctx.cls.soft_spread or ctx.cls.hard_spread) or not self._defaults.system

    def score(self, ctx: CycleContext, rows: Rows) -> IntArray:
        """int64: weighted counts, rounded; IGNORED where a required key is missing. `ctx.feasible` must be set."""
        constraints, require_all = self.soft(ctx), self.requires_all_keys(ctx)
        nodes = ctx.snapshot.nodes
        scored = np.zeros(nodes.size, dtype=np.bool_)
        scored[ctx.feasible if ctx.feasible is not None else slice(None)] = True
        scored &= nodes.alive
        complete = with_all_keys(ctx, constraints)
        if require_all:
            scored &= complete
        raw: FloatArray = np.zeros(nodes.size, dtype=np.float64)
        for constraint in constraints:
            raw += self._counts(ctx, constraint, scored, complete if require_all else nodes.alive)
        rounded: IntArray = np.floor(raw + 0.5).astype(np.int64)
        if require_all:
            rounded[~complete] = IGNORED
        return rounded[rows]

    def normalize(self, ctx: CycleContext, raw: IntArray) -> IntArray:
        """int64 0 to 100: few is high."""
        valid = raw != IGNORED
        scores = np.zeros(len(raw), dtype=np.int64)
        if not valid.any():
            return scores
        low, high = int(raw[valid].min()), int(raw[valid].max())
        if high == 0:
            scores[valid] = MAX_SCORE
        else:
            scores[valid] = MAX_SCORE * (high + low - raw[valid]) // high
        return scores

    def _counts(
        self, ctx: CycleContext, constraint: SpreadConstraint, scored: BoolArray, counted: BoolArray
    ) -> FloatArray:
        """float64[N]: this constraint's part of the raw score."""
        nodes, key = ctx.snapshot.nodes, constraint.topology_key
        ids, pods = nodes.label_ids(key), ctx.snapshot.count(constraint.pods)
        if key == HOSTNAME:
            weight, matching = math.log(int(scored.sum()) + 2), pods
        else:
            present = domains_present(nodes, key, scored & (ids >= 0))
            sums = domain_sums(nodes, key, pods, counted & eligible(ctx, constraint))
            weight, matching = math.log(int(present.sum()) + 2), np.where(present, sums, 0)[ids]
        part: FloatArray = matching.astype(np.float64) * weight + float(constraint.max_skew - 1)
        part[ids < 0] = 0.0
        return part
