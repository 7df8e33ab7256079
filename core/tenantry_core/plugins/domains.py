"""Counts per topology domain: the one place where per-row numbers are summed over the values of a node label."""

from __future__ import annotations

import numpy as np

from tenantry_core.framework.columns import BoolArray, IdArray, IntArray, NodeColumns


def domain_sums(nodes: NodeColumns, key: str, values: IntArray, among: BoolArray | None = None) -> IntArray:
    """int64[D + 1]: `values` summed by interned value of label `key` over rows that have it (and are in `among`).

    The last entry is 0, so that it can be indexed with the -1 of rows that lack the label.
    """
    ids = nodes.label_ids(key)
    inside = ids >= 0 if among is None else (ids >= 0) & among
    sums = np.zeros(nodes.label_domains(key) + 1, dtype=np.int64)
    found = np.bincount(ids[inside], weights=values[inside], minlength=len(sums))
    sums[:] = np.rint(found).astype(np.int64)
    sums[-1] = 0
    return sums


def domains_present(nodes: NodeColumns, key: str, among: BoolArray) -> BoolArray:
    """bool[D + 1]: which values of label `key` occur on the rows of `among`."""
    present = np.zeros(nodes.label_domains(key) + 1, dtype=np.bool_)
    present[nodes.label_ids(key)[among]] = True
    present[-1] = False
    return present


def spread_over(nodes: NodeColumns, key: str, sums: IntArray) -> IntArray:
    """int64[N]: each row's domain sum, 0 for rows that lack the label."""
    ids: IdArray = nodes.label_ids(key)
    return sums[ids]
