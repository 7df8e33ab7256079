"""Room promised to pods that preemption nominated.

Source: RunFilterPluginsWithNominatedPods of kube-scheduler: on a node with promises to pods of at least this priority
the filters must hold both with those pods there and without them.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tenantry_core.cycle.class_eval import speaks
from tenantry_core.framework.columns import BoolArray
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Scope
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.profile import Profile


class Filtering(Protocol):
    """What this step needs of the cycle."""

    profile: Profile


def promised(ctx: CycleContext) -> dict[int, list[PodClass]]:
    """Per row, classes of other nominated pods whose priority is at least this pod's."""
    found: dict[int, list[PodClass]] = {}
    for nomination in ctx.snapshot.nominations.values():
        if nomination.uid != ctx.pod.metadata.uid and nomination.cls.priority >= ctx.cls.priority:
            row = ctx.snapshot.nodes.row_of(nomination.node)
            if row >= 0:
                found.setdefault(row, []).append(nomination.cls)
    return found


def drop_promised(cycle: Filtering, ctx: CycleContext, mask: BoolArray) -> BoolArray:
    """Take out rows that would not hold with their promises kept."""
    if not ctx.snapshot.nominations:
        return mask
    for row, classes in promised(ctx).items():
        if mask[row]:
            with ctx.snapshot.simulate() as simulation:
                for cls in classes:
                    simulation.add(cls, row)
                mask[row] = row_passes(cycle.profile, ctx, row)
    return mask


class KeptPromises:
    """For one class: which rows are taken by promises. A row is tried again only when it or its promises changed."""

    def __init__(self) -> None:
        self._answers: dict[int, tuple[list[PodClass], bool]] = {}
        self._position = -1

    def taken(self, profile: Profile, ctx: CycleContext, ok: BoolArray) -> list[int] | None:
        """Rows of `ok` (bool[N], passing without promises) that do not hold with their promises kept.

        None where an answer hangs on more than its row, because a plugin that looks further speaks.
        """
        changed = ctx.snapshot.changes_since(self._position)
        if changed is None:
            self._answers.clear()
        for row in changed or ():
            self._answers.pop(row, None)
        found = []
        for row, classes in promised(ctx).items():
            if ok.item(row):
                known = self._answers.get(row)
                if known is None or known[0] != classes:
                    passes = _holds(profile, ctx, row, classes)
                    if passes is None:
                        return None
                    known = self._answers[row] = (classes, passes)
                if not known[1]:
                    found.append(row)
        self._position = ctx.snapshot.log_end
        return found


def _holds(profile: Profile, ctx: CycleContext, row: int, classes: list[PodClass]) -> bool | None:
    """Whether a row holds with its promises kept; None where a plugin speaks that looks at more than the row."""
    with ctx.snapshot.simulate() as simulation:
        for cls in classes:
            simulation.add(cls, row)
        fresh = CycleContext(ctx.snapshot, ctx.cls, ctx.pod)
        further = (f.plugin for f in profile.filter if f.plugin.filter_scope is Scope.GLOBAL)
        if any(speaks(plugin, fresh) for plugin in (*profile.pre_filter, *further)):
            return None
        return row_passes(profile, ctx, row)


def row_passes(profile: Profile, ctx: CycleContext, row: int) -> bool:
    """Whether a row that passed before passes in the view as it stands now.

    Filters that look at the node alone are not asked again: pods do not change their answer.
    """
    fresh = CycleContext(ctx.snapshot, ctx.cls, ctx.pod)
    for pre in profile.pre_filter:
        if speaks(pre, fresh) and not pre.pre_filter(fresh).status.ok:
            return False
    rows = np.array([row], dtype=np.int64)
    moving = (f.plugin for f in profile.filter if f.plugin.filter_scope is not Scope.STATIC)
    return all(not speaks(plugin, fresh) or bool(plugin.filter(fresh, rows)[0]) for plugin in moving)
