"""Spread constraints by groups of rows: rows with the same domains, policies and counts are judged once.

A pod that comes or goes changes one sum per constraint and the group of one row. What the rows of a group get is worked
out over the groups, of which there are few: zones times how many matching pods a node may carry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tenantry_core.framework.columns import BoolArray, IdArray, IntArray
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.terms import HOSTNAME, PodSet, SpreadConstraint
from tenantry_core.plugins.masks import affinity_mask, toleration_mask
from tenantry_core.plugins.spread_parts import DomainSums, Part, RowCounts

MAX_SCORE = 100
FEW_GROUPS = 1024
"""This many groups are always kept; more only while they are at most a quarter of the rows."""
ROOM = 8
"""Counts that are told apart at first; doubled until the highest count has as much room again."""


class Rules(NamedTuple):
    """The constraints in force for a class."""

    hard: Sequence[SpreadConstraint]
    soft: Sequence[SpreadConstraint]
    require_all: bool
    """Whether rows that lack a key of a soft constraint are left out."""


@dataclass(slots=True)
class _Tracked:
    """A set of pods with the counts last seen, int64[N]; with `room`, a row's group says its count below that."""

    pods: PodSet
    counts: IntArray
    room: int = 0


class _Asked(NamedTuple):
    """A constraint with what it asks of each row: ids int32[N], counted bool[N]; whether each domain is one row."""

    constraint: SpreadConstraint
    ids: IdArray
    counted: BoolArray
    by_row: bool


class SpreadGroups:
    """Implements framework.plugin.RowGroups for the spread constraints of one class. Group: (kind, count, count...)."""

    def __init__(self, kinds: IntArray, tracked: Sequence[_Tracked], size: int) -> None:
        self.size = size
        self._kinds = kinds
        self._tracked = tracked
        self._parts: list[tuple[int, Part]] = []
        self._hard: list[tuple[Part, int]] = []
        self._soft: list[Part] = []
        self._complete: BoolArray | None = None

    def add_hard(self, tracked: int, part: Part, own: int) -> None:
        """Add a constraint that filters; `own` is 1 where the pod itself counts."""
        self._parts.append((tracked, part))
        self._hard.append((part, own))

    def add_soft(self, tracked: int, part: Part, required: bool) -> None:
        """Add a constraint that scores; `required` leaves out rows that lack its label."""
        self._parts.append((tracked, part))
        self._soft.append(part)
        if required:
            self._complete = ~part.missing if self._complete is None else self._complete & ~part.missing

    def place_all(self, ctx: CycleContext) -> IntArray | None:
        """int64[N]: the group of each row. None where a count has no room."""
        groups = self._kinds.astype(np.int64)
        for one in self._tracked:
            one.counts = ctx.snapshot.count(one.pods).copy()
            if one.room:
                if int(one.counts.max()) >= one.room:
                    return None
                groups = groups * one.room + one.counts
        for number, part in self._parts:
            part.count_all(groups, self._tracked[number].counts)
        return groups

    def place(self, ctx: CycleContext, row: int) -> int:
        """The group of a row whose pods changed; -1 where a count has no room."""
        old = new = self._kinds.item(row)
        moves = []
        for one in self._tracked:
            was, now = one.counts.item(row), ctx.snapshot.count(one.pods).item(row)
            moves.append(now - was)
            if one.room:
                if now >= one.room:
                    return -1
                old, new = old * one.room + was, new * one.room + now
        if any(moves):
            for one, by in zip(self._tracked, moves, strict=True):
                one.counts[row] += by
            for number, part in self._parts:
                part.moved(old, new, moves[number])
        return new

    def passing(self) -> BoolArray | None:
        """bool[G]: groups that keep every hard constraint."""
        found: BoolArray | None = None
        for part, own in self._hard:
            kept = part.passing(own)
            found = kept if found is None else found & kept
        return found

    def scores(self, feasible: IntArray) -> IntArray | None:
        """int64[G], 0 to 100: few is high; 0 for rows left out. None without soft constraints."""
        if not self._soft:
            return None
        scored = feasible > 0
        if self._complete is not None:
            scored &= self._complete
        rows = int(np.add.reduce(feasible[scored]))
        if not rows:
            return np.zeros(self.size, dtype=np.int64)
        raw = self._soft[0].part(scored, rows)
        for part in self._soft[1:]:
            raw += part.part(scored, rows)
        rounded = (raw + 0.5).astype(np.int64)  # raw is never negative
        among = rounded[scored]
        low, high = int(np.minimum.reduce(among)), int(np.maximum.reduce(among))
        if high == 0:
            return scored * MAX_SCORE
        scores = MAX_SCORE * (high + low - rounded) // high
        return scores if self._complete is None else scores * self._complete


