"""Which parts of an object an update changed."""

from __future__ import annotations

import pytest
from builders import Builder, NodeBuilder, PlainBuilder, PodBuilder, a_node, a_pod, a_service

from tenantry_core.model.events import Action
from tenantry_core.watch.changes import assigned_pod_changes, node_changes, other_changes, singly

NONE = Action(0)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(a_node(), NONE, id="nothing"),
        pytest.param(a_node().meta(resourceVersion="9"), NONE, id="version-only"),
        pytest.param(a_node().status(conditions=[{"type": "Ready", "status": "True"}]), NONE, id="heartbeat"),
        pytest.param(a_node().allocating(cpu="8"), Action.UPDATE_ALLOCATABLE, id="allocatable"),
        pytest.param(a_node().labelled(disk="ssd"), Action.UPDATE_LABEL, id="label"),
        pytest.param(a_node().taint("key"), Action.UPDATE_TAINT, id="taint"),
        pytest.param(a_node().cordoned(), Action.UPDATE_TAINT, id="cordoned"),
        pytest.param(a_node().meta(annotations={"a": "b"}), Action.UPDATE_ANNOTATION, id="annotation"),
        pytest.param(a_node().status(declaredFeatures=["F"]), Action.UPDATE_DECLARED_FEATURES, id="features"),
        pytest.param(a_node().image("a:v1", 5), Action.UPDATE_OTHER, id="images"),
        pytest.param(a_node().taint("key").labelled(a="b"), Action.UPDATE_TAINT | Action.UPDATE_LABEL, id="two-parts"),
    ],
)
def test_node(new: NodeBuilder, expected: Action) -> None:
    assert node_changes(a_node().build(), new.build()) == expected


def placed() -> PodBuilder:
    return a_pod().asking(cpu="2").on("n1")


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(placed(), NONE, id="nothing"),
        pytest.param(placed().phase("Running"), NONE, id="phase"),
        pytest.param(placed().labelled(app="a"), Action.UPDATE_LABEL, id="T51-label"),
        pytest.param(placed().asking(cpu="1"), Action.SCALE_DOWN, id="asks-for-less"),
        pytest.param(placed().asking(cpu="3"), NONE, id="asks-for-more"),
        pytest.param(placed().terminating(), Action.UPDATE_OTHER, id="deletion-begins"),
    ],
)
def test_pod_that_has_a_node(new: PodBuilder, expected: Action) -> None:
    assert assigned_pod_changes(placed().build(), new.build()) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(a_service("s", {"a": "b"}), a_service("s", {"a": "b"}).meta(resourceVersion="2"), NONE, id="same"),
        pytest.param(a_service("s", {"a": "b"}), a_service("s", {"a": "c"}), Action.UPDATE_OTHER, id="selector"),
        pytest.param(
            PlainBuilder("Namespace", "n"),
            PlainBuilder("Namespace", "n").labelled(team="x"),
            Action.UPDATE_LABEL,
            id="namespace-label",
        ),
    ],
)
def test_other_kinds(old: Builder, new: Builder, expected: Action) -> None:
    assert other_changes(old.build(), new.build()) == expected


def test_flags_come_one_by_one() -> None:
    assert list(singly(Action.UPDATE_TAINT | Action.UPDATE_LABEL)) == [Action.UPDATE_LABEL, Action.UPDATE_TAINT]
    assert list(singly(NONE)) == []
