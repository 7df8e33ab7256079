"""What an update of a pending pod changed, in the terms that plugins name. Source: kube-scheduler 1.36."""

from __future__ import annotations

import msgspec

from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.model.objects import Pod
from tenantry_core.model.requests import effective_request


def pod_changes(old: Pod, new: Pod) -> tuple[ClusterEvent, ...]:
    """Events that tell the difference, one action each. Empty where only the status, the resource version or the
    managed fields differ: scheduling sees no change in these."""
    if old.spec == new.spec and _without_versions(old) == _without_versions(new):
        return ()
    actions: list[Action] = []
    if (old.metadata.labels or {}) != (new.metadata.labels or {}):
        actions.append(Action.UPDATE_LABEL)
    if _scaled_down(old, new):
        actions.append(Action.SCALE_DOWN)
    if old.spec.scheduling_gates and not new.spec.scheduling_gates:
        actions.append(Action.GATES_ELIMINATED)
    if not actions or (old.spec.tolerations or ()) != (new.spec.tolerations or ()):
        actions.append(Action.UPDATE_OTHER)
    return tuple(ClusterEvent(Resource.UNSCHEDULED_POD, action, old, new) for action in actions)


def _without_versions(pod: Pod) -> msgspec.Struct:
    return msgspec.structs.replace(pod.metadata, resource_version="", generation=0)


def _scaled_down(old: Pod, new: Pod) -> bool:
    """Whether the pod asks for less of anything."""
    if old.spec == new.spec:
        return False
    before, after = effective_request(old), effective_request(new)
    return any(amount > after.get(name, 0) for name, amount in before.items())
