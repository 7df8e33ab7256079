"""Cluster events: what changed, in the terms that plugins name when they say what could help a pod they rejected.

Source: the EventResource and ActionType lists of kube-scheduler 1.36; `label` is the value of the `event` label of
scheduler_queue_incoming_pods_total.
"""

from __future__ import annotations

from enum import Flag, StrEnum, auto
from typing import NamedTuple

import msgspec


class Resource(StrEnum):
    """Kind of object an event is about."""

    NODE = "Node"
    ASSIGNED_POD = "AssignedPod"
    UNSCHEDULED_POD = "UnschedulablePod"
    NAMESPACE = "v1/Namespace"
    PERSISTENT_VOLUME = "PersistentVolume"
    PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
    STORAGE_CLASS = "storage.k8s.io/StorageClass"
    CSI_NODE = "storage.k8s.io/CSINode"
    CSI_DRIVER = "storage.k8s.io/CSIDriver"
    CSI_STORAGE_CAPACITY = "storage.k8s.io/CSIStorageCapacity"
    VOLUME_ATTACHMENT = "storage.k8s.io/VolumeAttachment"
    SERVICE = "Service"
    WORKLOAD = "Workload"
    DISRUPTION_BUDGET = "PodDisruptionBudget"
    WILDCARD = "*"


class Action(Flag):
    """What happened to it; an update carries each part that changed."""

    ADD = auto()
    DELETE = auto()
    UPDATE_ALLOCATABLE = auto()
    UPDATE_LABEL = auto()
    UPDATE_TAINT = auto()
    UPDATE_CONDITION = auto()
    UPDATE_ANNOTATION = auto()
    UPDATE_DECLARED_FEATURES = auto()
    SCALE_DOWN = auto()
    GATES_ELIMINATED = auto()
    UPDATE_OTHER = auto()
    UPDATE = (
        UPDATE_ALLOCATABLE
        | UPDATE_LABEL
        | UPDATE_TAINT
        | UPDATE_CONDITION
        | UPDATE_ANNOTATION
        | UPDATE_DECLARED_FEATURES
        | SCALE_DOWN
        | GATES_ELIMINATED
        | UPDATE_OTHER
    )
    ALL = ADD | DELETE | UPDATE


_SUFFIX = {
    Action.ADD: "Add",
    Action.DELETE: "Delete",
    Action.UPDATE_ALLOCATABLE: "UpdateNodeAllocatable",
    Action.UPDATE_LABEL: "UpdateLabel",
    Action.UPDATE_TAINT: "UpdateNodeTaint",
    Action.UPDATE_CONDITION: "UpdateNodeCondition",
    Action.UPDATE_ANNOTATION: "UpdateNodeAnnotation",
    Action.UPDATE_DECLARED_FEATURES: "UpdateNodeDeclaredFeature",
    Action.SCALE_DOWN: "UpdatePodScaleDown",
    Action.GATES_ELIMINATED: "UpdatePodSchedulingGatesEliminated",
}


class ClusterEvent(NamedTuple):
    """One change. `old` and `new` are model structs; `old` is None on add, `new` is None on delete."""

    resource: Resource
    action: Action
    old: msgspec.Struct | None = None
    new: msgspec.Struct | None = None

    @property
    def label(self) -> str:
        """Name in metrics and logs, such as `NodeAdd` or `AssignedPodDelete`."""
        if self.resource is Resource.WILDCARD:
            return "ForceActivate"
        suffix = _SUFFIX.get(self.action, "Update")
        if self.resource is Resource.NODE and self.action is Action.UPDATE_LABEL:
            suffix = "UpdateNodeLabel"
        elif self.action is Action.UPDATE_LABEL:
            suffix = "UpdatePodLabel"
        return f"{self.resource.value}{suffix}"


class EventPattern(NamedTuple):
    """What a plugin registers: a resource and the actions on it that could help."""

    resource: Resource
    actions: Action

    def covers(self, event: ClusterEvent) -> bool:
        """Whether `event` is one of these."""
        return event.resource is Resource.WILDCARD or (
            self.resource in (event.resource, Resource.WILDCARD) and bool(self.actions & event.action)
        )
