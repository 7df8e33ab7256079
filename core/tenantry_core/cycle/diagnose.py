"""Why no node would do: the filters in order, each asked only about nodes that all before it let through."""

from __future__ import annotations

import numpy as np

from tenantry_core.cycle.class_eval import active, speaks
from tenantry_core.cycle.decision import Diagnosis, Reason
from tenantry_core.cycle.nominated import Filtering, promised
from tenantry_core.framework.columns import BoolArray, IntArray
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.profile import Named

PRE_FILTER_CUT = "cycle/pre-filter-cut"
"""Key in ctx.state: names of the plugins whose PreFilter narrowed the nodes."""


def diagnose(cycle: Filtering, ctx: CycleContext, narrowed: BoolArray | None) -> Diagnosis:
    """Collect per-node reasons. Rows that fail only because of promises are diagnosed with the promises kept."""
    nodes = ctx.snapshot.nodes
    found = Diagnosis(nodes=nodes.alive_count, unresolvable=np.zeros(nodes.size, dtype=np.bool_))
    rows = np.flatnonzero(nodes.alive)
    if narrowed is not None:
        rows = _cut(found, ctx, rows, narrowed)
    speaking = active(cycle.profile.filter, ctx)
    left = _walk(found, ctx, rows, speaking)
    if len(left) and ctx.snapshot.nominations:
        _with_promises(cycle, found, ctx, left)
    found.plugins = frozenset(r.plugin for r in found.reasons)
    return found


def _walk(found: Diagnosis, ctx: CycleContext, rows: IntArray, filters: list[Named]) -> IntArray:
    """Note refusals of `rows`; returns the rows that nobody refused."""
    for name, plugin in filters:
        if not len(rows):
            break
        kept = plugin.filter(ctx, rows)
        refused = rows[~kept]
        if len(refused):
            for refusal in plugin.refusals(ctx, refused):
                _note(found, name, refused[refusal.rows], refusal.reason, refusal.unresolvable)
        rows = rows[kept]
    return rows


def _with_promises(cycle: Filtering, found: Diagnosis, ctx: CycleContext, left: IntArray) -> None:
    for row, classes in promised(ctx).items():
        if row not in left:
            continue
        with ctx.snapshot.simulate() as simulation:
            for cls in classes:
                simulation.add(cls, row)
            fresh = CycleContext(ctx.snapshot, ctx.cls, ctx.pod)
            for pre in cycle.profile.pre_filter:
                if speaks(pre, fresh):
                    pre.pre_filter(fresh)
            speaking = active(cycle.profile.filter, fresh)
            _walk(found, fresh, np.array([row], dtype=np.int64), speaking)


def _cut(found: Diagnosis, ctx: CycleContext, rows: IntArray, narrowed: BoolArray) -> IntArray:
    """Nodes that PreFilter left out; source of the text: findNodesThatPassFilters of kube-scheduler."""
    names = ctx.state.get(PRE_FILTER_CUT, ())
    inside = rows[narrowed[rows]]
    outside = rows[~narrowed[rows]]
    if len(outside):
        text = f"node(s) didn't satisfy plugin(s) [{' '.join(names)}]"
        for name in names:
            _note(found, name, outside if name == names[0] else outside[:0], text, True)
    return inside


def _note(found: Diagnosis, plugin: str, rows: IntArray, text: str, unresolvable: bool) -> None:
    assert found.unresolvable is not None
    mask = np.zeros(len(found.unresolvable), dtype=np.bool_)
    mask[rows] = True
    found.reasons.append(Reason(plugin, text, mask, unresolvable))
    if unresolvable:
        found.unresolvable |= mask
