"""Counts of placed pods per node for every set of pods that a rule in use speaks of, kept as pods come and go."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tenantry_core.cache.node_table import CountColumn, NodeTable
from tenantry_core.cache.pod_table import PodTable
from tenantry_core.framework.columns import IntArray
from tenantry_core.framework.terms import PodSet
from tenantry_core.model.objects import Labels, Pod

LIMIT = 4096
"""Columns kept; past that all are dropped and those in use counted again, so that old rollouts' sets do not pile up."""

LabelKey = tuple[tuple[str, str], ...]
"""The labels of a pod on tracked keys, as a hashable value."""


class SelectorCounts:
    """One column per PodSet asked for; a changed pod touches only the columns it belongs to.

    `version` rises when the set of tracked label keys grows: pods told apart by a new key are then told apart.
    """

    def __init__(self, nodes: NodeTable, pods: PodTable, namespaces: Mapping[str, Labels]) -> None:
        self.version = 0
        self._nodes = nodes
        self._pods = pods
        self._namespaces = namespaces
        self._columns: dict[PodSet, CountColumn] = {}
        self._matches: dict[tuple[str, LabelKey], list[tuple[CountColumn, bool]]] = {}

    def track(self, pods: PodSet) -> None:
        """Make the selector's label keys part of what tells pods apart."""
        for key in pods.selector.keys:
            self.track_key(key)

    def track_key(self, key: str) -> None:
        """Make one label key part of what tells pods apart."""
        if self._pods.track(key):
            self.version += 1
            self._matches.clear()

    def label_key(self, pod: Pod) -> LabelKey:
        """The pod's labels on tracked keys."""
        labels = pod.metadata.labels
        if not labels:
            return ()
        return tuple((key, labels[key]) for key in self._pods.keys if key in labels)

    def count(self, pods: PodSet) -> IntArray:
        """int64[N]: placed pods of the set per row."""
        column = self._columns.get(pods)
        if column is None:
            if len(self._columns) >= LIMIT:
                self._columns.clear()
            column = self._columns[pods] = CountColumn(self._nodes)
            self.track(pods)
            self._fill(pods, column)
            self._matches.clear()
        return column.view()

    def change(self, pod: Pod, row: int, by: int) -> None:
        """Add (`by` 1) or take away (-1) a placed pod."""
        if not self._columns:
            return
        terminating = bool(pod.metadata.deletion_timestamp)
        for column, counts_terminating in self._matching(pod):
            if counts_terminating or not terminating:
                column.add(row, by)

    def namespaces_changed(self) -> None:
        """Count again every set that picks namespaces by label."""
        self._matches.clear()
        for pods, column in self._columns.items():
            if not pods.namespace_selector.nothing:
                self._fill(pods, column)

    def _matching(self, pod: Pod) -> list[tuple[CountColumn, bool]]:
        namespace, key = pod.metadata.namespace, self.label_key(pod)
        found = self._matches.get((namespace, key))
        if found is None:
            labels, space = dict(key), self._namespaces.get(namespace, {})
            found = [(c, p.terminating) for p, c in self._columns.items() if p.covers(namespace, space, labels)]
            if len(self._matches) > 100_000:
                self._matches.clear()
            self._matches[namespace, key] = found
        return found

    def _fill(self, pods: PodSet, column: CountColumn) -> None:
        known, selector = self._namespaces, pods.namespace_selector
        picked = [n for n in self._pods.namespaces.values if selector.matches(known.get(n, {}))]
        mask = self._pods.matching(pods.selector, [*pods.namespaces, *picked], pods.terminating)
        column.set(np.bincount(self._pods.rows[mask], minlength=self._nodes.size).astype(np.int64))
