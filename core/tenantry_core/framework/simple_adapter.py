"""Wraps simple plugins into the vector form that the cycle calls, behind a guard."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.guard import BadValueError, Guard
from tenantry_core.framework.plugin import Normalize, Plugin, Refusal, Scope
from tenantry_core.framework.simple import ANY_CHANGE, ConstraintPlugin, FilterPlugin, SchedulerPlugin, ScorePlugin
from tenantry_core.framework.views import NodeView, Task
from tenantry_core.model.events import ClusterEvent, EventPattern
from tenantry_core.model.objects import Pod

MAX_SCORE = 100
Ask = Callable[[Task, NodeView], Any]


class _Adapted:
    """Common part: the name, and the events that help."""

    def __init__(self, plugin: SchedulerPlugin, guard: Guard) -> None:
        self.name = plugin.name()
        self.version = plugin.version
        self.plugin: Any = plugin
        self.guard = guard

    def events(self) -> Sequence[EventPattern]:
        """What the author names."""
        return self.guard.run(self.plugin.events) or ANY_CHANGE

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """What the author says; a plugin without an answer does not hold the pod back."""
        return self.guard.run(lambda: bool(self.plugin.hint(pod, event))) is not False


class _Filtering(_Adapted):
    @property
    def filter_scope(self) -> Scope:
        """As the author declares."""
        scope: Scope = self.plugin.scope
        return scope

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows that the author keeps; without an answer, what the guard says."""
        chosen = _numbers(ctx, rows)
        texts = self.guard.run(lambda: self._texts(ctx, chosen))
        if texts is None:
            return np.full(len(chosen), not self.guard.refuses, dtype=np.bool_)
        return np.fromiter((text is None for text in texts), dtype=np.bool_, count=len(chosen))

    def filter_row(self, ctx: CycleContext, row: int) -> bool:
        """The same for one row."""
        return bool(self.filter(ctx, np.array([row], dtype=np.int64))[0])

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """The author's reasons, or the name of the plugin and what is wrong with it."""
        texts = self.guard.run(lambda: self._texts(ctx, rows.tolist()))
        if texts is None:
            return (Refusal(self.guard.text, np.ones(len(rows), dtype=np.bool_)),)
        by_text: dict[str, BoolArray] = {}
        for i, text in enumerate(texts):
            if text is not None:
                by_text.setdefault(text, np.zeros(len(rows), dtype=np.bool_))[i] = True
        return [Refusal(text, mask) for text, mask in by_text.items()]

    def _texts(self, ctx: CycleContext, rows: list[int]) -> list[str | None]:
        task, ask = Task(ctx.pod, ctx.cls), self.plugin.filter
        nodes = ctx.snapshot.nodes
        alive = nodes.alive.item
        return [verdict(self.name, ask(task, NodeView(nodes, r))) if alive(r) else "gone" for r in rows]


class _Scoring(_Adapted):
    @property
    def normalization(self) -> Normalize:
        """As the author declares."""
        found: Normalize = self.plugin.normalization
        return found

    @property
    def score_scope(self) -> Scope:
        """As the author declares; GLOBAL where scores are stretched, because kept scores of rows are plain sums."""
        stretched = self.normalization is not Normalize.NONE and self.plugin.scope is Scope.ROW
        scope: Scope = Scope.GLOBAL if stretched else self.plugin.scope
        return scope

    def score(self, ctx: CycleContext, rows: Rows) -> IntArray:
        """int64 0 to 100; all 0 where there is no answer."""
        chosen = _numbers(ctx, rows)
        found = self.guard.run(lambda: self._scores(ctx, chosen))
        return np.zeros(len(chosen), dtype=np.int64) if found is None else np.array(found, dtype=np.int64)

    def score_row(self, ctx: CycleContext, row: int) -> int:
        """The same for one row."""
        return int(self.score(ctx, np.array([row], dtype=np.int64))[0])

    def _scores(self, ctx: CycleContext, rows: list[int]) -> list[int]:
        task, ask = Task(ctx.pod, ctx.cls), self.plugin.score
        nodes = ctx.snapshot.nodes
        alive = nodes.alive.item
        return [points(ask(task, NodeView(nodes, r))) if alive(r) else 0 for r in rows]


class _Constraining(_Adapted):
    def constrain(self, ctx: CycleContext, row: int) -> str | None:
        """Why the row must not be taken."""
        task, node = Task(ctx.pod, ctx.cls), NodeView(ctx.snapshot.nodes, row)
        found = self.guard.run(lambda: (verdict(self.name, self.plugin.allows(task, node)),))
        if found is None:
            return self.guard.text if self.guard.refuses else None
        return found[0]


_PARTS: tuple[tuple[type[SchedulerPlugin], type[_Adapted]], ...] = (
    (FilterPlugin, _Filtering),
    (ScorePlugin, _Scoring),
    (ConstraintPlugin, _Constraining),
)


def adapt(plugin: SchedulerPlugin, guard: Guard) -> Plugin:
    """The vector form of a simple plugin, with exactly the extension points that its roles stand for."""
    parts = tuple(part for role, part in _PARTS if isinstance(plugin, role)) or (_Adapted,)
    kind = type("Adapted", parts, {}) if len(parts) > 1 else parts[0]
    adapted: Plugin = kind(plugin, guard)
    return adapted


def verdict(name: str, answer: object) -> str | None:
    """The reason of a refusal, None where the node is kept. Raises BadValueError for anything but a bool or a text."""
    if answer is True:
        return None
    if answer is False:
        return f"node(s) refused by plugin {name}"
    if isinstance(answer, str) and answer:
        return answer
    if isinstance(answer, np.bool_):
        return verdict(name, bool(answer))
    raise BadValueError(f"neither True, False nor a reason: {answer!r}")


def points(answer: object) -> int:
    """A float of 0 to 1 as points of 0 to 100, cut. Raises BadValueError for anything else."""
    if isinstance(answer, int | float | np.floating) and not isinstance(answer, bool):
        value = float(answer)
        if math.isfinite(value) and 0.0 <= value <= 1.0:
            return int(value * MAX_SCORE)
    raise BadValueError(f"not a number from 0 to 1: {answer!r}")


def _numbers(ctx: CycleContext, rows: Rows) -> list[int]:
    chosen: list[int] = np.arange(ctx.snapshot.nodes.size, dtype=np.int64)[rows].tolist()
    return chosen
