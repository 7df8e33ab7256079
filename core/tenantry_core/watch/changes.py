"""Which parts of an object an update changed, in the terms that plugins name. Pure.

Source: NodeSchedulingPropertiesChange and PodSchedulingPropertiesChange of kube-scheduler 1.36. Changes of a pending
pod are worked out by the queue, which knows the version it holds. Node conditions are not read by any plugin, so a
heartbeat changes nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tenantry_core.model.events import Action
from tenantry_core.model.objects import Node, ObjectMeta, Pod
from tenantry_core.model.requests import effective_request

NOTHING = Action(0)


def node_changes(old: Node, new: Node) -> Action:
    """Flags of everything about a node that may let a pod in or keep it out."""
    changed = NOTHING
    if (old.status.allocatable or {}) != (new.status.allocatable or {}):
        changed |= Action.UPDATE_ALLOCATABLE
    if (old.metadata.labels or {}) != (new.metadata.labels or {}):
        changed |= Action.UPDATE_LABEL
    if (old.spec.taints or ()) != (new.spec.taints or ()) or old.spec.unschedulable != new.spec.unschedulable:
        changed |= Action.UPDATE_TAINT
    if (old.metadata.annotations or {}) != (new.metadata.annotations or {}):
        changed |= Action.UPDATE_ANNOTATION
    if (old.status.declared_features or ()) != (new.status.declared_features or ()):
        changed |= Action.UPDATE_DECLARED_FEATURES
    if (old.status.images or ()) != (new.status.images or ()):
        changed |= Action.UPDATE_OTHER
    return changed


def assigned_pod_changes(old: Pod, new: Pod) -> Action:
    """Flags of what a pod that has a node changed for others: its labels, what it takes, that it is going."""
    changed = NOTHING
    if (old.metadata.labels or {}) != (new.metadata.labels or {}):
        changed |= Action.UPDATE_LABEL
    if _takes_less(old, new):
        changed |= Action.SCALE_DOWN
    if bool(old.metadata.deletion_timestamp) != bool(new.metadata.deletion_timestamp):
        changed |= Action.UPDATE_OTHER
    if old.spec.tolerations != new.spec.tolerations:
        changed |= Action.UPDATE_OTHER
    return changed


def other_changes(old: msgspec.Struct, new: msgspec.Struct) -> Action:
    """Flags for an object of any other kind: nothing where only its version differs."""
    before: ObjectMeta = old.metadata  # type: ignore[attr-defined]
    after: ObjectMeta = new.metadata  # type: ignore[attr-defined]
    changed = NOTHING
    if (before.labels or {}) != (after.labels or {}):
        changed |= Action.UPDATE_LABEL
    if msgspec.structs.replace(old, metadata=_bare(before)) != msgspec.structs.replace(new, metadata=_bare(after)):
        changed |= Action.UPDATE_OTHER
    return changed


def singly(flags: Action) -> Iterator[Action]:
    """The flags one by one, so that each makes an event under its own name."""
    return iter(flags)


def _bare(meta: ObjectMeta) -> ObjectMeta:
    return msgspec.structs.replace(meta, resource_version="", generation=0, labels=None)


def _takes_less(old: Pod, new: Pod) -> bool:
    if old.spec == new.spec and old.status == new.status:
        return False
    if (
        old.spec.containers == new.spec.containers
        and old.spec.init_containers == new.spec.init_containers
        and old.spec.resources == new.spec.resources
        and old.status.container_statuses == new.status.container_statuses
        and old.status.init_container_statuses == new.status.init_container_statuses
        and old.status.allocated_resources == new.status.allocated_resources
    ):
        return False
    before, after = effective_request(old), effective_request(new)
    return any(amount > after.get(name, 0) for name, amount in before.items())
