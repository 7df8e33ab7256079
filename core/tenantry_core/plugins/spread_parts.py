"""What one spread constraint says of groups of rows, kept as pods come and go; see `spread_groups.py`."""

from __future__ import annotations

import math

import numpy as np

from tenantry_core.framework.columns import BoolArray, FloatArray, IntArray
from tenantry_core.framework.terms import SpreadConstraint


class DomainSums:
    """Matching pods by domain, for a key that many rows share a value of.

    By group: domain int64[G] (-1 where the label is missing), counted bool[G], missing bool[G]. By domain, with one
    entry at the end for rows without the label: sums int64[D + 1], present bool[D + 1], weights float64[D + 1] (0 where
    no row is scored), which stand for the groups last seen to hold scored rows.
    """

    def __init__(self, constraint: SpreadConstraint, domain: IntArray, counted: BoolArray) -> None:
        domains = int(domain.max()) + 1
        self.constraint = constraint
        self.missing: BoolArray = domain < 0
        self._domain = domain
        self._counted: BoolArray = counted & ~self.missing
        self._lacking = bool(self.missing.any())
        self._sums: IntArray = np.zeros(domains + 1, dtype=np.int64)
        self._present: BoolArray = np.zeros(domains + 1, dtype=np.bool_)
        self._seen = b""
        self._weights: FloatArray = np.zeros(domains + 1, dtype=np.float64)

    def count_all(self, groups: IntArray, counts: IntArray) -> None:
        """Sum afresh. groups and counts are int64[N]."""
        inside = self._counted[groups]
        domains = self._domain[groups[inside]]
        found = np.bincount(domains, weights=counts[inside], minlength=len(self._sums))
        self._sums[:] = np.rint(found).astype(np.int64)
        self._present[:] = False
        self._present[domains] = True

    def moved(self, old: int, new: int, by: int) -> None:
        """A row went from one group to another and carries `by` more pods of the set."""
        if by and self._counted.item(new):
            self._sums[self._domain.item(new)] += by

    def passing(self, own: int) -> BoolArray:
        """bool[G]: one more pod keeps the skew. `own` is 1 where the pod itself counts."""
        standing = self._sums[self._present]
        lowest = 0 if len(standing) < max(1, self.constraint.min_domains) else int(np.minimum.reduce(standing))
        allowed = self._sums <= self.constraint.max_skew + lowest - own
        allowed[-1] = False
        found: BoolArray = allowed.take(self._domain)
        return found

    def part(self, scored: BoolArray, rows: int) -> FloatArray:
        """float64[G]: part of the raw score; only domains with a scored row count."""
        seen = scored.tobytes()
        if seen != self._seen:
            self._seen = seen
            self._weigh(scored)
        by_domain = self._sums * self._weights + float(self.constraint.max_skew - 1)
        if self._lacking:
            by_domain[-1] = 0.0
        found: FloatArray = by_domain.take(self._domain)
        return found

    def _weigh(self, scored: BoolArray) -> None:
        present = np.zeros(len(self._sums), dtype=np.bool_)
        present[self._domain[scored]] = True
        present[-1] = False
        self._weights = present.astype(np.float64) * math.log(int(np.count_nonzero(present)) + 2)


class RowCounts:
    """Matching pods by row, for a key that every row has a value of its own of: groups are told apart by the count.

    By group: counts int64[G], counted bool[G], missing bool[G], held int64[G] (rows in the group).
    """

    def __init__(self, constraint: SpreadConstraint, counts: IntArray, missing: BoolArray, counted: BoolArray) -> None:
        self.constraint = constraint
        self.missing = missing
        self._counted: BoolArray = counted & ~missing
        self._sums: IntArray = np.where(self._counted, counts, 0)
        self._raw: FloatArray = counts.astype(np.float64)
        self._held: IntArray = np.zeros(len(counts), dtype=np.int64)
        self._lacking = bool(missing.any())

    def count_all(self, groups: IntArray, counts: IntArray) -> None:
        """Count the rows of each group afresh. groups is int64[N]."""
        self._held[:] = np.bincount(groups, minlength=len(self._held))

    def moved(self, old: int, new: int, by: int) -> None:
        """A row went from one group to another."""
        self._held[old] -= 1
        self._held[new] += 1

    def passing(self, own: int) -> BoolArray:
        """bool[G]: one more pod keeps the skew. `own` is 1 where the pod itself counts."""
        standing = self._counted & (self._held > 0)
        domains = int(self._held[standing].sum())
        lowest = 0 if domains < max(1, self.constraint.min_domains) else int(self._sums[standing].min())
        found: BoolArray = (self._sums <= self.constraint.max_skew + lowest - own) & ~self.missing
        return found

    def part(self, scored: BoolArray, rows: int) -> FloatArray:
        """float64[G]: part of the raw score; `rows` is the number of rows scored."""
        found: FloatArray = self._raw * math.log(rows + 2) + float(self.constraint.max_skew - 1)
        if self._lacking:
            found[self.missing] = 0.0
        return found


Part = DomainSums | RowCounts
