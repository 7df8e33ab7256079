"""Kept evaluations change nothing: a cycle that has seen it all decides as one that has seen nothing."""

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from deciding import profile_with
from hypothesis import given, settings
from hypothesis import strategies as st
from spread_worlds import spread_starts
from worlds import CHOSEN, World, changes, full_starts, kinds, numbers, pod_changes, starts

from tenantry_core.cycle import class_eval, grouped
from tenantry_core.cycle.decision import Decision, Placement
from tenantry_core.cycle.message import fit_message
from tenantry_core.cycle.run import Cycle

PROFILE = profile_with()
nominate = st.tuples(st.just("nominate"), kinds, numbers)
drop_nomination = st.tuples(st.just("drop_nomination"))
steps = st.one_of(
    changes,
    st.tuples(st.just("decide"), kinds, st.booleans()),
    st.tuples(st.just("decide"), kinds, st.just(True)),
    nominate,
    drop_nomination,
)


def told(decision: Decision) -> Any:
    """A decision as something to compare."""
    if isinstance(decision, Placement):
        return decision
    status, diagnosis = decision
    hopeless = None if diagnosis.unresolvable is None else np.flatnonzero(diagnosis.unresolvable).tolist()
    return status, fit_message(diagnosis), diagnosis.plugins, hopeless


class LongWay(Cycle):
    """Asks every plugin about every node."""

    def _speaking(self, *_: Any) -> None:
        return None


class Deciding(World):
    """A world with a long-lived cycle; every decision is made three times."""

    def __init__(self, start: tuple[Any, ...], keep: int) -> None:
        self.decided = 0
        super().__init__(start)
        self.cycle = Cycle(self.cache, PROFILE, keep)

    def _decide(self, kind: int, taken: bool) -> None:
        self.decided += 1
        pod = self.pod(kind, 100 + self.decided)
        built = pod.build()
        cls = self.cache.classes.class_of(built)
        others = [Cycle(self.cache, PROFILE, keep=1), LongWay(self.cache, PROFILE, keep=1)]
        for other in others:
            other._cursor = self.cycle._cursor
        kept = self.cycle.decide(built, cls)
        for other in others:
            assert told(kept) == told(other.decide(built, cls))
        if isinstance(kept, Placement) and taken:
            self.cache.assume(built, cls, kept.row)
            self.hold(pod, kept.node)

    def _nominate(self, kind: int, node: int) -> None:
        self.cache.nominate(self.pod(kind, 90 + node).priority(100).build(), f"n{node}")

    def _drop_nomination(self) -> None:
        for uid in list(self.cache.nominations):
            self.cache.clear_nomination(uid)


take = st.tuples(st.just("decide"), kinds, st.just(True))
decide = st.tuples(st.just("decide"), kinds, st.booleans())
WAYS = pytest.mark.parametrize(("few_rows", "keep"), [(24, 256), (0, 2)], ids=["row by row", "as arrays, few kept"])


@WAYS
@settings(max_examples=80)
@given(starts, st.lists(steps, min_size=20, max_size=50))
def test_incremental_equals_fresh(
    few_rows: int, keep: int, start: tuple[Any, ...], sequence: list[tuple[Any, ...]]
) -> None:
    check(Deciding(start, keep), few_rows, sequence)


@WAYS
@settings(max_examples=60)
@given(full_starts, st.lists(st.one_of(decide, pod_changes), min_size=30, max_size=60))
def test_incremental_equals_fresh_while_nodes_fill_up_and_empty(
    few_rows: int, keep: int, start: tuple[Any, ...], sequence: list[tuple[Any, ...]]
) -> None:
    check(Deciding(start, keep), few_rows, sequence)


@WAYS
@settings(max_examples=60)
@given(full_starts, st.lists(st.one_of(take, take, nominate, drop_nomination, pod_changes), min_size=20, max_size=40))
def test_incremental_equals_fresh_while_nodes_are_promised(
    few_rows: int, keep: int, start: tuple[Any, ...], sequence: list[tuple[Any, ...]]
) -> None:
    check(Deciding(start, keep), few_rows, sequence)


@WAYS
@settings(max_examples=100)
@given(spread_starts, st.booleans(), st.lists(st.one_of(take, take, decide, pod_changes), min_size=30, max_size=60))
def test_incremental_equals_fresh_while_pods_spread(
    few_rows: int, keep: int, start: tuple[Any, ...], served: bool, sequence: list[tuple[Any, ...]]
) -> None:
    check(Deciding(start, keep), few_rows, [("service", served), *sequence])


def check(world: Deciding, few_rows: int, sequence: list[tuple[Any, ...]]) -> None:
    with patch.object(class_eval, "FEW_ROWS", few_rows), patch.object(grouped, "FEW_ROWS", few_rows):
        for step in sequence:
            world.apply(step)
        for kind in range(CHOSEN):
            world.apply(("decide", kind, True))
