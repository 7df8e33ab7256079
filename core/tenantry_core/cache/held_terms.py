"""Affinity rules that placed pods hold, grouped by equal rule, so that an incoming pod meets each rule once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tenantry_core.cache.node_table import CountColumn, NodeTable
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.snapshot import MetTerm
from tenantry_core.framework.terms import HeldTerm
from tenantry_core.model.objects import Labels

SWEEP_FROM = 256
"""Rules kept before the first look for those that nobody holds."""


class HeldTerms:
    """Per rule, how many pods hold it on each row."""

    def __init__(self, nodes: NodeTable, namespaces: Mapping[str, Labels]) -> None:
        self._nodes = nodes
        self._namespaces = namespaces
        self._groups: dict[HeldTerm, CountColumn] = {}
        self._version = 0
        self._next_sweep = SWEEP_FROM

    def change(self, cls: PodClass, row: int, by: int) -> None:
        """Add (`by` 1) or take away (-1) the rules of one placed pod."""
        for held in cls.terms.held():
            group = self._groups.get(held)
            if group is None:
                if len(self._groups) >= self._next_sweep:
                    self._drop_empty()
                group = self._groups[held] = CountColumn(self._nodes)
                self._version += 1
            group.add(row, by)

    def namespaces_changed(self) -> None:
        """Forget which rules concern whom: namespaces may match other selectors now."""
        self._version += 1

    def met(self, cls: PodClass) -> Sequence[MetTerm]:
        """Rules with at least one holder whose pod set covers pods of `cls`."""
        memo = cls.memo.get(HeldTerms)
        if memo is None or memo[0] != self._version:
            space = self._namespaces.get(cls.namespace, {})
            found = [(h, g) for h, g in self._groups.items() if h.term.pods.covers(cls.namespace, space, cls.labels)]
            memo = cls.memo[HeldTerms] = (self._version, found)
        return [MetTerm(held, group.view()) for held, group in memo[1] if group.total]

    def _drop_empty(self) -> None:
        """Forget rules that nobody holds any more: each rollout may bring rules of its own."""
        self._groups = {held: group for held, group in self._groups.items() if group.total}
        self._next_sweep = max(SWEEP_FROM, 2 * len(self._groups))
        self._version += 1
