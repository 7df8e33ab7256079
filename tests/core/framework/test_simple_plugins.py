"""Simple plugins behave as vector plugins once adapted."""

from __future__ import annotations

import numpy as np
import pytest
from plugin_samples import ByIndex, EvenOnly, NotLast, cluster, context, guards

from tenantry_core.framework.columns import ALL
from tenantry_core.framework.constraint import Constraint
from tenantry_core.framework.guard import BadValueError, GuardState
from tenantry_core.framework.plugin import EnqueueExtensions, FilterPlugin, Normalize, Scope, ScorePlugin
from tenantry_core.framework.simple import NodeView
from tenantry_core.framework.simple import ScorePlugin as SimpleScore
from tenantry_core.framework.simple_adapter import adapt, points, verdict
from tenantry_core.framework.views import Task


def test_each_role_serves_its_point_only() -> None:
    shared = guards()
    roles = [adapt(p, shared.make(p.name())) for p in (EvenOnly(), ByIndex(), NotLast())]
    found = [[isinstance(r, kind) for kind in (FilterPlugin, ScorePlugin, Constraint)] for r in roles]
    assert found == [[True, False, False], [False, True, False], [False, False, True]]
    assert all(isinstance(r, EnqueueExtensions) for r in roles)
    assert [r.name for r in roles] == ["EvenOnly", "ByIndex", "NotLast"]


def test_one_class_may_have_all_roles() -> None:
    class Both(EvenOnly, ByIndex, NotLast):
        def name(self) -> str:
            return "Both"

    adapted = adapt(Both(), guards().make("Both"))
    assert isinstance(adapted, FilterPlugin)
    assert isinstance(adapted, ScorePlugin)
    assert isinstance(adapted, Constraint)


def test_filter_and_its_reasons() -> None:
    cache = cluster()
    adapted = adapt(EvenOnly(), guards().make("EvenOnly"))
    assert isinstance(adapted, FilterPlugin)
    ctx = context(cache)
    assert adapted.filter(ctx, ALL).tolist() == [True, False, True]
    assert adapted.filter(ctx, np.array([1, 2])).tolist() == [False, True]
    (refusal,) = adapted.refusals(ctx, np.array([1]))
    assert (refusal.reason, refusal.rows.tolist(), refusal.unresolvable) == ("node(s) had an odd index", [True], False)
    assert adapted.filter_scope is Scope.GLOBAL


def test_rows_without_a_node_are_not_asked() -> None:
    cache = cluster()
    cache.nodes.remove("n0")
    adapted = adapt(EvenOnly(), guards().make("EvenOnly"))
    assert isinstance(adapted, FilterPlugin)
    assert adapted.filter(context(cache), ALL).tolist() == [False, False, True]


def test_scores_are_points() -> None:
    adapted = adapt(ByIndex(), guards().make("ByIndex"))
    assert isinstance(adapted, ScorePlugin)
    scores = adapted.score(context(cluster(8)), np.array([0, 1, 7]))
    assert (scores.tolist(), scores.dtype) == ([0, 10, 70], np.dtype(np.int64))


@pytest.mark.parametrize(
    ("given", "expected"),
    [(0.0, 0), (1.0, 100), (0.999, 99), (0.295, 29), (1, 100), (np.float64(0.5), 50)],
)
def test_points_are_cut(given: float, expected: int) -> None:
    assert points(given) == expected


@pytest.mark.parametrize("given", [-0.01, 1.01, float("nan"), float("inf"), "1", None, True, 50])
def test_values_outside_the_range(given: object) -> None:
    with pytest.raises(BadValueError):
        points(given)


@pytest.mark.parametrize("given", [None, 1, "", 0.5])
def test_verdicts_that_are_none(given: object) -> None:
    with pytest.raises(BadValueError):
        verdict("X", given)


def test_a_filter_that_raises_refuses_by_name_then_steps_aside() -> None:
    class Broken(EvenOnly):
        def filter(self, task: Task, node: NodeView) -> bool | str:
            raise RuntimeError("boom")

    shared = guards()
    adapted = adapt(Broken(), shared.make("EvenOnly"))
    assert isinstance(adapted, FilterPlugin)
    ctx = context(cluster())
    assert not adapted.filter(ctx, ALL).any()
    (refusal,) = adapted.refusals(ctx, np.array([0, 1, 2]))
    assert refusal.reason == 'plugin "EvenOnly" failed (raised)'
    assert adapted.filter(ctx, ALL).all()
    assert shared.state("EvenOnly") is GuardState.ISOLATED


def test_a_score_that_fails_adds_nothing() -> None:
    class Wild(ByIndex):
        def score(self, task: Task, node: NodeView) -> float:
            return 7.0

    adapted = adapt(Wild(), guards().make("ByIndex"))
    assert isinstance(adapted, ScorePlugin)
    assert adapted.score(context(cluster()), ALL).tolist() == [0, 0, 0]


def test_a_score_that_hangs_is_unloaded() -> None:
    class Stuck(ByIndex):
        def score(self, task: Task, node: NodeView) -> float:
            while True:
                pass

    shared = guards(hang_seconds=0.1)
    adapted = adapt(Stuck(), shared.make("ByIndex"))
    assert isinstance(adapted, ScorePlugin)
    assert adapted.score(context(cluster()), ALL).tolist() == [0, 0, 0]
    assert shared.state("ByIndex") is GuardState.UNLOADED


def test_constraints_say_why() -> None:
    adapted = adapt(NotLast(), guards().make("NotLast"))
    assert isinstance(adapted, Constraint)
    ctx = context(cluster())
    assert adapted.constrain(ctx, 0) is None
    assert adapted.constrain(ctx, 2) == "node(s) refused by plugin NotLast"


def test_stretched_scores_are_never_kept_by_row() -> None:
    class Stretched(ByIndex):
        scope = Scope.ROW
        normalization = Normalize.DEFAULT

    adapted = adapt(Stretched(), guards().make("ByIndex"))
    assert isinstance(adapted, ScorePlugin)
    assert adapted.score_scope is Scope.GLOBAL


def test_views_show_the_live_columns() -> None:
    cache = cluster()
    ctx = context(cache, labels={"app": "x"})
    cache.assume(ctx.pod, ctx.cls, 1)
    node, task = NodeView(cache.nodes, 1), Task(ctx.pod, ctx.cls)
    assert (node.name, node.labels["zone"], node.taints[0].key) == ("n1", "z1", "k")
    assert (node.allocatable["cpu"], node.requested["cpu"], node.free("cpu")) == (4000, 500, 3500)
    assert (node.pods, node.pod_slots, node.free("vendor.example/gpu")) == (1, 10, 0)
    assert (task.name, task.namespace, task.labels, task.priority) == ("p", "default", {"app": "x"}, 0)
    assert task.requests["memory"] == 1 << 30
    with pytest.raises(AttributeError):
        node.row = 2  # type: ignore[misc]


def test_only_abstract_roles_are_abstract() -> None:
    with pytest.raises(TypeError):
        SimpleScore()  # type: ignore[abstract]
