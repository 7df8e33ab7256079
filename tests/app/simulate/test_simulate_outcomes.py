"""What fits where, what does not and why, what is preempted and whether it comes back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from dumps import node, outcomes, played, pod, template, workload

from tenantry_core.framework.status import SUCCESS, Status, unschedulable
from tenantry_core.plugins.profiles import default_profile

URGENT = {"priorityClassName": "system-cluster-critical"}


def test_pending_pods_of_the_dump_are_tried() -> None:
    answer = played(node("n1"), pod("web-1", on="n1", cpu="3"), pod("web-2", owner="ReplicaSet/web"))
    assert outcomes(answer) == [("shop/web-2", "pending", "placed", "n1")]
    assert answer.pods[0].workload == "ReplicaSet shop/web"
    assert answer.everything_fits
    assert (answer.before.cluster["cpu"].requested, answer.after.cluster["cpu"].requested) == (3000, 4000)


def test_what_does_not_fit_is_grouped_with_reasons_and_numbers() -> None:
    answer = played(node("n1"), node("n2", unschedulable=True), add=[workload(given=template("3"), replicas=3)])
    assert answer.count("placed") == 1
    (group,) = answer.no_place
    assert (group.workload, group.count) == ("Deployment shop/added", 2)
    assert group.report.verdict.startswith("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.")
    short = next(r for r in group.report.reasons if r.text == "Insufficient cpu")
    assert short.examples == [{"node": "n1", "detail": "asks 3, free 1 of 4"}]
    assert [p.reason for p in answer.pods if p.outcome == "unplaced"] == [group.report.verdict] * 2


@pytest.mark.parametrize(
    ("owner", "spare", "then"),
    [
        pytest.param("ReplicaSet/web", True, ("n2", True), id="comes-back-elsewhere"),
        pytest.param("ReplicaSet/web", False, ("", True), id="comes-back-in-vain"),
        pytest.param("", True, ("", False), id="lost"),
    ],
)
def test_preemption(owner: str, spare: bool, then: tuple[str, bool]) -> None:
    nodes = [node("n1"), *([node("n2", cpu="2")] if spare else [])]
    answer = played(*nodes, pod("web-1", on="n1", cpu="2", owner=owner), add=[workload(given=template("4", **URGENT))])
    (gone,) = answer.preemptions
    assert (gone.victim, gone.node, gone.by_priority) == ("shop/web-1", "n1", 2_000_000_000)
    assert (gone.returns_to, gone.returns) == then
    assert ("shop/added-simulated-0", "added", "placed", "n1") in outcomes(answer)
    assert answer.everything_fits == (then == ("n2", True))


def test_an_added_pod_may_be_preempted_by_another_one() -> None:
    late = workload(name="late", given=template("4", {"app": "late"}, **URGENT))
    placed = played(node("n1"), add=[workload(given=template("4")), late])
    assert {(p.workload, p.outcome) for p in placed.pods} == {
        ("Deployment shop/late", "placed"),
        ("Deployment shop/added", "unplaced"),
    }


def test_gated_pods_are_told_apart() -> None:
    answer = played(node("n1"), pod("web-1", schedulingGates=[{"name": "wait.example/here"}]))
    assert outcomes(answer) == [("shop/web-1", "pending", "gated", "")]
    assert "wait.example/here" in answer.no_place[0].report.verdict


def test_a_pod_that_needs_another_one_is_tried_again_once_that_is_placed() -> None:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "late"}}}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    early = workload(name="early", given=template("1", {"app": "early"}, affinity=affinity))
    late = workload(name="late", given=template("1", {"app": "late"}))
    assert played(node("n1"), node("n2"), add=[early, late]).everything_fits


@pytest.mark.parametrize("nodes", [pytest.param(0, id="empty-cluster"), pytest.param(1, id="one-node")])
def test_a_cluster_with_nothing_to_do(nodes: int) -> None:
    answer = played(*[node(f"n{i}") for i in range(nodes)])
    assert answer.everything_fits
    assert answer.notes == ([] if nodes else ["the input holds no node"])


def test_nothing_fits_into_an_empty_cluster() -> None:
    answer = played(add=[workload(replicas=2)])
    assert answer.count("unplaced") == 2
    assert answer.no_place[0].report.verdict == "no nodes available to schedule pods"
    assert answer.capacity[0].fits == 0


def test_pods_of_other_schedulers_are_left_alone_and_added_ones_say_so() -> None:
    theirs = pod("web-1", schedulerName="other")
    answer = played(node("n1"), theirs, add=[workload(given=template(schedulerName="other"))])
    assert answer.notes == ["1 pods are left to the scheduler 'other', of which no profile is given"]
    assert outcomes(answer) == [("shop/added-simulated-0", "added", "unplaced", "")]
    assert "asks for the scheduler 'other'" in answer.no_place[0].report.verdict


def test_every_profile_serves_its_own_pods() -> None:
    profiles = {name: default_profile(name) for name in ("one", "two")}
    answer = played(node("n1"), pod("a-1", schedulerName="two"), add=[workload()], profiles=profiles)
    assert answer.count("placed") == 2


class _Refuses:
    """Reserve says no, or raises."""

    name = "Refuses"

    def __init__(self, fault: bool) -> None:
        self.fault, self.given_back = fault, 0

    def reserve(self, ctx: object, node: str) -> Status:
        if self.fault:
            raise RuntimeError("out of order")
        return unschedulable("not today") if self.given_back == 0 else SUCCESS

    def unreserve(self, ctx: object, node: str) -> None:
        self.given_back += 1


@pytest.mark.parametrize(
    ("fault", "said", "outcome"),
    [
        pytest.param(True, "a plugin failed: RuntimeError: out of order", "unplaced", id="raises"),
        pytest.param(False, "", "placed", id="refuses-once"),
    ],
)
def test_reserve_has_its_say(fault: bool, said: str, outcome: str) -> None:
    profile = default_profile()
    profile = replace(profile, reserve=(*profile.reserve, _Refuses(fault)))
    answer = played(node("n1"), add=[workload()], profiles={"default-scheduler": profile})
    assert [p.outcome for p in answer.pods] == [outcome]
    assert [group.report.verdict for group in answer.no_place] == ([said] if said else [])


def test_pods_on_nodes_that_the_input_lacks_are_noted() -> None:
    answer = played(node("n1"), pod("web-1", on="gone"))
    assert answer.notes == ["1 pods are on 1 nodes that the input lacks: gone"]
    assert answer.before.pods == 0
