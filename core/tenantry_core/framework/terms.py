"""Rules about other pods, compiled: which pods a spread constraint or an affinity term means, and over which topology.

Source: InterPodAffinity and PodTopologySpread of kube-scheduler 1.36. The API server merges matchLabelKeys of affinity
terms into the selector when a pod is created; those of spread constraints are merged here too, which is idempotent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from tenantry_core.model.objects import (
    Affinity,
    PodAffinity,
    PodAffinityTerm,
    TopologySpreadConstraint,
)
from tenantry_core.model.selectors import NOTHING, Requirement, Selector, compile_selector, narrowed

HOSTNAME = "kubernetes.io/hostname"


class PodSet(NamedTuple):
    """Pods in one of `namespaces`, or in a namespace that `namespace_selector` picks, that match `selector`."""

    namespaces: tuple[str, ...]
    namespace_selector: Selector
    selector: Selector
    terminating: bool = True
    """Whether pods that are being deleted count (they do for affinity, they do not for spread)."""

    def covers(self, namespace: str, namespace_labels: Mapping[str, str], labels: Mapping[str, str]) -> bool:
        """Whether a pod with these labels in this namespace belongs to the set."""
        inside = namespace in self.namespaces or self.namespace_selector.matches(namespace_labels)
        return inside and self.selector.matches(labels)


class PodTerm(NamedTuple):
    """A required affinity or anti-affinity term."""

    topology_key: str
    pods: PodSet


class WeightedTerm(NamedTuple):
    """A preferred term; the weight is negative for anti-affinity."""

    weight: int
    term: PodTerm


class SpreadConstraint(NamedTuple):
    """A topology spread constraint with its defaults filled in."""

    max_skew: int
    topology_key: str
    pods: PodSet
    min_domains: int = 1
    honor_affinity: bool = True
    honor_taints: bool = False


class TermKind(StrEnum):
    """What a term held by a placed pod means for a pod that comes later."""

    REQUIRED_AFFINITY = "required-affinity"
    REQUIRED_ANTI_AFFINITY = "required-anti-affinity"
    PREFERRED = "preferred"


class HeldTerm(NamedTuple):
    """A term as a key: placed pods with an equal one are counted together."""

    kind: TermKind
    weight: int
    term: PodTerm


class AffinityTerms(NamedTuple):
    """All affinity rules of a pod."""

    affinity: tuple[PodTerm, ...] = ()
    anti_affinity: tuple[PodTerm, ...] = ()
    preferred: tuple[WeightedTerm, ...] = ()

    def held(self) -> tuple[HeldTerm, ...]:
        """The rules in the form in which other pods meet them."""
        return (
            *(HeldTerm(TermKind.REQUIRED_AFFINITY, 0, t) for t in self.affinity),
            *(HeldTerm(TermKind.REQUIRED_ANTI_AFFINITY, 0, t) for t in self.anti_affinity),
            *(HeldTerm(TermKind.PREFERRED, w, t) for w, t in self.preferred),
        )

    def pod_sets(self) -> Iterable[PodSet]:
        """Every set of pods that the rules speak of."""
        yield from (t.pods for t in self.affinity)
        yield from (t.pods for t in self.anti_affinity)
        yield from (w.term.pods for w in self.preferred)


NO_TERMS = AffinityTerms()


def compile_term(raw: PodAffinityTerm, namespace: str) -> PodTerm:
    """Compile one affinity term of a pod in `namespace`. Raises SelectorError."""
    names = tuple(sorted(set(raw.namespaces or ())))
    if not names and raw.namespace_selector is None:
        names = (namespace,)
    pods = PodSet(names, compile_selector(raw.namespace_selector), compile_selector(raw.label_selector))
    return PodTerm(raw.topology_key, pods)


def compile_affinity(raw: Affinity | None, namespace: str) -> AffinityTerms:
    """Compile the pod affinity and anti-affinity of a pod in `namespace`. Raises SelectorError."""
    if raw is None or (raw.pod_affinity is None and raw.pod_anti_affinity is None):
        return NO_TERMS
    wants, avoids = raw.pod_affinity or PodAffinity(), raw.pod_anti_affinity or PodAffinity()
    preferred = [WeightedTerm(w.weight, compile_term(w.pod_affinity_term, namespace)) for w in wants.preferred or ()]
    preferred += [WeightedTerm(-w.weight, compile_term(w.pod_affinity_term, namespace)) for w in avoids.preferred or ()]
    return AffinityTerms(
        tuple(compile_term(t, namespace) for t in wants.required or ()),
        tuple(compile_term(t, namespace) for t in avoids.required or ()),
        tuple(preferred),
    )


def compile_constraint(raw: TopologySpreadConstraint, namespace: str, labels: Mapping[str, str]) -> SpreadConstraint:
    """Compile one spread constraint of a pod with `labels` in `namespace`. Raises SelectorError."""
    extra = tuple(Requirement(k, "In", (labels[k],)) for k in raw.match_label_keys or () if k in labels)
    selector = narrowed(compile_selector(raw.label_selector), extra)
    if not selector.requirements:
        selector = NOTHING
    return SpreadConstraint(
        max_skew=raw.max_skew,
        topology_key=raw.topology_key,
        pods=PodSet((namespace,), NOTHING, selector, terminating=False),
        min_domains=raw.min_domains or 1,
        honor_affinity=raw.node_affinity_policy != "Ignore",
        honor_taints=raw.node_taints_policy == "Honor",
    )
