"""Placed pods as columns, so that a selector seen for the first time is counted without a loop over pods.

Label columns exist only for keys that some selector looks at; they are built when the first such selector appears.
"""

from __future__ import annotations

import numpy as np

from tenantry_core.cache.compact import compacted
from tenantry_core.framework.columns import BoolArray, IdArray
from tenantry_core.model.intern import InternTable
from tenantry_core.model.objects import Pod
from tenantry_core.model.selectors import Requirement, Selector


class _Column:
    __slots__ = ("ids", "values")

    def __init__(self, capacity: int) -> None:
        self.ids: IdArray = np.full(capacity, -1, dtype=np.int32)
        self.values: InternTable[str] = InternTable()


class PodTable:
    """Slots for placed pods: node row, namespace, terminating flag and the label columns in use."""

    def __init__(self, capacity: int = 256) -> None:
        self.pods: list[Pod | None] = []
        self.namespaces: InternTable[str] = InternTable()
        self._free: list[int] = []
        self._capacity = capacity
        self._rows: IdArray = np.full(capacity, -1, dtype=np.int32)
        self._spaces: IdArray = np.full(capacity, -1, dtype=np.int32)
        self._terminating = np.zeros(capacity, dtype=np.bool_)
        self._labels: dict[str, _Column] = {}

    @property
    def keys(self) -> tuple[str, ...]:
        """Label keys that have a column, in order of appearance."""
        return tuple(self._labels)

    @property
    def rows(self) -> IdArray:
        """int32[P]: node row per slot, -1 for a free slot."""
        return self._rows[: len(self.pods)]

    def add(self, pod: Pod, row: int) -> int:
        """Store a pod; returns its slot."""
        if self._free:
            slot = self._free.pop()
            self.pods[slot] = pod
        else:
            slot = len(self.pods)
            self.pods.append(pod)
            if slot >= self._capacity:
                self._grow()
        self._rows[slot] = row
        self._spaces[slot] = self.namespaces.id_of(pod.metadata.namespace)
        self._terminating[slot] = bool(pod.metadata.deletion_timestamp)
        if self._labels:
            labels = pod.metadata.labels or {}
            for key, column in self._labels.items():
                value = labels.get(key)
                column.ids[slot] = -1 if value is None else column.values.id_of(value)
                column.values = compacted(column.values, column.ids)
        return slot

    def remove(self, slot: int) -> None:
        """Free a slot."""
        self.pods[slot] = None
        self._rows[slot] = -1
        for column in self._labels.values():
            column.ids[slot] = -1
        self._free.append(slot)

    def track(self, key: str) -> bool:
        """Give a label key a column; False where it has one."""
        if key in self._labels:
            return False
        column = self._labels[key] = _Column(self._capacity)
        for slot, pod in enumerate(self.pods):
            if pod is not None and pod.metadata.labels and key in pod.metadata.labels:
                column.ids[slot] = column.values.id_of(pod.metadata.labels[key])
        return True

    def matching(self, selector: Selector, namespaces: list[str], terminating: bool) -> BoolArray:
        """bool[P]: stored pods in one of `namespaces` that match; all keys of the selector must be tracked."""
        n = len(self.pods)
        if selector.nothing:
            return np.zeros(n, dtype=np.bool_)
        spaces = [i for name in namespaces if (i := self.namespaces.find(name)) >= 0]
        found: BoolArray = (self._rows[:n] >= 0) & np.isin(self._spaces[:n], spaces)
        if not terminating:
            found &= ~self._terminating[:n]
        for requirement in selector.requirements:
            found &= self._holds(requirement, n)
        return found

    def _holds(self, requirement: Requirement, n: int) -> BoolArray:
        column = self._labels[requirement.key]
        ids = column.ids[:n]
        if requirement.operator == "Exists":
            return ids >= 0
        if requirement.operator == "DoesNotExist":
            return ids < 0
        wanted = [i for v in requirement.values if (i := column.values.find(v)) >= 0]
        found = np.isin(ids, wanted)
        return ~found if requirement.operator == "NotIn" else found

    def _grow(self) -> None:
        extra = self._capacity
        self._capacity += extra
        self._rows = np.concatenate([self._rows, np.full(extra, -1, dtype=np.int32)])
        self._spaces = np.concatenate([self._spaces, np.full(extra, -1, dtype=np.int32)])
        self._terminating = np.concatenate([self._terminating, np.zeros(extra, dtype=np.bool_)])
        for column in self._labels.values():
            column.ids = np.concatenate([column.ids, np.full(extra, -1, dtype=np.int32)])
