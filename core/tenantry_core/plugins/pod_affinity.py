"""InterPodAffinity: where other pods are wanted or not, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from tenantry_core.framework.columns import BoolArray, FloatArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Normalize, PreFilterResult, Refusal, Scope
from tenantry_core.framework.status import SKIP, SUCCESS, Status
from tenantry_core.framework.terms import PodSet, PodTerm, TermKind
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Node, Pod
from tenantry_core.model.selectors import NOTHING, Selector
from tenantry_core.plugins.domains import domain_sums, spread_over

MAX_SCORE = 100


class _Masks(NamedTuple):
    """bool[N] each: rows that keep the pod's affinity, its anti-affinity, and the anti-affinity of pods in place."""

    affinity: BoolArray
    anti_affinity: BoolArray
    existing: BoolArray


class InterPodAffinity:
    """Source: plugins/interpodaffinity of kube-scheduler 1.36.

    `hard_weight` scores required affinity of pods in place towards the incoming pod; `ignore_existing` skips the score
    when the pod itself prefers nothing.
    """

    name = "InterPodAffinity"
    filter_scope = Scope.GLOBAL
    score_scope = Scope.GLOBAL
    normalization = Normalize.CUSTOM

    def __init__(self, hard_weight: int = 1, ignore_existing: bool = False) -> None:
        self._hard_weight = hard_weight
        self._ignore_existing = ignore_existing

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod has no terms and meets none."""
        return not any(ctx.cls.terms) and not ctx.snapshot.met_terms(ctx.cls)

    def pre_filter(self, ctx: CycleContext) -> PreFilterResult:
        """Work out the three masks."""
        ctx.state[self.name] = _Masks(_wanted(ctx), _avoided(ctx), _tolerated(ctx))
        return PreFilterResult(SUCCESS)

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows that keep all three."""
        masks = self._masks(ctx)
        return (masks.affinity & masks.anti_affinity & masks.existing)[rows]

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """The first rule that a row breaks gives the reason; missing affinity cannot be cured by preemption."""
        masks = self._masks(ctx)
        lonely = ~masks.affinity[rows]
        avoided = ~lonely & ~masks.anti_affinity[rows]
        return (
            Refusal("node(s) didn't match pod affinity rules", lonely, unresolvable=True),
            Refusal("node(s) didn't match pod anti-affinity rules", avoided),
            Refusal("node(s) didn't satisfy existing pods anti-affinity rules", ~lonely & ~avoided),
        )

    def pre_score(self, ctx: CycleContext) -> Status:
        """Skip where pods in place are not to be asked and the pod itself prefers nothing."""
        return SKIP if self._ignore_existing and not ctx.cls.terms.preferred else SUCCESS

    def score(self, ctx: CycleContext, rows: Rows) -> IntArray:
        """int64: summed weights of the terms that hold between the pod and those in the row's domains."""
        nodes = ctx.snapshot.nodes
        total = np.zeros(nodes.size, dtype=np.int64)
        for weight, term in ctx.cls.terms.preferred:
            total += weight * _by_domain(ctx, term.topology_key, ctx.snapshot.count(term.pods))
        for held, holders in ctx.snapshot.met_terms(ctx.cls):
            weight = self._weight_of(held.kind, held.weight)
            if weight:
                total += weight * _by_domain(ctx, held.term.topology_key, holders)
        return total[rows]

    def normalize(self, ctx: CycleContext, raw: IntArray) -> IntArray:
        """int64 0 to 100 between the lowest and the highest, truncated."""
        low, high = (int(raw.min()), int(raw.max())) if len(raw) else (0, 0)
        if high == low:
            return np.zeros(len(raw), dtype=np.int64)
        scaled: FloatArray = MAX_SCORE * ((raw - low).astype(np.float64) / float(high - low))
        return scaled.astype(np.int64)

    def events(self) -> Sequence[EventPattern]:
        """Pods came, went or were relabelled; nodes came or were relabelled; the pod or a namespace was relabelled."""
        return (
            EventPattern(Resource.ASSIGNED_POD, Action.ADD | Action.DELETE | Action.UPDATE_LABEL),
            EventPattern(Resource.NODE, Action.ADD | Action.UPDATE_LABEL),
            EventPattern(Resource.UNSCHEDULED_POD, Action.UPDATE_LABEL),
            EventPattern(Resource.NAMESPACE, Action.ADD | Action.UPDATE_LABEL),
        )

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """A node helps a pod that wants company only if it has, or had, a label that the pod's terms speak of."""
        nodes = [n for n in (event.old, event.new) if isinstance(n, Node)]
        affinity = pod.spec.affinity.pod_affinity if pod.spec.affinity else None
        wanted = (affinity.required or ()) if affinity else ()
        return (
            not nodes or not wanted or any(t.topology_key in (n.metadata.labels or {}) for n in nodes for t in wanted)
        )

    def _weight_of(self, kind: TermKind, weight: int) -> int:
        if kind is TermKind.REQUIRED_AFFINITY:
            return self._hard_weight
        return weight if kind is TermKind.PREFERRED else 0

    def _masks(self, ctx: CycleContext) -> _Masks:
        if self.name not in ctx.state:
            self.pre_filter(ctx)
        masks: _Masks = ctx.state[self.name]
        return masks


