"""What `explain pod` says: per reason, per node, with numbers; and that looking changes nothing."""

from __future__ import annotations

import io

import pytest
from builders import Builder, PodBuilder, a_cluster, a_node, a_pod
from rich.console import Console

from tenantry.explain.render import show
from tenantry.explain.report import PodReport, report
from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.plugins.profiles import default_profile


def explained(pod: PodBuilder, *others: Builder) -> tuple[PodReport, ClusterCache]:
    cache = a_cluster(*others)
    return report(cache, default_profile(), pod.build()), cache


def told(found: PodReport) -> str:
    console = Console(file=io.StringIO(), width=200)
    show(found, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


NODES = (a_node("a").allocating(cpu="4"), a_node("b").allocating(cpu="2").taint("gpu", value="yes"))


@pytest.mark.parametrize(
    ("pod", "reason", "detail", "outlook"),
    [
        pytest.param(a_pod().asking(cpu="9"), "Insufficient cpu", "asks 9, free 4 of 4", "never", id="too big"),
        pytest.param(
            a_pod().asking(cpu="3").tolerating(operator="Exists"),
            "Insufficient cpu",
            "asks 3, free 2 of 2",
            "never",
            id="too big for one node",
        ),
        pytest.param(
            a_pod().asking(cpu="9"), "node(s) had untolerated taint(s)", "gpu=yes:NoSchedule", "never", id="taint"
        ),
        pytest.param(
            a_pod().selecting(disk="ssd"),
            "node(s) didn't match Pod's node affinity/selector",
            "disk=<none>",
            "never",
            id="selector",
        ),
    ],
)
def test_reasons_have_numbers(pod: PodBuilder, reason: str, detail: str, outlook: str) -> None:
    busy = a_pod("busy").asking(cpu="1500m").on("a")
    found, _ = explained(pod, *NODES, *([busy] if "one node" in detail or outlook == "later" else []))
    if not found.reasons:
        assert found.feasible
        return
    by_text = {r.text: r for r in found.reasons}
    assert by_text[reason].outlook == outlook
    assert detail in [e["detail"] for e in by_text[reason].examples]
    assert detail in told(found)


def test_room_that_others_hold_may_come_later() -> None:
    found, _ = explained(a_pod().asking(cpu="3"), NODES[0], a_pod("busy").asking(cpu="2").on("a"))
    assert [(r.text, r.outlook, r.nodes) for r in found.reasons] == [("Insufficient cpu", "later", 1)]
    assert "AssignedPodDelete" in found.helped_by
    assert found.preemption.endswith("1 No preemption victims found for incoming pod.")


def test_preemption_is_told_and_not_done() -> None:
    victim = a_pod("low").asking(cpu="4").on("a")
    found, cache = explained(a_pod("high").priority(9).asking(cpu="3"), NODES[0], victim)
    assert found.preemption == "would take a from default/low"
    assert cache.placed("default/low") is not None
    assert not cache.nominations


def test_a_pod_that_fits_shows_the_best_nodes_first() -> None:
    found, _ = explained(a_pod().asking(cpu="1"), NODES[0], a_node("c").allocating(cpu="8"))
    assert found.state == "pending" and found.feasible == 2
    assert [c.total for c in found.candidates] == sorted((c.total for c in found.candidates), reverse=True)
    assert found.candidates[0].total == sum(found.candidates[0].scores.values())


def test_a_placed_pod_is_compared_with_what_would_be_chosen_today() -> None:
    here = a_pod("here").asking(cpu="1").on("a")
    found, cache = explained(here, NODES[0], a_node("c").allocating(cpu="64"), here)
    assert (found.state, found.node) == ("placed", "a")
    assert "would score higher" in found.verdict
    placed = cache.placed("default/here")
    assert placed is not None and cache.nodes.names[placed.row] == "a"


@pytest.mark.parametrize(
    ("pod", "state", "said"),
    [
        pytest.param(a_pod().phase("Succeeded").on("a"), "finished", "holds nothing", id="ended"),
        pytest.param(
            a_pod().spec(schedulingGates=[{"name": "wait"}]),
            "gated",
            "waiting for scheduling gates: [wait]",
            id="gated",
        ),
    ],
)
def test_pods_that_are_not_tried(pod: PodBuilder, state: str, said: str) -> None:
    found, _ = explained(pod, *NODES)
    assert (found.state, said in found.verdict) == (state, True)
    assert said in told(found)
