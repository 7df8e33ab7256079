"""Whether a pod would fit on one row in a tentative view, and why not.

Source: RunFilterPluginsWithNominatedPods of kube-scheduler 1.36: the filters must hold with the pods of at least equal
priority that are promised the row, and without them.
"""

from __future__ import annotations

import numpy as np

from tenantry_core.cycle.class_eval import speaks
from tenantry_core.cycle.nominated import promised
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Scope
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.profile import Named, Profile

Texts = tuple[str, ...]


class RowCheck:
    """Asks the filters about single rows for one pod. Answers that depend on the node alone are not asked twice."""

    def __init__(self, profile: Profile, ctx: CycleContext) -> None:
        self._profile = profile
        self._ctx = ctx
        self.promises: dict[int, list[PodClass]] = promised(ctx) if ctx.snapshot.nominations else {}
        self._moving = tuple(f for f in profile.filter if f.plugin.filter_scope is not Scope.STATIC)

    def why_not(self, row: int, known: bool = False) -> Texts | None:
        """Reasons of the first filter that refuses the row, None where all pass.

        `known` says that the filters which depend on the node alone have passed before.
        """
        filters = self._moving if known else self._profile.filter
        classes = self.promises.get(row)
        if classes:
            with self._ctx.snapshot.simulate() as simulation:
                for cls in classes:
                    simulation.add(cls, row)
                refused = self._ask(row, filters)
            if refused is not None:
                return refused
        return self._ask(row, filters)

    def _ask(self, row: int, filters: tuple[Named, ...]) -> Texts | None:
        fresh = CycleContext(self._ctx.snapshot, self._ctx.cls, self._ctx.pod)
        for pre in self._profile.pre_filter:
            if speaks(pre, fresh):
                status = pre.pre_filter(fresh).status
                if not status.ok:
                    return status.reasons
        rows = np.array([row], dtype=np.int64)
        for _, plugin in filters:
            if speaks(plugin, fresh) and not plugin.filter(fresh, rows)[0]:
                return tuple(r.reason for r in plugin.refusals(fresh, rows) if r.rows[0])
        return None
