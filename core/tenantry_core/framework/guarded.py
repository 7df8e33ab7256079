"""Puts a guard around a plugin from outside that is written in the vector form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tenantry_core.framework.binding import PermitResult
from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.guard import BadValueError, Guard
from tenantry_core.framework.plugin import Normalize, PreFilterResult, Refusal
from tenantry_core.framework.post_filter import PostFilterResult
from tenantry_core.framework.simple import ANY_CHANGE
from tenantry_core.framework.status import SKIP, SUCCESS, Status, unschedulable

MAX_SCORE = 100
_KEPT = ("filter_scope", "score_scope", "normalization", "version", "pre_bind_needed", "pre_bind", "bind", "room")
"""Taken over as they are: values, and the points that may wait, on which the bind stage has its own time limits."""


class GuardedPlugin:
    """Has exactly the extension points of the plugin inside. An absent answer never stops a cycle."""

    def __init__(self, plugin: Any, guard: Guard) -> None:
        self.name: str = plugin.name
        self.plugin = plugin
        self.guard = guard
        for name in _KEPT:
            if hasattr(plugin, name):
                setattr(self, name, getattr(plugin, name))
        for name, wrap in _WRAPPED.items():
            if hasattr(plugin, name):
                setattr(self, name, wrap(plugin, guard))


def _mask(plugin: Any, guard: Guard) -> Callable[..., Any]:
    def work(ctx: CycleContext, rows: Rows) -> BoolArray:
        found = np.asarray(plugin.filter(ctx, rows))
        if found.dtype != np.bool_ or len(found) != _length(ctx, rows):
            raise BadValueError("filter must return one bool for each row")
        return found

    def call(ctx: CycleContext, rows: Rows) -> BoolArray:
        found = guard.run(lambda: work(ctx, rows))
        return np.full(_length(ctx, rows), not guard.refuses, dtype=np.bool_) if found is None else found

    return call


def _row_mask(plugin: Any, guard: Guard) -> Callable[..., Any]:
    def call(ctx: CycleContext, row: int) -> bool:
        found = guard.run(lambda: bool(plugin.filter_row(ctx, row)))
        return not guard.refuses if found is None else found

    return call


def _refusals(plugin: Any, guard: Guard) -> Callable[..., Any]:
    def call(ctx: CycleContext, rows: IntArray) -> Any:
        found = guard.run(lambda: tuple(plugin.refusals(ctx, rows)))
        return found or (Refusal(guard.text, np.ones(len(rows), dtype=np.bool_)),)

    return call


def _score(plugin: Any, guard: Guard) -> Callable[..., Any]:
    def work(ctx: CycleContext, rows: Rows) -> IntArray:
        found = _integers(plugin.score(ctx, rows), _length(ctx, rows))
        if plugin.normalization is Normalize.NONE:
            _in_range(found)
        return found

    def call(ctx: CycleContext, rows: Rows) -> IntArray:
        found = guard.run(lambda: work(ctx, rows))
        return np.zeros(_length(ctx, rows), dtype=np.int64) if found is None else found

    return call


def _row_score(plugin: Any, guard: Guard) -> Callable[..., Any]:
    def work(ctx: CycleContext, row: int) -> int:
        return int(_in_range(_integers([plugin.score_row(ctx, row)], 1))[0])

    def call(ctx: CycleContext, row: int) -> int:
        return guard.run(lambda: work(ctx, row)) or 0

    return call


def _normalize(plugin: Any, guard: Guard) -> Callable[..., Any]:
    def call(ctx: CycleContext, raw: IntArray) -> IntArray:
        found = guard.run(lambda: _in_range(_integers(plugin.normalize(ctx, raw), len(raw))))
        return np.zeros(len(raw), dtype=np.int64) if found is None else found

    return call


def _refusable(method: str, build: Callable[[Status], Any], silent: Status) -> Callable[..., Any]:
    """A point whose answer is, or holds, a status: refuse naming the plugin, or `silent` where it is left out."""

    def wrap(plugin: Any, guard: Guard) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            found = guard.run(lambda: getattr(plugin, method)(*args))
            if found is not None:
                return found
            return build(unschedulable(guard.text) if guard.refuses else silent)

        return call

    return wrap


def _plain(method: str, otherwise: Callable[[], Any]) -> Callable[..., Any]:
    def wrap(plugin: Any, guard: Guard) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            found = guard.run(lambda: (getattr(plugin, method)(*args),))
            return otherwise() if found is None else found[0]

        return call

    return wrap


def _length(ctx: CycleContext, rows: Rows) -> int:
    return ctx.snapshot.nodes.size if isinstance(rows, slice) else len(rows)


def _integers(given: Any, length: int) -> IntArray:
    found = np.asarray(given)
    if not np.issubdtype(found.dtype, np.integer) or len(found) != length:
        raise BadValueError("scores must be one integer for each row")
    return found.astype(np.int64, copy=False)


def _in_range(scores: IntArray) -> IntArray:
    if len(scores) and (int(scores.min()) < 0 or int(scores.max()) > MAX_SCORE):
        raise BadValueError(f"a score is outside 0 to {MAX_SCORE}")
    return scores


_WRAPPED: dict[str, Callable[[Any, Guard], Callable[..., Any]]] = {
    "filter": _mask,
    "filter_row": _row_mask,
    "refusals": _refusals,
    "score": _score,
    "score_row": _row_score,
    "normalize": _normalize,
    "pre_enqueue": _plain("pre_enqueue", lambda: SUCCESS),
    "pre_filter": _refusable("pre_filter", PreFilterResult, SKIP),
    "pre_score": _plain("pre_score", lambda: SKIP),
    "skips": _plain("skips", lambda: False),
    "post_filter": _plain("post_filter", PostFilterResult),
    "reserve": _refusable("reserve", lambda status: status, SUCCESS),
    "unreserve": _plain("unreserve", lambda: None),
    "permit": _refusable("permit", PermitResult, SUCCESS),
    "post_bind": _plain("post_bind", lambda: None),
    "constrain": _plain("constrain", lambda: None),
    "events": _plain("events", lambda: ANY_CHANGE),
    "hint": _plain("hint", lambda: True),
}
