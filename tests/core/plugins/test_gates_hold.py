"""Scheduling gates hold a pod out of the queue until the last one is lifted."""

from typing import Any

import pytest
from builders import a_pod

from tenantry_core.framework.status import Code
from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.plugins.scheduling_gates import SchedulingGates


@pytest.mark.parametrize(
    ("gates", "message"),
    [
        (None, ""),
        ([], ""),
        (["a"], "waiting for scheduling gates: [a]"),
        (["a", "b.example/c"], "waiting for scheduling gates: [a b.example/c]"),
    ],
    ids=["null", "none", "one", "two"],
)
def test_gates(gates: list[str] | None, message: str) -> None:
    given: Any = None if gates is None else [{"name": g} for g in gates]
    status = SchedulingGates().pre_enqueue(a_pod().spec(schedulingGates=given).build())
    assert status.message == message
    assert status.code is (Code.UNRESOLVABLE if message else Code.SUCCESS)


def test_lifting_the_gates_is_the_event_that_helps() -> None:
    (pattern,) = SchedulingGates().events()
    assert pattern.covers(ClusterEvent(Resource.UNSCHEDULED_POD, Action.GATES_ELIMINATED))
    assert not pattern.covers(ClusterEvent(Resource.NODE, Action.ADD))
