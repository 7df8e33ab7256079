"""NodeAffinity: nodeSelector, required and preferred node affinity, and the affinity that a profile adds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Normalize, PreFilterResult, Refusal, Scope
from tenantry_core.framework.status import SKIP, SUCCESS, unresolvable
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Node, Pod
from tenantry_core.model.objects import NodeAffinity as RawAffinity
from tenantry_core.model.selectors import NodeTerm, compile_node_term, from_labels
from tenantry_core.plugins.masks import affinity_mask

REASON = "node(s) didn't match Pod's node affinity/selector"
ENFORCED = "node(s) didn't match scheduler-enforced node affinity"


class NodeAffinity:
    """Source: plugins/nodeaffinity of kube-scheduler 1.36. `added` is the profile's own affinity, or None."""

    name = "NodeAffinity"
    filter_scope = Scope.STATIC
    score_scope = Scope.STATIC
    normalization = Normalize.DEFAULT

    def __init__(self, added: RawAffinity | None = None) -> None:
        required = added.required if added else None
        self._added = None if required is None else tuple(compile_node_term(t) for t in required.node_selector_terms)
        preferred = (added.preferred or ()) if added else ()
        self._preferred = tuple((p.weight, compile_node_term(p.preference)) for p in preferred)

    def skips(self, ctx: CycleContext) -> bool:
        """Whether neither pod nor profile says anything."""
        cls = ctx.cls
        silent = cls.node_selector is None and cls.node_terms is None and not cls.preferred_nodes
        return silent and self._added is None and not self._preferred

    def pre_filter(self, ctx: CycleContext) -> PreFilterResult:
        """Narrow the search to nodes named by every term, as daemon pods do."""
        terms = ctx.cls.node_terms
        if not terms:
            return PreFilterResult(SUCCESS if terms is not None or ctx.cls.node_selector else SKIP)
        names: set[str] = set()
        for term in terms:
            named = _named(term)
            if named is None:
                return PreFilterResult(SUCCESS)
            names |= named
        if not names:
            return PreFilterResult(unresolvable("pod affinity terms conflict"))
        return PreFilterResult(SUCCESS, frozenset(names))

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows that match the pod's and the profile's required affinity."""
        found = affinity_mask(ctx)[rows]
        enforced = self._enforced(ctx)
        return found if enforced is None else found & enforced[rows]

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """The profile's rule is told apart from the pod's and checked first."""
        enforced = self._enforced(ctx)
        if enforced is None:
            return (Refusal(REASON, np.ones(len(rows), dtype=np.bool_), unresolvable=True),)
        return (
            Refusal(ENFORCED, ~enforced[rows], unresolvable=True),
            Refusal(REASON, enforced[rows], unresolvable=True),
        )

    def score(self, ctx: CycleContext, rows: Rows) -> IntArray:
        """int64: summed weights of the preferred terms that match."""
        nodes = ctx.snapshot.nodes
        total = np.zeros(nodes.size, dtype=np.int64)
        for weight, term in (*self._preferred, *ctx.cls.preferred_nodes):
            total += weight * nodes.satisfies(term)
        return total[rows]

    def events(self) -> Sequence[EventPattern]:
        """Node added or relabelled."""
        return (EventPattern(Resource.NODE, Action.ADD | Action.UPDATE_LABEL),)

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """Whether the changed node matches now."""
        if not isinstance(event.new, Node):
            return True
        labels, name = event.new.metadata.labels or {}, event.new.metadata.name
        if pod.spec.node_selector and not from_labels(pod.spec.node_selector).matches(labels):
            return False
        raw = pod.spec.affinity.node_affinity if pod.spec.affinity else None
        if raw is None or raw.required is None:
            return True
        return any(compile_node_term(t).matches(labels, name) for t in raw.required.node_selector_terms)

    def _enforced(self, ctx: CycleContext) -> BoolArray | None:
        if self._added is None:
            return None
        found = np.zeros(ctx.snapshot.nodes.size, dtype=np.bool_)
        for term in self._added:
            found |= ctx.snapshot.nodes.satisfies(term)
        return found


def _named(term: NodeTerm) -> set[str] | None:
    """Names that a term is limited to, None where it is not limited by name."""
    found: set[str] | None = None
    for requirement in term.fields:
        if requirement.key == "metadata.name" and requirement.operator == "In":
            values = set(requirement.values)
            found = values if found is None else found & values
    return found
