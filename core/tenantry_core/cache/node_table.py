"""The write side of the node columns: rows come, change, turn to ghosts and are recycled.

A ghost row has no node but still carries pods, because a node may be deleted and added again while its pods stay, and
because pods may be seen before their node.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tenantry_core.cache.compact import compacted
from tenantry_core.framework.columns import PODS, IntArray, LabelColumn, NodeColumns
from tenantry_core.framework.pod_class import normalized_image
from tenantry_core.model.events import Action
from tenantry_core.model.objects import Node
from tenantry_core.model.quantity import SATURATED
from tenantry_core.model.requests import Amounts, amounts

NO_ACTION = Action(0)
LOG_LIMIT = 1 << 16
"""Entries of the change log kept; readers further behind refresh every row."""


class NodeTable(NodeColumns):
    """Columns plus the changes that the cache may make to them."""

    def __init__(self, capacity: int = 64) -> None:
        super().__init__(capacity)
        self._free: list[int] = []
        self._log: list[int] = []
        self._log_base = 0

    @property
    def capacity(self) -> int:
        """Rows allocated."""
        return self._capacity

    @property
    def log_end(self) -> int:
        """Position after the newest change; hand it to `changes_since` later."""
        return self._log_base + len(self._log)

    def changes_since(self, position: int) -> list[int] | None:
        """Rows touched since `position` (with repeats), or None where the log no longer reaches back."""
        if position < self._log_base:
            return None
        return self._log[position - self._log_base :]

    def touch(self, row: int) -> None:
        """Note that something about the row or its pods changed."""
        self._log.append(row)
        if len(self._log) > LOG_LIMIT:
            drop = LOG_LIMIT // 2
            self._log = self._log[drop:]
            self._log_base += drop

    def ensure_row(self, name: str) -> int:
        """Row of `name`, made as a ghost where there is none."""
        row = self._rows.get(name, -1)
        return row if row >= 0 else self._new_row(name)

    def upsert(self, node: Node) -> Action:
        """Put a node into its row. Returns which scheduling-relevant parts changed (ADD for a new node)."""
        row = self.ensure_row(node.metadata.name)
        old = self.objects[row]
        self.objects[row] = node
        changed = Action.ADD if old is None else NO_ACTION
        if old is None:
            self._alive[row] = True
            self.alive_count += 1
        if old is None or old.status.allocatable != node.status.allocatable:
            self._set_allocatable(row, amounts(node.status.allocatable))
            changed |= Action.UPDATE_ALLOCATABLE
        if old is None or old.metadata.labels != node.metadata.labels:
            self._set_labels(row, node.metadata.labels or {})
            changed |= Action.UPDATE_LABEL
        changed |= self._set_rules(row, old, node)
        if changed:
            self.touch(row)
            if changed & ~Action.UPDATE_ALLOCATABLE:
                self.static_version += 1
        return Action.ADD if old is None else changed

    def remove(self, name: str) -> int:
        """Turn a node's row into a ghost. Returns the row, or -1 where the node is unknown."""
        row = self.row_of(name)
        if row < 0:
            return -1
        self.objects[row] = None
        self._alive[row] = False
        self.alive_count -= 1
        self._set_allocatable(row, {})
        self._set_labels(row, {})
        self._unschedulable[row] = False
        self._taint_set[row] = self.taint_sets.id_of(())
        self._image_set[row] = self.image_sets.id_of(())
        self._feature_set[row] = self.feature_sets.id_of(frozenset())
        self.static_version += 1
        self.touch(row)
        return row

    def recycle(self, row: int) -> None:
        """Give back a ghost row that no pod holds any more."""
        if not self._alive[row] and self.names[row]:
            del self._rows[self.names[row]]
            self.names[row] = ""
            self._free.append(row)

    def take(self, row: int, request: Iterable[tuple[int, int]], scoring: tuple[int, int]) -> None:
        """Count one more pod on a row."""
        requested = self._requested
        for resource, amount in request:
            total = requested.item(resource, row) + amount
            requested[resource, row] = total if total < SATURATED else SATURATED
        self._nonzero[0, row] = min(SATURATED, self._nonzero.item(0, row) + scoring[0])
        self._nonzero[1, row] = min(SATURATED, self._nonzero.item(1, row) + scoring[1])
        self._pod_count[row] += 1
        self.touch(row)

    def give_back(self, row: int, request: Iterable[tuple[int, int]], scoring: tuple[int, int]) -> bool:
        """Count one pod less. False where a saturated sum must be worked out again (`set_usage`)."""
        requested, exact = self._requested, True
        for resource, amount in request:
            total = requested.item(resource, row)
            exact = exact and total < SATURATED
            requested[resource, row] = total - amount
        for i in (0, 1):
            exact = exact and self._nonzero.item(i, row) < SATURATED
            self._nonzero[i, row] -= scoring[i]
        self._pod_count[row] -= 1
        self.touch(row)
        return exact

    def set_usage(self, row: int, used: Amounts, scoring: tuple[int, int]) -> None:
        """Set a row's sums afresh, saturated."""
        self._requested[:, row] = 0
        for name, amount in used.items():
            self._requested[self.resource_id(name), row] = min(SATURATED, amount)
        self._nonzero[0, row], self._nonzero[1, row] = min(SATURATED, scoring[0]), min(SATURATED, scoring[1])
        self.touch(row)

    def _set_allocatable(self, row: int, given: Amounts) -> None:
        wanted = {self.resource_id(name): amount for name, amount in given.items()}
        self._allocatable[:, row] = 0
        for resource, amount in wanted.items():
            self._allocatable[resource, row] = amount
        if PODS not in wanted:
            self._allocatable[PODS, row] = 0

    def _set_labels(self, row: int, labels: dict[str, str]) -> None:
        for column in self._labels.values():
            column.ids[row] = -1
        for key, value in labels.items():
            column = self._labels.get(key) or self._labels.setdefault(key, LabelColumn(self._capacity))
            column.ids[row] = column.values.id_of(value)
            column.values = compacted(column.values, column.ids)

    def _set_rules(self, row: int, old: Node | None, node: Node) -> Action:
        changed = NO_ACTION
        if old is None or (old.spec.taints, old.spec.unschedulable) != (node.spec.taints, node.spec.unschedulable):
            self._taint_set[row] = self.taint_sets.id_of(node.spec.taints or ())
            self.taint_sets = compacted(self.taint_sets, self._taint_set, [()])
            self._unschedulable[row] = node.spec.unschedulable
            changed |= Action.UPDATE_TAINT
        if old is None or old.status.images != node.status.images:
            images = [(normalized_image(n), i.size_bytes) for i in node.status.images or () for n in i.names or ()]
            self._image_set[row] = self.image_sets.id_of(tuple(sorted(images)))
            self.image_sets = compacted(self.image_sets, self._image_set, [()])
            changed |= Action.UPDATE_OTHER
        if old is None or old.status.declared_features != node.status.declared_features:
            self._feature_set[row] = self.feature_sets.id_of(frozenset(node.status.declared_features or ()))
            changed |= Action.UPDATE_DECLARED_FEATURES
        return changed

    def _new_row(self, name: str) -> int:
        if self._free:
            row = self._free.pop()
            self.names[row] = name
        else:
            row = self.size
            self.size += 1
            self.names.append(name)
            self.objects.append(None)
            if self.size > self._capacity:
                self._grow()
        self._rows[name] = row
        for array in (self._taint_set, self._image_set, self._feature_set):
            array[row] = 0
        for table in (self.taint_sets, self.image_sets):
            table.id_of(())
        self.feature_sets.id_of(frozenset())
        self._publish()
        self.static_version += 1
        self.touch(row)
        return row

    def _grow(self) -> None:
        extra = max(64, self._capacity)
        self._capacity += extra
        for name in ("_alive", "_unschedulable", "_pod_count", "_taint_set", "_image_set", "_feature_set"):
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros(extra, dtype=old.dtype)]))
        for name in ("_allocatable", "_requested", "_nonzero"):
            old = getattr(self, name)
            setattr(self, name, np.hstack([old, np.zeros((old.shape[0], extra), dtype=np.int64)]))
        for column in self._labels.values():
            column.ids = np.concatenate([column.ids, np.full(extra, -1, dtype=np.int32)])


class CountColumn:
    """int64 per row, grown with the node table."""

    __slots__ = ("_nodes", "_values", "total")

    def __init__(self, nodes: NodeTable) -> None:
        self._nodes = nodes
        self._values: IntArray = np.zeros(nodes.capacity, dtype=np.int64)
        self.total = 0

    def add(self, row: int, by: int) -> None:
        """Change the count of one row."""
        if row >= len(self._values):
            self._fit()
        self._values[row] += by
        self.total += by

    def set(self, values: IntArray) -> None:
        """Replace all counts (int64, at most capacity long)."""
        self._values = np.zeros(self._nodes.capacity, dtype=np.int64)
        self._values[: len(values)] = values
        self.total = int(values.sum())

    def view(self) -> IntArray:
        """int64[N] over the rows in use."""
        if len(self._values) < self._nodes.size:
            self._fit()
        return self._values[: self._nodes.size]

    def _fit(self) -> None:
        extra = self._nodes.capacity - len(self._values)
        self._values = np.concatenate([self._values, np.zeros(extra, dtype=np.int64)])
