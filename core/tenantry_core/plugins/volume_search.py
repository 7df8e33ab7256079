"""Where the claims of one pod can be served: bound volumes, volumes to bind, volumes to be made."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from tenantry_core.cache.storage import storage_class_of
from tenantry_core.framework.columns import BoolArray, IntArray, NodeColumns
from tenantry_core.framework.snapshot import StorageView
from tenantry_core.model.quantity import amount
from tenantry_core.model.selectors import Requirement, compile_selector
from tenantry_core.model.storage import (
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from tenantry_core.plugins.volume_claims import SELECTED_NODE, STORAGE
from tenantry_core.plugins.volume_matching import NOBODY, Candidates, reached_from, requested

NO_PROVISIONER = "kubernetes.io/no-provisioner"


class Plan(NamedTuple):
    """What has to be done for one node."""

    bindings: tuple[tuple[PersistentVolume, PersistentVolumeClaim], ...] = ()
    provisions: tuple[PersistentVolumeClaim, ...] = ()


class Masks(NamedTuple):
    """bool[N] each: rows that pass one of the four tests."""

    reached: BoolArray
    """Every bound volume can be reached."""
    existing: BoolArray
    """Every bound volume exists."""
    bindable: BoolArray
    """Every other claim has a volume to bind, or one can be made."""
    spacious: BoolArray
    """There is space for the volumes to be made."""

    @property
    def all(self) -> BoolArray:
        """Rows that pass all four."""
        return self.reached & self.existing & self.bindable & self.spacious


class VolumeSearch:
    """One pod's claims against all rows; answers are worked out on first use and stand for one cycle.

    Source: FindPodVolumes of kube-scheduler 1.36.
    """

    def __init__(
        self,
        nodes: NodeColumns,
        storage: StorageView,
        bound: list[PersistentVolumeClaim],
        delayed: list[PersistentVolumeClaim],
    ) -> None:
        self.bound = bound
        self.delayed = delayed
        self._nodes = nodes
        self._storage = storage
        self._versions = storage.version, nodes.static_version, nodes.size
        self._begun = [c for c in delayed if SELECTED_NODE in (c.metadata.annotations or {})]
        """Claims whose volume was ordered for a node before."""
        self._open = sorted((c for c in delayed if SELECTED_NODE not in (c.metadata.annotations or {})), key=requested)

    def is_current(self, storage: StorageView) -> bool:
        """Whether storage and nodes are still as they were when the search began."""
        nodes = self._nodes
        return storage is self._storage and self._versions == (storage.version, nodes.static_version, nodes.size)

    @cached_property
    def masks(self) -> Masks:
        """All rows, tested."""
        reached, existing = self._bound_masks()
        bindable, spacious = self._delayed_masks()
        return Masks(reached, existing, bindable, spacious)

    def plan(self, row: int) -> Plan:
        """What to bind and what to have made on a row that passed."""
        taken: set[str] = set()
        bindings, provisions = [], list(self._begun)
        for claim, candidates in zip(self._open, self._candidates, strict=True):
            volume = candidates.pick(row, taken)
            if volume is None:
                provisions.append(claim)
            else:
                taken.add(volume.metadata.name)
                bindings.append((volume, claim))
        return Plan(tuple(bindings), tuple(provisions))

    @cached_property
    def _candidates(self) -> list[Candidates]:
        return [Candidates(self._nodes, self._storage, claim) for claim in self._open]

    def _bound_masks(self) -> tuple[BoolArray, BoolArray]:
        """Claims in order; the first that fails a row gives its reason."""
        reached = np.ones(self._nodes.size, dtype=np.bool_)
        existing = np.ones(self._nodes.size, dtype=np.bool_)
        for claim in self.bound:
            volume = self._storage.volumes.get(claim.spec.volume_name)
            if volume is None:
                existing &= ~reached
                break
            reached &= reached_from(self._nodes, volume)
        return reached, existing

    def _delayed_masks(self) -> tuple[BoolArray, BoolArray]:
        """As for bound claims; a row other than the one a volume was ordered for is not looked at further."""
        bindable = np.ones(self._nodes.size, dtype=np.bool_)
        spacious = np.ones(self._nodes.size, dtype=np.bool_)
        for claim in self._begun:
            row = self._nodes.row_of((claim.metadata.annotations or {})[SELECTED_NODE])
            bindable &= np.arange(self._nodes.size) == row
        needs = [(claim, np.ones(self._nodes.size, dtype=np.bool_)) for claim in self._begun]
        needs += zip(self._open, self._without_volume(), strict=True)
        for claim, rows in needs:
            rows = rows & bindable & spacious
            if rows.any():
                can_make, space = self._provision_masks(claim)
                bindable &= ~rows | can_make
                spacious &= ~(rows & can_make) | space
        return bindable, spacious

    def _without_volume(self) -> list[BoolArray]:
        """bool[N] per open claim: rows where no volume is left for it."""
        names = sorted({v.metadata.name for c in self._candidates for v in c.volumes})
        numbers = {name: i for i, name in enumerate(names)}
        chosen: list[IntArray] = []
        for candidates in self._candidates:
            ids = np.array([*(numbers[v.metadata.name] for v in candidates.volumes), -1], dtype=np.int64)
            ranks = candidates.ranks()
            picked = ids[np.where(ranks == NOBODY, len(ids) - 1, ranks)]
            clash = np.zeros(self._nodes.size, dtype=np.bool_)
            for earlier in chosen:
                clash |= (picked == earlier) & (picked >= 0)
            for row in np.flatnonzero(clash).tolist():
                second = candidates.pick(row, {names[c[row]] for c in chosen if c[row] >= 0})
                picked[row] = -1 if second is None else numbers[second.metadata.name]
            chosen.append(picked)
        return [picked < 0 for picked in chosen]

    def _provision_masks(self, claim: PersistentVolumeClaim) -> tuple[BoolArray, BoolArray]:
        """bool[N] each: rows for which the claim's volume can be made at all, and where there is space for it."""
        storage_class = self._storage.classes.get(storage_class_of(claim))
        if storage_class is None or storage_class.provisioner in ("", NO_PROVISIONER):
            return np.zeros(self._nodes.size, dtype=np.bool_), np.ones(self._nodes.size, dtype=np.bool_)
        return allowed_rows(self._nodes, storage_class), self._spacious_rows(claim, storage_class)

    def _spacious_rows(self, claim: PersistentVolumeClaim, storage_class: StorageClass) -> BoolArray:
        driver = self._storage.csi_drivers.get(storage_class.provisioner)
        sized = STORAGE in (claim.spec.resources.requests or {})
        if driver is None or not driver.spec.storage_capacity or not sized:
            return np.ones(self._nodes.size, dtype=np.bool_)
        found, size = np.zeros(self._nodes.size, dtype=np.bool_), requested(claim)
        for capacity in self._storage.capacities.values():
            limit = volume_limit(capacity)
            if capacity.storage_class_name == storage_class.metadata.name and limit is not None and limit >= size:
                found |= self._nodes.selected(compile_selector(capacity.node_topology))
        return found


def allowed_rows(nodes: NodeColumns, storage_class: StorageClass) -> BoolArray:
    """bool[N]: rows in a topology where the class may make volumes; an empty term allows nothing."""
    if not storage_class.allowed_topologies:
        return np.ones(nodes.size, dtype=np.bool_)
    found = np.zeros(nodes.size, dtype=np.bool_)
    for term in storage_class.allowed_topologies:
        expressions = term.match_label_expressions or ()
        matched = np.full(nodes.size, bool(expressions), dtype=np.bool_)
        for expression in expressions:
            matched &= nodes.holds(Requirement(expression.key, "In", tuple(sorted(expression.values))))
        found |= matched
    return found


def volume_limit(capacity: CSIStorageCapacity) -> int | None:
    """Bytes of the largest volume that can be made, None where nothing is known."""
    known = capacity.maximum_volume_size if capacity.maximum_volume_size is not None else capacity.capacity
    return None if known is None else amount(STORAGE, known)
