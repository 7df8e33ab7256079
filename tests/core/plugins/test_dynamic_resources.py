"""A pod with resource claims waits, and says for what."""

from __future__ import annotations

from volume_world import VolumeWorld, node, pod

from tenantry_core.cycle.decision import Unplaced
from tenantry_core.framework.status import Code
from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.plugins.dynamic_resources import DynamicResources


def test_claims_are_named() -> None:
    wanted = pod("p", resourceClaims=[{"name": "gpu"}, {"name": "nic"}])
    decision = VolumeWorld(node("a")).decide(wanted, DynamicResources())
    assert isinstance(decision, Unplaced)
    assert decision.status.code is Code.UNRESOLVABLE
    assert decision.diagnosis.pre_filter.message == (
        "pod has resource claims [gpu nic], which this scheduler does not allocate"
    )


def test_pods_without_claims_pass() -> None:
    assert VolumeWorld(node("a")).verdict(pod("p"), DynamicResources()) == {"a"}


def test_only_its_own_update_wakes_it() -> None:
    patterns = DynamicResources().events()
    assert not any(p.covers(ClusterEvent(Resource.NODE, Action.ADD)) for p in patterns)
    assert any(p.covers(ClusterEvent(Resource.UNSCHEDULED_POD, Action.UPDATE_OTHER)) for p in patterns)
