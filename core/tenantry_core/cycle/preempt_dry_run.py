"""What taking one row would cost: all lower-priority pods go, then as many as possible come back.

`Exact` asks the filters after each step and is right for every pod. `ByArithmetic` does sums of requests itself and is
right where only pod slots and amounts stand between the pod and the row; the property
`test_preemption_arithmetic_equals_filters` holds the two equal.
Source: SelectVictimsOnNode of kube-scheduler 1.36.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from tenantry_core.cycle.class_eval import speaks
from tenantry_core.cycle.preempt_memo import Kept, VictimMemo
from tenantry_core.cycle.preempt_rows import RowCheck, Texts
from tenantry_core.cycle.preempt_victims import Budgets, Victims, by_importance
from tenantry_core.framework.columns import PODS
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.placed import PlacedPod
from tenantry_core.framework.plugin import Scope
from tenantry_core.framework.post_filter import RoomFilter
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.snapshot import Simulation
from tenantry_core.model.quantity import SATURATED

NO_VICTIMS = "No preemption victims found for incoming pod"
TOO_MANY_PODS = "Too many pods"


class Method(Protocol):
    """A way to work out the victims of a row."""

    def victims(self, row: int) -> Victims | Texts:
        """Whom to take, or why taking all lower-priority pods would not help."""
        ...


class Exact:
    """Simulates and asks the filters."""

    def __init__(self, profile: Profile, ctx: CycleContext, budgets: Budgets, turn: int) -> None:
        self._ctx = ctx
        self.turn = turn
        self._budgets = budgets
        self.check = RowCheck(profile, ctx)

    def victims(self, row: int) -> Victims | Texts:
        """Whom to take, or why it would not help."""
        arrived = lower_pods(self._ctx, row)
        if not arrived:
            return (NO_VICTIMS,)
        lower = by_importance(arrived, self.turn)
        with self._ctx.snapshot.simulate() as simulation:
            for placed in lower:
                simulation.remove(placed)
            refused = self.check.why_not(row)
            answer = self._reprieve(simulation, row, lower) if refused is None else refused
            _put_back(simulation, self._ctx, arrived)
        return answer

    def _reprieve(self, simulation: Simulation, row: int, lower: list[PlacedPod]) -> Victims | Texts:
        def comes_back(placed: PlacedPod) -> bool:
            simulation.restore(placed)
            if self.check.why_not(row, known=True) is None:
                return True
            simulation.remove(placed)
            return False

        return reprieve(row, lower, self._budgets, comes_back)


def _put_back(simulation: Simulation, ctx: CycleContext, arrived: list[PlacedPod]) -> None:
    """Restore all pods in the order of their arrival, which decides between equals in later searches."""
    there = {p.uid for p in ctx.snapshot.pods_on(arrived[0].row)}
    for placed in arrived:
        if placed.uid in there:
            simulation.remove(placed)
    for placed in arrived:
        simulation.restore(placed)


class Need(NamedTuple):
    """One amount that the pod asks for."""

    resource: str
    axis: int
    """Row of the resource axis."""
    amount: int


class ByArithmetic:
    """Sums requests in plain integers; rows with promises or saturated sums are left to `exact`."""

    def __init__(
        self, ctx: CycleContext, needs: Sequence[Need], budgets: Budgets, exact: Exact, kept: dict[int, Kept]
    ) -> None:
        self._ctx = ctx
        self._kept = kept
        self._needs = needs
        self._budgets = budgets
        self._exact = exact

    def victims(self, row: int) -> Victims | Texts:
        """Whom to take, or why it would not help."""
        if row in self._exact.check.promises:
            return self._exact.victims(row)
        kept = self._kept.get(row)
        if kept is not None and (not kept.waiting or kept.waiting == _waiting(lower_pods(self._ctx, row))):
            return kept.answer
        arrived = lower_pods(self._ctx, row)
        answer = self._work_out(row, arrived)
        self._kept[row] = Kept(answer, _waiting(arrived))
        return answer

    def _work_out(self, row: int, arrived: list[PlacedPod]) -> Victims | Texts:
        nodes, needs = self._ctx.snapshot.nodes, self._needs
        used = [nodes.requested.item(n.axis, row) for n in needs]
        if any(u >= SATURATED for u in used):
            return self._exact.victims(row)
        lower = by_importance(arrived, self._exact.turn)
        if not lower:
            return (NO_VICTIMS,)
        slots = nodes.allocatable.item(PODS, row) - nodes.pod_count.item(row) - 1 + len(lower)
        spare = [nodes.allocatable.item(n.axis, row) - u - n.amount for n, u in zip(needs, used, strict=True)]
        for placed in lower:
            request = placed.request
            for i, need in enumerate(needs):
                spare[i] += request.get(need.resource, 0)
        short = [f"Insufficient {n.resource}" for n, rest in zip(needs, spare, strict=True) if rest < 0]
        if slots < 0 or short:
            return (*([TOO_MANY_PODS] if slots < 0 else []), *short)

        def comes_back(placed: PlacedPod) -> bool:
            nonlocal slots
            request = placed.request
            after = [rest - request.get(n.resource, 0) for n, rest in zip(needs, spare, strict=True)]
            if slots < 1 or (after and min(after) < 0):
                return False
            slots -= 1
            spare[:] = after
            return True

        return reprieve(row, lower, self._budgets, comes_back)


def _waiting(pods: list[PlacedPod]) -> int:
    """How many have not started; a start changes the order of importance without a trace in the change log."""
    return sum(not p.pod.status.start_time for p in pods)


def method_for(profile: Profile, ctx: CycleContext, memo: VictimMemo, turn: int) -> Method:
    """The cheapest method that is exact for this pod. `turn` decides between equal pods that have not started."""
    raw = list(ctx.snapshot.budgets)
    budgets = Budgets(raw)
    exact = Exact(profile, ctx, budgets, turn)
    moving = [f.plugin for f in profile.filter if f.plugin.filter_scope is not Scope.STATIC]
    speaking = [p for p in moving if speaks(p, ctx)]
    if len(speaking) != 1 or not isinstance(speaking[0], RoomFilter):
        return exact
    names = ctx.snapshot.nodes.resources.values
    needs = [Need(names[axis], axis, amount) for axis, amount in speaking[0].room(ctx)]
    return ByArithmetic(ctx, needs, budgets, exact, memo.rows(ctx.snapshot, ctx.cls, raw, turn))


def lower_pods(ctx: CycleContext, row: int) -> list[PlacedPod]:
    """Pods of the row that this pod may preempt, in the order of their arrival."""
    priority = ctx.cls.priority
    return [p for p in ctx.snapshot.pods_on(row) if p.pod.spec.priority < priority]


def reprieve(
    row: int, lower: list[PlacedPod], budgets: Budgets, comes_back: Callable[[PlacedPod], bool]
) -> Victims | Texts:
    """Let pods come back, those protected by budgets first; who cannot is a victim."""
    violating, others = budgets.split(lower)
    lost = {p.uid for p in violating if not comes_back(p)}
    violations = len(lost)
    lost.update(p.uid for p in others if not comes_back(p))
    if not lost:
        return (NO_VICTIMS,)
    return Victims(row, tuple(p for p in lower if p.uid in lost), violations)


def rows_from(rows: np.typing.NDArray[np.int64], offset: int) -> list[int]:
    """Row numbers, beginning at position `offset` and wrapping round."""
    start = offset % len(rows) if len(rows) else 0
    return [*rows[start:].tolist(), *rows[:start].tolist()]