def spread_groups(ctx: CycleContext, rules: Rules) -> SpreadGroups | None:
    """Sort the rows. None where there would be too many groups to gain by it."""
    hard, soft = _asked_hard(ctx, rules.hard), _asked_soft(ctx, rules)
    kinds, samples = _kinds([*hard, *soft])
    tracked, numbers = _tracked(ctx, [*hard, *soft])
    rooms = [one.room for one in tracked if one.room]
    shape = (len(samples), *rooms)
    size = int(np.prod(shape))
    if size > max(FEW_GROUPS, len(kinds) // 4):
        return None
    position = np.unravel_index(np.arange(size), shape)
    of_kind, axes = samples[position[0]], iter(position[1:])
    counts = [next(axes) if one.room else None for one in tracked]
    groups = SpreadGroups(kinds, tracked, size)
    for asked in hard:
        number = numbers[asked.constraint.pods]
        own = int(asked.constraint.pods.selector.matches(ctx.cls.labels))
        groups.add_hard(number, _part(asked, of_kind, counts[number]), own)
    for asked in soft:
        number = numbers[asked.constraint.pods]
        groups.add_soft(number, _part(asked, of_kind, counts[number]), rules.require_all)
    return groups


def _part(asked: _Asked, samples: IntArray, counts: IntArray | None) -> Part:
    """A constraint's part; `samples` int64[G] is a row of each group's kind."""
    ids, counted = asked.ids[samples].astype(np.int64), asked.counted[samples]
    if asked.by_row and counts is not None:
        return RowCounts(asked.constraint, counts, ids < 0, counted)
    return DomainSums(asked.constraint, ids, counted)


def _asked_hard(ctx: CycleContext, constraints: Sequence[SpreadConstraint]) -> list[_Asked]:
    complete, found = with_all_keys(ctx, constraints), []
    for constraint in constraints:
        ids = ctx.snapshot.nodes.label_ids(constraint.topology_key)
        labelled = ids[ids >= 0]
        by_row = len(labelled) > 0 and int(np.bincount(labelled).max()) == 1
        found.append(_Asked(constraint, ids, eligible(ctx, constraint) & complete, by_row))
    return found


def _asked_soft(ctx: CycleContext, rules: Rules) -> list[_Asked]:
    among = with_all_keys(ctx, rules.soft) if rules.require_all else ctx.snapshot.nodes.alive
    found = []
    for constraint in rules.soft:
        key = constraint.topology_key
        counted = eligible(ctx, constraint) & among
        found.append(_Asked(constraint, ctx.snapshot.nodes.label_ids(key), counted, key == HOSTNAME))
    return found


def _kinds(asked: Sequence[_Asked]) -> tuple[IntArray, IntArray]:
    """int32[N]: rows that no constraint tells apart but by their count share a number; and a row of each kind."""
    found: IntArray = np.zeros(len(asked[0].ids), dtype=np.int64)
    for one in asked:
        labels = (one.ids >= 0).astype(np.int64) if one.by_row else one.ids.astype(np.int64) + 1
        told = labels * 2 + one.counted
        found = np.unique(found * (int(told.max()) + 1) + told, return_inverse=True)[1]
    _, samples = np.unique(found, return_index=True)
    return found.astype(np.int32), samples


def _tracked(ctx: CycleContext, asked: Sequence[_Asked]) -> tuple[list[_Tracked], dict[PodSet, int]]:
    """The sets of pods that the constraints speak of, and the place of each in that list."""
    numbers: dict[PodSet, int] = {}
    found: list[_Tracked] = []
    for one in asked:
        pods = one.constraint.pods
        if pods not in numbers:
            numbers[pods] = len(found)
            found.append(_Tracked(pods, ctx.snapshot.count(pods)))
        tracked = found[numbers[pods]]
        if one.by_row and not tracked.room:
            tracked.room = ROOM
            while tracked.room <= 2 * int(tracked.counts.max()):
                tracked.room *= 2
    return found, numbers


def eligible(ctx: CycleContext, constraint: SpreadConstraint) -> BoolArray:
    """bool[N]: living rows that the constraint's inclusion policies let count."""
    found = ctx.snapshot.nodes.alive
    if constraint.honor_affinity:
        found = found & affinity_mask(ctx)
    if constraint.honor_taints:
        found = found & toleration_mask(ctx)
    return found


def with_all_keys(ctx: CycleContext, constraints: Sequence[SpreadConstraint]) -> BoolArray:
    """bool[N]: living rows that have the topology key of every constraint."""
    found = ctx.snapshot.nodes.alive.copy()
    for constraint in constraints:
        found &= ctx.snapshot.nodes.label_ids(constraint.topology_key) >= 0
    return found
