"""Required features of a pod against those that nodes declare."""

from __future__ import annotations

from typing import Any

import pytest
from volume_world import VolumeWorld, pod

from tenantry_core.model.decode import from_builtins
from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.model.objects import PodSpec
from tenantry_core.plugins.node_declared_features import NodeDeclaredFeatures


def _on_host_network(spec: PodSpec) -> bool:
    return spec.host_network


def _plugin() -> NodeDeclaredFeatures:
    return NodeDeclaredFeatures({"Special": _on_host_network})


def _node(name: str, *features: str) -> Any:
    status = {"allocatable": {"pods": "9"}, "declaredFeatures": list(features)}
    return from_builtins("Node", {"metadata": {"name": name}, "status": status})


@pytest.mark.parametrize(
    ("nodes", "host", "verdict"),
    [
        pytest.param([_node("a"), _node("b", "Special")], True, {"b"}, id="declared"),
        pytest.param(
            [_node("a"), _node("b", "Other")], True, "2 node(s) didn't match Pod's required features.", id="no"
        ),
        pytest.param([_node("a"), _node("b", "Other", "Special")], True, {"b"}, id="among others"),
        pytest.param([_node("a"), _node("b")], False, {"a", "b"}, id="nothing required"),
    ],
)
def test_required_features(nodes: list[Any], host: bool, verdict: object) -> None:
    assert VolumeWorld(*nodes).verdict(pod("p", hostNetwork=host), _plugin()) == verdict


@pytest.mark.parametrize(
    ("event", "wakes"),
    [
        pytest.param(ClusterEvent(Resource.NODE, Action.ADD, None, _node("a")), True, id="node came"),
        pytest.param(
            ClusterEvent(Resource.NODE, Action.UPDATE_DECLARED_FEATURES, _node("a"), _node("a", "Special")),
            True,
            id="declares more",
        ),
        pytest.param(
            ClusterEvent(Resource.NODE, Action.UPDATE_DECLARED_FEATURES, _node("a", "X"), _node("a", "X")),
            False,
            id="declares the same",
        ),
        pytest.param(
            ClusterEvent(
                Resource.UNSCHEDULED_POD, Action.UPDATE_OTHER, pod("p", hostNetwork=True), pod("p", hostNetwork=False)
            ),
            True,
            id="requires less",
        ),
        pytest.param(
            ClusterEvent(Resource.UNSCHEDULED_POD, Action.UPDATE_OTHER, pod("p"), pod("p")),
            False,
            id="requires the same",
        ),
    ],
)
def test_wakes(event: ClusterEvent, wakes: bool) -> None:
    plugin = _plugin()
    assert any(pattern.covers(event) for pattern in plugin.events())
    assert plugin.hint(pod("p", hostNetwork=True), event) is wakes


def test_plain_pods_require_nothing() -> None:
    world = VolumeWorld(_node("a"))
    assert NodeDeclaredFeatures().skips(world.context(pod("p")))