def _by_domain(ctx: CycleContext, key: str, counts: IntArray) -> IntArray:
    """int64[N]: counts of the row's domain; nodes that are gone count nowhere since they have no labels."""
    return spread_over(ctx.snapshot.nodes, key, domain_sums(ctx.snapshot.nodes, key, counts))


def _wanted(ctx: CycleContext) -> BoolArray:
    terms, nodes = ctx.cls.terms.affinity, ctx.snapshot.nodes
    keyed = np.ones(nodes.size, dtype=np.bool_)
    if not terms:
        return keyed
    counts = ctx.snapshot.count(_matching_all(ctx, terms))
    found = keyed.copy()
    anywhere = np.zeros(nodes.size, dtype=np.bool_)
    for term in terms:
        has_key = nodes.label_ids(term.topology_key) >= 0
        keyed &= has_key
        anywhere |= has_key
        found &= _by_domain(ctx, term.topology_key, counts) > 0
    first = not counts[anywhere].any() and all(_covers(ctx, t.pods) for t in terms)
    return keyed if first else found & keyed


def _avoided(ctx: CycleContext) -> BoolArray:
    found = np.ones(ctx.snapshot.nodes.size, dtype=np.bool_)
    for term in ctx.cls.terms.anti_affinity:
        found &= _by_domain(ctx, term.topology_key, ctx.snapshot.count(term.pods)) == 0
    return found


def _tolerated(ctx: CycleContext) -> BoolArray:
    found = np.ones(ctx.snapshot.nodes.size, dtype=np.bool_)
    for held, holders in ctx.snapshot.met_terms(ctx.cls):
        if held.kind is TermKind.REQUIRED_ANTI_AFFINITY:
            found &= _by_domain(ctx, held.term.topology_key, holders) == 0
    return found


def _covers(ctx: CycleContext, pods: PodSet) -> bool:
    return pods.covers(ctx.cls.namespace, ctx.snapshot.namespace_labels(ctx.cls.namespace), ctx.cls.labels)


def _matching_all(ctx: CycleContext, terms: Sequence[PodTerm]) -> PodSet:
    """The pods that every term covers: one pod must match all the terms to count for any."""
    sets = [t.pods for t in terms]
    if len(sets) == 1:
        return sets[0]
    requirements = {r for s in sets for r in s.selector.requirements}
    selector = NOTHING if any(s.selector.nothing for s in sets) else Selector(tuple(sorted(requirements)))
    places = {(s.namespaces, s.namespace_selector) for s in sets}
    if len(places) == 1:
        return sets[0]._replace(selector=selector)
    return PodSet(_shared_namespaces(ctx, sets), NOTHING, selector)


def _shared_namespaces(ctx: CycleContext, sets: Iterable[PodSet]) -> tuple[str, ...]:
    known = ctx.snapshot.namespaces()
    shared: set[str] | None = None
    for pods in sets:
        named = set(pods.namespaces) | {n for n, labels in known.items() if pods.namespace_selector.matches(labels)}
        shared = named if shared is None else shared & named
    return tuple(sorted(shared or ()))
