"""What people may ask of a running scheduler."""

from __future__ import annotations

import pytest
from builders import PodBuilder, a_pod
from loop_kit import Rig

from tenantry_core.control import Control


def control(rig: Rig) -> Control:
    stage = rig.stage
    profiles = {"default-scheduler": stage.profile}
    return Control(stage.cache, stage.queue, rig.writer, profiles, stage.clock, stage.binder.permits)


@pytest.mark.parametrize(
    ("pod", "state", "message"),
    [
        pytest.param(a_pod().on("n1"), "bound", "", id="bound"),
        pytest.param(a_pod(), "active", "would be placed on n1", id="fits"),
        pytest.param(a_pod().asking(cpu="9"), "active", "0/1 nodes are available: 1 Insufficient cpu.", id="no-room"),
        pytest.param(a_pod().spec(schedulerName="x"), "not ours", "scheduler 'x' is not served here", id="not-ours"),
    ],
)
async def test_explain(pod: PodBuilder, state: str, message: str) -> None:
    rig = Rig()
    rig.put(pod)
    found = control(rig).explain("default", "pod")
    assert found is not None
    assert (found.state, found.message) == (state, message)


async def test_explain_knows_what_would_help() -> None:
    rig = Rig()
    async with rig.deciding():
        rig.put(a_pod().asking(cpu="9"))
        await rig.settle()
        found = control(rig).explain("default", "pod")
    assert found is not None
    assert (found.state, found.attempts, found.rejected_by) == ("unschedulable", 1, ("NodeResourcesFit",))
    assert "NodeAdd" in found.helped_by


async def test_explain_scores_the_best_nodes() -> None:
    rig = Rig()
    rig.add_node("n2")
    rig.put(a_pod("busy").asking(cpu="3").on("n1"))
    rig.put(a_pod().asking(cpu="1"))
    found = control(rig).explain("default", "pod")
    assert found is not None
    assert next(iter(found.scores)) == "n2"
    assert found.scores["n2"]["total"] > found.scores["n1"]["total"]


async def test_unknown_pod() -> None:
    assert control(Rig()).explain("default", "nobody") is None


async def test_queue_and_nominations() -> None:
    rig = Rig()
    rig.put(a_pod("a").status(nominatedNodeName="n1"))
    asked = control(rig)
    assert [line["pod"] for line in asked.queue_dump()] == ["default/a"]
    assert asked.nominations() == [{"pod": "default/a", "node": "n1"}]
