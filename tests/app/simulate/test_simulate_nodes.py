"""Nodes that are added and drained."""

from __future__ import annotations

from typing import Any

import pytest
from dumps import loaded, node, outcomes, played, pod, workload

from tenantry.simulate.nodes import clones


def budget(allowed: int, app: str = "web") -> dict[str, Any]:
    spec = {"selector": {"matchLabels": {"app": app}}}
    meta = {"name": app, "namespace": "shop"}
    status = {"disruptionsAllowed": allowed}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta, "spec": spec, "status": status}


def test_clones_are_new_nodes_in_service() -> None:
    taints = [{"key": "team", "effect": "NoSchedule"}, {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]
    like = loaded(node("n1", unschedulable=True, taints=taints)).nodes["n1"]
    found = clones(like, 2, ["n1", "n1-added-1"])
    assert [n.metadata.name for n in found] == ["n1-added-2", "n1-added-3"]
    assert [(n.metadata.labels or {})["kubernetes.io/hostname"] for n in found] == ["n1-added-2", "n1-added-3"]
    assert [t.key for t in found[0].spec.taints or ()] == ["team"]
    assert not found[0].spec.unschedulable
    assert len({n.metadata.uid for n in found}) == 2


def test_added_nodes_take_pods_and_the_daemons_of_the_dump() -> None:
    daemon = workload("DaemonSet", "agent")
    like = loaded(node("n1")).nodes["n1"]
    answer = played(node("n1", cpu="1"), daemon, pod("web-1", cpu="3"), nodes=clones(like, 1, ["n1"]))
    assert outcomes(answer) == [
        ("shop/agent-0", "added", "placed", "n1-added-1"),
        ("shop/web-1", "pending", "placed", "n1-added-1"),
    ]
    assert (answer.before.nodes, answer.after.nodes) == (1, 2)


@pytest.mark.parametrize(
    ("one", "counts"),
    [
        pytest.param(pod("web-1", on="n1", owner="ReplicaSet/web"), (1, 0, 0), id="comes-back"),
        pytest.param(pod("web-1", on="n1", owner="DaemonSet/web"), (0, 1, 0), id="daemon"),
        pytest.param(pod("web-1", on="n1", owner="Node/n1"), (0, 1, 0), id="static"),
        pytest.param(pod("web-1", on="n1"), (0, 0, 1), id="bare"),
    ],
)
def test_drain(one: dict[str, Any], counts: tuple[int, int, int]) -> None:
    answer = played(node("n1"), node("n2"), one, drain=["n1"])
    drained = answer.as_dict()["drain"]
    assert (drained["displaced"], drained["with_their_node"], len(drained["lost"])) == counts
    assert outcomes(answer) == ([("shop/web-1", "drained", "placed", "n2")] if counts[0] else [])
    assert answer.everything_fits == (not counts[2])
    assert answer.after.nodes == 1


@pytest.mark.parametrize(
    ("allowed", "blocks"), [pytest.param(2, False, id="allows-both"), pytest.param(1, True, id="allows-one")]
)
def test_budgets_of_drained_pods(allowed: int, blocks: bool) -> None:
    pods = [pod(f"web-{i}", on="n1", owner="ReplicaSet/web") for i in range(2)]
    answer = played(node("n1"), node("n2"), *pods, budget(allowed), budget(0, "other"), drain=["n1"])
    (found,) = answer.as_dict()["drain"]["budgets"]
    assert found == {"budget": "shop/web", "allowed": allowed, "evicted": 2, "blocks": blocks}


def test_drained_pods_without_room_have_no_place() -> None:
    one = pod("web-1", on="n1", cpu="3", owner="ReplicaSet/web")
    answer = played(node("n1"), node("n2", cpu="2"), one, drain=["n1"])
    assert outcomes(answer) == [("shop/web-1", "drained", "unplaced", "")]
    assert answer.no_place[0].report.verdict.startswith("0/1 nodes are available: 1 Insufficient cpu.")
