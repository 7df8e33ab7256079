"""A guard around a plugin written in the vector form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plugin_samples import cluster, context, guards

from tenantry_core.framework.columns import ALL
from tenantry_core.framework.guard import GuardState
from tenantry_core.framework.guarded import GuardedPlugin
from tenantry_core.framework.plugin import (
    FilterPlugin,
    Normalize,
    PreFilterPlugin,
    PreFilterResult,
    Refusal,
    Scope,
    ScorePlugin,
)
from tenantry_core.framework.status import SUCCESS, Code


class Vector:
    """Filters by a given mask and scores by given numbers; raises what it is told to."""

    name = "Vector"
    filter_scope = Scope.ROW
    score_scope = Scope.ROW
    normalization = Normalize.NONE

    def __init__(self, mask: Any = None, numbers: Any = None) -> None:
        self.mask, self.numbers = mask, numbers

    def pre_filter(self, ctx: Any) -> PreFilterResult:
        if self.mask is None:
            raise RuntimeError
        return PreFilterResult(SUCCESS)

    def filter(self, ctx: Any, rows: Any) -> Any:
        if self.mask is None:
            raise RuntimeError
        return self.mask

    def refusals(self, ctx: Any, rows: Any) -> Any:
        return (Refusal("no", np.ones(len(rows), dtype=np.bool_)),)

    def score(self, ctx: Any, rows: Any) -> Any:
        return self.numbers


def test_points_and_declarations_are_those_of_the_plugin_inside() -> None:
    guarded = GuardedPlugin(Vector(), guards().make("Vector"))
    assert isinstance(guarded, FilterPlugin)
    assert isinstance(guarded, ScorePlugin)
    assert isinstance(guarded, PreFilterPlugin)
    assert not hasattr(guarded, "normalize")
    assert guarded.filter_scope is Scope.ROW


def test_good_answers_pass() -> None:
    mask, numbers = np.array([True, False, True]), np.array([1, 2, 100])
    guarded: Any = GuardedPlugin(Vector(mask, numbers), guards().make("Vector"))
    ctx = context(cluster())
    assert guarded.filter(ctx, ALL) is mask
    assert guarded.score(ctx, ALL).tolist() == [1, 2, 100]
    assert guarded.refusals(ctx, np.array([1]))[0].reason == "no"
    assert guarded.pre_filter(ctx).status.ok


MASKS = {"none": None, "wrong length": np.ones(2, dtype=np.bool_), "not bool": np.ones(3, dtype=np.int64)}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_a_bad_filter_refuses_by_name_then_steps_aside(mask: Any) -> None:
    shared = guards()
    guarded: Any = GuardedPlugin(Vector(mask), shared.make("Vector"))
    ctx = context(cluster())
    assert [bool(guarded.filter(ctx, ALL).any()) for _ in range(3)] == [False, False, True]
    assert shared.state("Vector") is GuardState.ISOLATED


NUMBERS = {"above": [0, 0, 101], "below": [-1, 0, 0], "floats": [0.5, 0.5, 0.5], "short": [1]}


@pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS)
def test_a_bad_score_adds_nothing(numbers: list[Any]) -> None:
    guarded: Any = GuardedPlugin(Vector(numbers=numbers), guards().make("Vector"))
    assert guarded.score(context(cluster()), ALL).tolist() == [0, 0, 0]


def test_a_pre_filter_that_raises() -> None:
    guarded: Any = GuardedPlugin(Vector(), guards().make("Vector"))
    ctx = context(cluster())
    codes = [guarded.pre_filter(ctx).status.code for _ in range(3)]
    assert codes == [Code.UNSCHEDULABLE, Code.UNSCHEDULABLE, Code.SKIP]
