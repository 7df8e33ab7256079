"""Finds volumes for claims that wait for their first consumer, for every node at once.

For each claim, smallest request first: the smallest available volume that the node can reach and that no earlier claim
of the pod took. A volume that is already promised to the claim is the only candidate. Source: FindMatchingVolume of
component-helpers/storage 1.36; volumes of one size are taken by name, so that the result is repeatable.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from tenantry_core.cache.storage import storage_class_of
from tenantry_core.framework.columns import BoolArray, IntArray, NodeColumns
from tenantry_core.framework.snapshot import StorageView
from tenantry_core.model.objects import NodeSelector
from tenantry_core.model.quantity import amount
from tenantry_core.model.selectors import NodeTerm, SelectorError, compile_node_term, compile_selector
from tenantry_core.model.storage import PersistentVolume, PersistentVolumeClaim
from tenantry_core.plugins.volume_claims import STORAGE

NOBODY = 1 << 40
"""Rank where no candidate is."""


class Candidates:
    """Volumes that could serve one claim, in order of choice, filed by the nodes that reach them."""

    def __init__(self, nodes: NodeColumns, storage: StorageView, claim: PersistentVolumeClaim) -> None:
        self.volumes = eligible_volumes(storage, claim)
        self._nodes = nodes
        self._everywhere: list[int] = []
        self._by_label: dict[str, dict[str, list[int]]] = {}
        self._masks: list[tuple[int, BoolArray]] = []
        for rank, volume in enumerate(self.volumes):
            self._file(rank, volume)

    def ranks(self) -> IntArray:
        """int64[N]: the best candidate's place in `volumes` per row, NOBODY where there is none."""
        best = np.full(self._nodes.size, self._everywhere[0] if self._everywhere else NOBODY, dtype=np.int64)
        for key, by_value in self._by_label.items():
            domains = self._nodes.label_domains(key)
            first = np.full(domains + 1, NOBODY, dtype=np.int64)  # The last entry serves rows without the key.
            for value_id in range(domains):
                found = by_value.get(self._nodes.label_value(key, value_id))
                if found:
                    first[value_id] = found[0]
            best = np.minimum(best, first[self._nodes.label_ids(key)])
        for rank, mask in self._masks:
            best = np.where(mask & (best > rank), rank, best)
        return best

    def pick(self, row: int, taken: set[str]) -> PersistentVolume | None:
        """The best candidate of one row that is not among the names `taken`."""
        free = [
            next((r for r in ranks if self.volumes[r].metadata.name not in taken), NOBODY) for ranks in self._on(row)
        ]
        best = min(free, default=NOBODY)
        return None if best == NOBODY else self.volumes[best]

    def _on(self, row: int) -> Iterator[list[int]]:
        yield self._everywhere
        for key, by_value in self._by_label.items():
            value_id = int(self._nodes.label_ids(key)[row])
            if value_id >= 0:
                yield by_value.get(self._nodes.label_value(key, value_id), [])
        yield [rank for rank, mask in self._masks if mask[row]]

    def _file(self, rank: int, volume: PersistentVolume) -> None:
        terms = affinity_terms(volume)
        if terms is None:
            self._everywhere.append(rank)
        elif len(terms) == 1 and not terms[0].fields and _is_plain_in(terms[0]):
            requirement = terms[0].expressions[0]
            by_value = self._by_label.setdefault(requirement.key, {})
            for value in requirement.values:
                by_value.setdefault(value, []).append(rank)
        else:
            self._masks.append((rank, _reached(self._nodes, terms)))


def eligible_volumes(storage: StorageView, claim: PersistentVolumeClaim) -> list[PersistentVolume]:
    """Volumes that suit a claim whatever the node, smallest first; just the promised one, where there is one."""
    wanted, found = requested(claim), []
    selector = compile_selector(claim.spec.selector) if claim.spec.selector else None
    for volume in storage.volumes_of_class(storage_class_of(claim)):
        promised = promised_to(volume, claim)
        if (volume.spec.claim_ref is not None and not promised) or volume.metadata.deletion_timestamp:
            continue
        size = capacity(volume)
        if size < wanted or (volume.spec.volume_mode or "Filesystem") != (claim.spec.volume_mode or "Filesystem"):
            continue
        if promised:
            return [volume]
        if volume.status.phase != "Available" or not _offers(volume, claim):
            continue
        if selector is None or selector.matches(volume.metadata.labels or {}):
            found.append((size, volume.metadata.name, volume))
    return [volume for _, _, volume in sorted(found, key=lambda entry: entry[:2])]


def promised_to(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume's claimRef names this claim, by UID where it has one."""
    ref, meta = volume.spec.claim_ref, claim.metadata
    return ref is not None and (ref.namespace, ref.name) == (meta.namespace, meta.name) and ref.uid in ("", meta.uid)


def requested(claim: PersistentVolumeClaim) -> int:
    """Bytes that a claim asks for."""
    return amount(STORAGE, (claim.spec.resources.requests or {}).get(STORAGE, 0))


def capacity(volume: PersistentVolume) -> int:
    """Bytes that a volume holds."""
    return amount(STORAGE, (volume.spec.capacity or {}).get(STORAGE, 0))


def affinity_terms(volume: PersistentVolume) -> tuple[NodeTerm, ...] | None:
    """Nodes that reach the volume: any of these terms; None for all nodes."""
    affinity = volume.spec.node_affinity
    return None if affinity is None or affinity.required is None else _compiled(affinity.required)


def reached_from(nodes: NodeColumns, volume: PersistentVolume) -> BoolArray:
    """bool[N]: rows that reach the volume."""
    terms = affinity_terms(volume)
    return np.ones(nodes.size, dtype=np.bool_) if terms is None else _reached(nodes, terms)


@lru_cache(maxsize=16384)
def _compiled(selector: NodeSelector) -> tuple[NodeTerm, ...]:
    """A term outside the grammar matches no node."""
    found = []
    for term in selector.node_selector_terms:
        try:
            found.append(compile_node_term(term))
        except SelectorError:
            continue
    return tuple(found)


def _reached(nodes: NodeColumns, terms: tuple[NodeTerm, ...]) -> BoolArray:
    found = np.zeros(nodes.size, dtype=np.bool_)
    for term in terms:
        found |= nodes.satisfies(term)
    return found


def _is_plain_in(term: NodeTerm) -> bool:
    return len(term.expressions) == 1 and term.expressions[0].operator == "In"


def _offers(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume has every access mode that the claim asks for."""
    return set(claim.spec.access_modes or ()) <= set(volume.spec.access_modes or ())
