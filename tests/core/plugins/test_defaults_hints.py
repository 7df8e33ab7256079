"""Which events wake a pod that a built-in plugin rejected (T51): none that could help is missed."""

from typing import Any

import pytest
from builders import ZONE, PodBuilder, a_namespace, a_node, a_pod, expression, labels_term

from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.plugins.node_affinity import NodeAffinity
from tenantry_core.plugins.node_ports import NodePorts
from tenantry_core.plugins.node_resources import NodeResourcesFit
from tenantry_core.plugins.node_rules import NodeName, NodeUnschedulable
from tenantry_core.plugins.pod_affinity import InterPodAffinity
from tenantry_core.plugins.profiles import default_profile
from tenantry_core.plugins.taint_toleration import TaintToleration
from tenantry_core.plugins.topology_spread import PodTopologySpread

A = {"app": "a"}
NEAR = a_pod("near").near(ZONE, A)
APART = a_pod("apart").apart(ZONE, A)
SPREAD = a_pod("spread").labelled(A).spread(ZONE, A)


def node(action: Action, new: Any, old: Any = None) -> ClusterEvent:
    gone = action is Action.DELETE
    before = old or (new if gone else None)
    return ClusterEvent(Resource.NODE, action, before and before.build(), None if gone else new.build())


def placed(action: Action, new: PodBuilder, old: PodBuilder | None = None) -> ClusterEvent:
    gone = action is Action.DELETE
    before = old or (new if gone else None)
    on = (before.copy().on("n1").build() if before else None, None if gone else new.copy().on("n1").build())
    return ClusterEvent(Resource.ASSIGNED_POD, action, *on)


def waiting(action: Action, new: PodBuilder) -> ClusterEvent:
    return ClusterEvent(Resource.UNSCHEDULED_POD, action, new.build(), new.build())


MATCH, OTHER = a_pod("match").labelled(A), a_pod("other")
NS = ClusterEvent(Resource.NAMESPACE, Action.UPDATE_LABEL, a_namespace("x").build(), a_namespace("x", t="r").build())

