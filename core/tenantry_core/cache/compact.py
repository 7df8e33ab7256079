"""Keeps intern tables behind columns from growing for ever as nodes, images and labels come and go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np

from tenantry_core.framework.columns import IdArray
from tenantry_core.model.intern import InternTable

T = TypeVar("T")
SLACK = 1024
"""Values that may lie idle before anything is done."""


def compacted(table: InternTable[T], ids: IdArray, first: Iterable[T] = ()) -> InternTable[T]:
    """`table`, or where most of its values lie idle a new one with `ids` (int32, changed in place, -1 left alone).

    Values of `first` keep the lowest ids. Readers must not hold ids over a change of the columns.
    """
    if len(table) <= 2 * len(ids) + SLACK:
        return table
    fresh: InternTable[T] = InternTable()
    for value in first:
        fresh.id_of(value)
    present = ids >= 0
    moved = np.full(len(table), -1, dtype=np.int32)
    for old in np.unique(ids[present]).tolist():
        moved[old] = fresh.id_of(table.values[old])
    ids[present] = moved[ids[present]]
    return fresh
