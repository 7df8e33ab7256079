"""What a simple plugin sees of a pod and of a node: read-only, worked out of the columns when asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tenantry_core.framework.columns import PODS, IntArray, NodeColumns
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.model.objects import Pod, Taint

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Task:
    """The pod to place. Amounts are milli-CPU, bytes and counts."""

    pod: Pod
    """The whole object, for what has no shortcut here."""
    cls: PodClass

    @property
    def name(self) -> str:
        """Name of the pod."""
        return self.pod.metadata.name

    @property
    def namespace(self) -> str:
        """Namespace of the pod."""
        return self.pod.metadata.namespace

    @property
    def uid(self) -> str:
        """UID of the pod."""
        return self.pod.metadata.uid

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels of the pod."""
        return self.pod.metadata.labels or _NONE

    @property
    def priority(self) -> int:
        """Priority; higher goes first."""
        return self.cls.priority

    @property
    def requests(self) -> Mapping[str, int]:
        """What the pod asks for by resource name, the pod slot left out."""
        return self.cls.request


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node. Amounts are milli-CPU, bytes and counts."""

    columns: NodeColumns
    row: int

    @property
    def name(self) -> str:
        """Name of the node."""
        return self.columns.names[self.row]

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels of the node."""
        node = self.columns.objects[self.row]
        return (node.metadata.labels if node is not None else None) or _NONE

    @property
    def taints(self) -> tuple[Taint, ...]:
        """Taints of the node."""
        node = self.columns.objects[self.row]
        return (node.spec.taints if node is not None else None) or ()

    @property
    def unschedulable(self) -> bool:
        """Whether the node is cordoned."""
        return bool(self.columns.unschedulable.item(self.row))

    @property
    def allocatable(self) -> Mapping[str, int]:
        """What the node has for pods, by resource name; resources it has none of are left out."""
        return self._amounts(self.columns.allocatable)

    @property
    def requested(self) -> Mapping[str, int]:
        """Sum of what its pods ask for, by resource name; zeros are left out."""
        return self._amounts(self.columns.requested)

    @property
    def pods(self) -> int:
        """Pods that hold room on it."""
        return self.columns.pod_count.item(self.row)

    @property
    def pod_slots(self) -> int:
        """Pods it can hold."""
        return self.columns.allocatable.item(PODS, self.row)

    def free(self, resource: str) -> int:
        """Allocatable minus requested; 0 for a resource nobody has heard of."""
        axis = self.columns.resources.find(resource)
        if axis < 0 or axis >= self.columns.allocatable.shape[0]:
            return 0
        return self.columns.allocatable.item(axis, self.row) - self.columns.requested.item(axis, self.row)

    def _amounts(self, array: IntArray) -> Mapping[str, int]:
        names = self.columns.resources.values
        return {names[i]: amount for i, amount in enumerate(array[:, self.row].tolist()) if amount}