WAKES: dict[str, tuple[Any, PodBuilder, ClusterEvent, bool]] = {
    "near: the match is relabelled": (InterPodAffinity(), NEAR, placed(Action.UPDATE_LABEL, MATCH, OTHER), True),
    "near: the match arrives": (InterPodAffinity(), NEAR, placed(Action.ADD, MATCH), True),
    "near: a namespace is relabelled": (InterPodAffinity(), NEAR, NS, True),
    "near: the pod itself is relabelled": (InterPodAffinity(), NEAR, waiting(Action.UPDATE_LABEL, NEAR), True),
    "near: a node with the key": (InterPodAffinity(), NEAR, node(Action.ADD, a_node().zone("z")), True),
    "near: a node without the key": (InterPodAffinity(), NEAR, node(Action.ADD, a_node()), False),
    "near: a node got the key": (
        InterPodAffinity(),
        NEAR,
        node(Action.UPDATE_LABEL, a_node().zone("z"), a_node()),
        True,
    ),
    "near: a pod's room changes": (InterPodAffinity(), NEAR, placed(Action.SCALE_DOWN, MATCH, MATCH), False),
    "apart: the other is relabelled": (InterPodAffinity(), APART, placed(Action.UPDATE_LABEL, OTHER, MATCH), True),
    "apart: the other goes": (InterPodAffinity(), APART, placed(Action.DELETE, MATCH), True),
    "apart: a node without any label": (InterPodAffinity(), APART, node(Action.ADD, a_node().meta(labels={})), True),
    "apart: a node lost the key": (
        InterPodAffinity(),
        APART,
        node(Action.UPDATE_LABEL, a_node(), a_node().zone("z")),
        True,
    ),
    "kept away by pods in place: a bare node": (
        InterPodAffinity(),
        a_pod().labelled(A),
        node(Action.ADD, a_node().meta(labels={})),
        True,
    ),
    "spread: a match goes": (PodTopologySpread(), SPREAD, placed(Action.DELETE, MATCH), True),
    "spread: a match arrives elsewhere": (PodTopologySpread(), SPREAD, placed(Action.ADD, MATCH), True),
    "spread: a match is relabelled": (PodTopologySpread(), SPREAD, placed(Action.UPDATE_LABEL, OTHER, MATCH), True),
    "spread: a match begins to end": (
        PodTopologySpread(),
        SPREAD,
        placed(Action.UPDATE_OTHER, MATCH.copy().terminating(), MATCH),
        True,
    ),
    "spread: something else about a match": (
        PodTopologySpread(),
        SPREAD,
        placed(Action.UPDATE_OTHER, MATCH, MATCH),
        False,
    ),
    "spread: a pod of another namespace": (
        PodTopologySpread(),
        SPREAD,
        placed(Action.DELETE, a_pod("m", "elsewhere").labelled(A)),
        False,
    ),
    "spread: a node with the key": (PodTopologySpread(), SPREAD, node(Action.ADD, a_node().zone("z")), True),
    "spread: a node without the key": (PodTopologySpread(), SPREAD, node(Action.ADD, a_node()), False),
    "spread: a node that pinned the least goes": (
        PodTopologySpread(),
        SPREAD,
        node(Action.DELETE, a_node().zone("z")),
        True,
    ),
    "spread: a node lost the key": (
        PodTopologySpread(),
        SPREAD,
        node(Action.UPDATE_LABEL, a_node(), a_node().zone("z")),
        True,
    ),
    "spread: taints change": (PodTopologySpread(), SPREAD, node(Action.UPDATE_TAINT, a_node().zone("z")), True),
    "spread: keys of soft constraints do not matter": (
        PodTopologySpread(),
        SPREAD.copy().spread("rack", A, whenUnsatisfiable="ScheduleAnyway"),
        node(Action.ADD, a_node().zone("z")),
        True,
    ),
    "spread: the pod itself is changed": (PodTopologySpread(), SPREAD, waiting(Action.UPDATE_OTHER, SPREAD), True),
    "room: a pod goes": (NodeResourcesFit(), a_pod().asking(cpu="1"), placed(Action.DELETE, OTHER), True),
    "room: a pod shrinks": (NodeResourcesFit(), a_pod().asking(cpu="1"), placed(Action.SCALE_DOWN, OTHER, OTHER), True),
    "room: a node large enough": (NodeResourcesFit(), a_pod().asking(cpu="4"), node(Action.ADD, a_node()), True),
    "room: a node too small": (NodeResourcesFit(), a_pod().asking(cpu="5"), node(Action.ADD, a_node()), False),
    "room: a node without slots": (NodeResourcesFit(), a_pod(), node(Action.ADD, a_node().allocating(pods="0")), False),
    "room: a node grew": (
        NodeResourcesFit(),
        a_pod().asking(cpu="5"),
        node(Action.UPDATE_ALLOCATABLE, a_node().allocating(cpu="8"), a_node()),
        True,
    ),
    "room: only ignored resources are missing": (
        NodeResourcesFit(ignored=frozenset({"vendor.example/gpu"})),
        a_pod().asking({"vendor.example/gpu": "1"}),
        node(Action.ADD, a_node()),
        True,
    ),
    "room: labels change": (NodeResourcesFit(), a_pod(), node(Action.UPDATE_LABEL, a_node()), False),
    "taint: gone": (TaintToleration(), a_pod(), node(Action.UPDATE_TAINT, a_node(), a_node().taint("x")), True),
    "taint: another one": (TaintToleration(), a_pod(), node(Action.UPDATE_TAINT, a_node().taint("x")), False),
    "taint: a clean node": (TaintToleration(), a_pod(), node(Action.ADD, a_node()), True),
    "taint: a new toleration": (TaintToleration(), a_pod(), waiting(Action.UPDATE_OTHER, a_pod()), True),
    "cordon: lifted": (NodeUnschedulable(), a_pod(), node(Action.UPDATE_TAINT, a_node(), a_node().cordoned()), True),
    "name: the node comes": (NodeName(), a_pod().on("node"), node(Action.ADD, a_node()), True),
    "selector: a node that matches": (
        NodeAffinity(),
        a_pod().selecting(disk="fast"),
        node(Action.UPDATE_LABEL, a_node().labelled(disk="fast"), a_node()),
        True,
    ),
    "selector: a node that does not": (
        NodeAffinity(),
        a_pod().selecting(disk="fast"),
        node(Action.ADD, a_node()),
        False,
    ),
    "terms: any that matches": (
        NodeAffinity(),
        a_pod().wants_nodes(labels_term(expression("a", "Exists")), labels_term(expression("disk", "Exists"))),
        node(Action.ADD, a_node().labelled(disk="fast")),
        True,
    ),
    "ports: the holder goes": (NodePorts(), a_pod().port(80), placed(Action.DELETE, a_pod("h").port(80)), True),
    "ports: another port's holder goes": (
        NodePorts(),
        a_pod().port(80),
        placed(Action.DELETE, a_pod("h").port(80, "UDP")),
        False,
    ),
    "ports: a node comes": (NodePorts(), a_pod().port(80), node(Action.ADD, a_node()), True),
}


@pytest.mark.parametrize(("plugin", "pod", "event", "want"), WAKES.values(), ids=[f"T51 {key}" for key in WAKES])
def test_wakes(plugin: Any, pod: PodBuilder, event: ClusterEvent, want: bool) -> None:
    covered = any(pattern.covers(event) for pattern in plugin.events())
    hint = getattr(plugin, "hint", lambda pod, event: True)
    assert (covered and hint(pod.build(), event)) is want


def test_every_default_plugin_that_can_refuse_says_what_could_help() -> None:
    profile = default_profile()
    silent = {f.name for f in profile.filter if not f.plugin.events()}  # type: ignore[attr-defined]
    assert silent <= {"NodeDeclaredFeatures", "DynamicResources"}
    assert all(p.events() for p in (*profile.pre_enqueue, *profile.post_filter))  # type: ignore[attr-defined]
