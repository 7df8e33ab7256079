"""Nodes as columns: the read side of the node table, which is all that plugins see of nodes.

Row r is one node. Rows are recycled; `alive[r]` says whether a node stands behind it. A row that is not alive may still
carry pods (their node is gone or not yet seen). Arrays are views of length `size`; never keep one over an await.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tenantry_core.model.intern import InternTable
from tenantry_core.model.objects import Node, Taint
from tenantry_core.model.selectors import NodeTerm, Requirement, Selector, as_integer

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
IdArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]
Rows = slice | npt.NDArray[np.int64]
"""Which rows an operation is about: `ALL`, or an array of row numbers."""

ALL = slice(None)
CPU, MEMORY, STORAGE, PODS = 0, 1, 2, 3
"""Fixed rows of the resource axis; extended resources follow in order of appearance."""


class LabelColumn:
    """One label key over all rows: `ids[r]` is the interned value, -1 where the node lacks the key."""

    __slots__ = ("ids", "values")

    def __init__(self, capacity: int) -> None:
        self.ids: IdArray = np.full(capacity, -1, dtype=np.int32)
        self.values: InternTable[str] = InternTable()


class NodeColumns:
    """Column store of nodes. All quantities are canonical integers (milli-CPU, bytes, counts).

    Attributes with shapes, N = size and R = number of resources seen:
    alive bool[N]; allocatable int64[R, N]; requested int64[R, N]; nonzero int64[2, N] (cpu and memory with scoring
    defaults); pod_count int64[N]; unschedulable bool[N]; taint_set, image_set, feature_set int32[N] (ids into the
    tables of the same name).
    """

    def __init__(self, capacity: int = 64) -> None:
        self.size = 0
        self.alive_count = 0
        self.static_version = 0
        self.resources: InternTable[str] = InternTable()
        for name in ("cpu", "memory", "ephemeral-storage", "pods"):
            self.resources.id_of(name)
        self.taint_sets: InternTable[tuple[Taint, ...]] = InternTable()
        self.image_sets: InternTable[tuple[tuple[str, int], ...]] = InternTable()
        self.feature_sets: InternTable[frozenset[str]] = InternTable()
        self.names: list[str] = []
        self.objects: list[Node | None] = []
        self._rows: dict[str, int] = {}
        self._labels: dict[str, LabelColumn] = {}
        self._capacity = capacity
        self._alive = np.zeros(capacity, dtype=np.bool_)
        self._unschedulable = np.zeros(capacity, dtype=np.bool_)
        self._allocatable = np.zeros((4, capacity), dtype=np.int64)
        self._requested = np.zeros((4, capacity), dtype=np.int64)
        self._nonzero = np.zeros((2, capacity), dtype=np.int64)
        self._pod_count = np.zeros(capacity, dtype=np.int64)
        self._taint_set = np.zeros(capacity, dtype=np.int32)
        self._image_set = np.zeros(capacity, dtype=np.int32)
        self._feature_set = np.zeros(capacity, dtype=np.int32)
        self._publish()

    def _publish(self) -> None:
        """Point the public views at the first `size` rows of the backing arrays."""
        n = self.size
        self.alive: BoolArray = self._alive[:n]
        self.unschedulable: BoolArray = self._unschedulable[:n]
        self.allocatable: IntArray = self._allocatable[:, :n]
        self.requested: IntArray = self._requested[:, :n]
        self.nonzero: IntArray = self._nonzero[:, :n]
        self.pod_count: IntArray = self._pod_count[:n]
        self.taint_set: IdArray = self._taint_set[:n]
        self.image_set: IdArray = self._image_set[:n]
        self.feature_set: IdArray = self._feature_set[:n]

    def resource_id(self, name: str) -> int:
        """Row of the resource axis for `name`, adding one where it is new."""
        found = self.resources.id_of(name)
        if found >= self._requested.shape[0]:
            more = np.zeros((found + 4 - self._requested.shape[0], self._capacity), dtype=np.int64)
            self._requested = np.vstack([self._requested, more])
            self._allocatable = np.vstack([self._allocatable, more])
            self._publish()
        return found

    def row_of(self, name: str) -> int:
        """Row of a living node, or -1."""
        row = self._rows.get(name, -1)
        return row if row >= 0 and self._alive[row] else -1

    def label_ids(self, key: str) -> IdArray:
        """int32[N]: interned value of label `key` per row, -1 where absent."""
        column = self._labels.get(key)
        return _absent(self.size) if column is None else column.ids[: self.size]

    def label_domains(self, key: str) -> int:
        """Upper bound of the ids in `label_ids(key)`."""
        column = self._labels.get(key)
        return 0 if column is None else len(column.values)

    def label_value(self, key: str, value_id: int) -> str:
        """Text behind an interned label value."""
        return self._labels[key].values.values[value_id]

    def holds(self, requirement: Requirement) -> BoolArray:
        """bool[N]: rows whose labels satisfy one requirement."""
        column = self._labels.get(requirement.key)
        if column is None:
            absent_passes = requirement.operator in ("NotIn", "DoesNotExist")
            return np.full(self.size, absent_passes, dtype=np.bool_)
        ids = column.ids[: self.size]
        match requirement.operator:
            case "Exists":
                return ids >= 0
            case "DoesNotExist":
                return ids < 0
            case "In" | "NotIn":
                wanted = [i for v in requirement.values if (i := column.values.find(v)) >= 0]
                found = ids == wanted[0] if len(wanted) == 1 else np.isin(ids, wanted)
                return ~found if requirement.operator == "NotIn" else found
            case _:
                return self._compares(requirement, column)

    def _compares(self, requirement: Requirement, column: LabelColumn) -> BoolArray:
        passing = [i for i, v in enumerate(column.values.values) if requirement.matches({requirement.key: v})]
        if as_integer(requirement.values[0] if requirement.values else None) is None:
            passing = []
        return np.isin(column.ids[: self.size], passing)

    def selected(self, selector: Selector) -> BoolArray:
        """bool[N]: rows whose labels satisfy every requirement of a label selector."""
        if selector.nothing:
            return np.zeros(self.size, dtype=np.bool_)
        found = np.ones(self.size, dtype=np.bool_)
        for requirement in selector.requirements:
            found &= self.holds(requirement)
        return found

    def satisfies(self, term: NodeTerm) -> BoolArray:
        """bool[N]: rows that satisfy one node selector term; an empty term satisfies none."""
        found = np.full(self.size, bool(term.expressions or term.fields), dtype=np.bool_)
        for requirement in term.expressions:
            found &= self.holds(requirement)
        for requirement in term.fields:
            found &= self._named(requirement)
        return found

    def _named(self, requirement: Requirement) -> BoolArray:
        named = np.zeros(self.size, dtype=np.bool_)
        for name in requirement.values if requirement.key == "metadata.name" else ():
            row = self._rows.get(name, -1)
            if row >= 0:
                named[row] = True
        return ~named if requirement.operator == "NotIn" else named


def _absent(size: int) -> IdArray:
    return np.full(size, -1, dtype=np.int32)
