"""What a plugin may reach of the cluster: a read-only view that stands still during a cycle.

The cluster cache implements it; nothing is copied, because decisions and changes take turns on one thread
(docs/decisions/0001-live-columns.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from tenantry_core.framework.columns import IntArray, NodeColumns
from tenantry_core.framework.placed import PlacedPod
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.terms import HeldTerm, PodSet
from tenantry_core.model.selectors import Selector
from tenantry_core.model.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    PodDisruptionBudget,
    StorageClass,
    VolumeAttachment,
)


class StorageView(Protocol):
    """Storage objects by name; claims by (namespace, name)."""

    version: int
    """Rises with every change to a storage object or to what the cache assumes of one."""

    @property
    def volumes(self) -> Mapping[str, PersistentVolume]: ...
    @property
    def claims(self) -> Mapping[tuple[str, str], PersistentVolumeClaim]: ...
    @property
    def classes(self) -> Mapping[str, StorageClass]: ...
    @property
    def csi_nodes(self) -> Mapping[str, CSINode]: ...
    @property
    def csi_drivers(self) -> Mapping[str, CSIDriver]: ...
    @property
    def capacities(self) -> Mapping[str, CSIStorageCapacity]: ...
    def volumes_of_class(self, name: str) -> Iterable[PersistentVolume]:
        """Volumes of a storage class, "" for those without one."""
        ...

    def attachments_of(self, node: str) -> Iterable[VolumeAttachment]:
        """Attachments that the attach controller keeps for a node, those of pods that are gone included."""
        ...

    def claim_users(self, namespace: str, name: str) -> Iterable[PlacedPod]:
        """Placed pods that use a claim."""
        ...

    def claims_on(self, row: int) -> Mapping[tuple[str, str], int]:
        """Claims that pods on a row use, with how many pods use each."""
        ...

    def stored_volume(self, name: str) -> PersistentVolume | None:
        """A volume as the API server last sent it, whatever is assumed of it."""
        ...

    def stored_claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        """A claim as the API server last sent it, whatever is assumed of it."""
        ...

    def assume_volume(self, volume: PersistentVolume) -> None:
        """Show this version of a volume until news of it comes or `restore_volume` is called (Reserve only)."""
        ...

    def assume_claim(self, claim: PersistentVolumeClaim) -> None:
        """Show this version of a claim until news of it comes or `restore_claim` is called (Reserve only)."""
        ...

    def restore_volume(self, name: str) -> None:
        """Show a volume as stored again. No fault where nothing is assumed."""
        ...

    def restore_claim(self, namespace: str, name: str) -> None:
        """Show a claim as stored again. No fault where nothing is assumed."""
        ...


class MetTerm(NamedTuple):
    """A rule held by placed pods that concerns an incoming pod; `holders` is int64[N], pods that hold it per row."""

    held: HeldTerm
    holders: IntArray


class Nomination(NamedTuple):
    """A pending pod that preemption has promised a node."""

    uid: str
    node: str
    cls: PodClass


class Simulation(Protocol):
    """Tentative changes to the view. Everything is put back when the simulation ends."""

    def remove(self, placed: PlacedPod) -> None:
        """Take a placed pod away."""
        ...

    def restore(self, placed: PlacedPod) -> None:
        """Put a removed pod back."""
        ...

    def add(self, cls: PodClass, row: int) -> None:
        """Pretend that a pod of a class is on a row."""
        ...


class Snapshot(Protocol):
    """The cluster as one cycle sees it."""

    @property
    def nodes(self) -> NodeColumns: ...
    @property
    def storage(self) -> StorageView: ...
    @property
    def budgets(self) -> Iterable[PodDisruptionBudget]: ...
    @property
    def nominations(self) -> Mapping[str, Nomination]:
        """By pod UID."""
        ...

    def simulate(self) -> AbstractContextManager[Simulation]:
        """Open a what-if on this view; the view shows the tentative state until it is closed."""
        ...

    def count(self, pods: PodSet) -> IntArray:
        """int64[N]: how many placed pods of the set each row carries (rows that are not alive included)."""
        ...

    def met_terms(self, cls: PodClass) -> Sequence[MetTerm]:
        """Rules of placed pods whose pod set covers pods of `cls`."""
        ...

    def pods_on(self, row: int) -> Sequence[PlacedPod]:
        """Pods that hold room on a row, terminating ones included."""
        ...

    def ports_in_use(self, protocol: str, port: int) -> Iterable[tuple[str, IntArray]]:
        """Per address: int64[N], pods that hold the host port on each row."""
        ...

    def namespaces(self) -> Mapping[str, Mapping[str, str]]:
        """Labels of every known namespace."""
        ...

    def changes_since(self, position: int) -> list[int] | None:
        """Rows whose node or pods changed since a position of the change log; None where it no longer reaches back."""
        ...

    @property
    def log_end(self) -> int:
        """The newest position of the change log."""
        ...

    def namespace_labels(self, namespace: str) -> Mapping[str, str]:
        """Labels of a namespace; empty where it is unknown."""
        ...

    def service_selector(self, cls: PodClass) -> Selector | None:
        """What Services and the owning workload select of such a pod, merged; None where nothing does."""
        ...
