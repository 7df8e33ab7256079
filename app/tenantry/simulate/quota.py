"""ResourceQuotas before and after: what is used, what is added, and which pods a quota would refuse.

Source: the pod evaluator of the ResourceQuota admission plugin of Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tenantry.simulate.limits import limit_of_pod
from tenantry.simulate.objects import ResourceQuota, ScopeRequirement, counted_as, quota_amount
from tenantry_core.cache.cluster_cache import TERMINAL
from tenantry_core.model.objects import Pod, ResourceRequirements
from tenantry_core.model.quantity import format_amount
from tenantry_core.model.requests import Amounts, effective_request

_PLAIN = ("cpu", "memory", "ephemeral-storage")
_MUST_NAME = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")


def charge_of(pod: Pod) -> Amounts:
    """What one pod takes of every quota resource that could name it, in canonical amounts."""
    found: Amounts = {"pods": 1, "count/pods": 1}
    for name, value in effective_request(pod).items():
        found[f"requests.{name}"] = value
        if name in _PLAIN or name.startswith("hugepages-"):
            found[name] = value
    for name, value in limit_of_pod(pod).items():
        found[f"limits.{name}"] = value
    return found


@dataclass(frozen=True)
class Scoped:
    """What decides whether a quota with scopes counts a pod."""

    best_effort: bool
    terminating: bool
    priority_class: str
    cross_namespace: bool


def scoped(pod: Pod, deadline: bool = False) -> Scoped:
    """`deadline`: whether activeDeadlineSeconds is set, which the pod struct does not carry."""
    every = (*pod.spec.containers, *(pod.spec.init_containers or ()))
    named = [r for c in every for r in (c.resources.requests, c.resources.limits) if r]
    whole = pod.spec.resources
    named += [r for r in (whole.requests, whole.limits) if r] if whole is not None else []
    quiet = not any(name in ("cpu", "memory") for r in named for name in r)
    return Scoped(quiet, deadline, pod.spec.priority_class_name, _crosses(pod))


def _crosses(pod: Pod) -> bool:
    affinity = pod.spec.affinity
    sides = [s for s in (affinity.pod_affinity, affinity.pod_anti_affinity) if s is not None] if affinity else []
    terms = [t for s in sides for t in (*(s.required or ()), *(w.pod_affinity_term for w in s.preferred or ()))]
    return any(t.namespaces or t.namespace_selector is not None for t in terms)


@dataclass
class Ledger:
    """One quota with what is used of it."""

    quota: ResourceQuota
    before: Amounts = field(default_factory=dict)
    used: Amounts = field(default_factory=dict)
    refused: int = 0
    """Added pods that this quota refused."""

    def counts(self, pod: Scoped) -> bool:
        """Whether the quota's scopes cover the pod."""
        spec = self.quota.spec
        wanted = [ScopeRequirement(name, "Exists") for name in spec.scopes or ()]
        wanted += spec.scope_selector.match_expressions or () if spec.scope_selector else ()
        return all(_matches(requirement, pod) for requirement in wanted)

    def over(self, charge: Amounts) -> str:
        """Why `charge` does not fit any more, or ""."""
        hard = self.hard
        beyond = sorted(n for n, limit in hard.items() if charge.get(n, 0) and self.used.get(n, 0) + charge[n] > limit)
        if not beyond:
            return ""
        parts = [
            ",".join(f"{name}={_text(name, amounts.get(name, 0))}" for name in beyond)
            for amounts in (charge, self.used, hard)
        ]
        name = self.quota.metadata.name
        return f"exceeded quota: {name}, requested: {parts[0]}, used: {parts[1]}, limited: {parts[2]}"

    def room(self, charge: Amounts) -> int | None:
        """How many more such pods fit; None for no bound."""
        rooms = [max(0, limit - self.used.get(n, 0)) // charge[n] for n, limit in self.hard.items() if charge.get(n)]
        return min(rooms, default=None)

    @property
    def hard(self) -> Amounts:
        """Ceilings, canonical."""
        return {name: quota_amount(name, text) for name, text in (self.quota.spec.hard or {}).items()}

    def as_dict(self) -> dict[str, Any]:
        """Plain data: per resource hard, before and after in canonical amounts, and as text."""
        rows = {
            name: {"hard": limit, "before": self.before.get(name, 0), "after": self.used.get(name, 0)}
            for name, limit in sorted(self.hard.items())
        }
        meta = self.quota.metadata
        return {"namespace": meta.namespace or "default", "name": meta.name, "resources": rows, "refused": self.refused}


class Quotas:
    """All quotas of the cluster, charged pod by pod."""

    def __init__(self, quotas: Iterable[ResourceQuota], pods: Iterable[Pod]) -> None:
        """Usage is what the quota controller wrote; where it wrote nothing, it is counted over `pods`."""
        self.ledgers = [Ledger(quota) for quota in quotas]
        self._of: dict[str, list[Ledger]] = {}
        for ledger in self.ledgers:
            self._of.setdefault(ledger.quota.metadata.namespace or "default", []).append(ledger)
        uncounted = {id(ledger) for ledger in self.ledgers if not self._written(ledger)}
        if uncounted:
            self._count(pods, uncounted)
        for ledger in self.ledgers:
            ledger.before = dict(ledger.used)

    def of(self, namespace: str) -> Sequence[Ledger]:
        """Quotas of a namespace."""
        return self._of.get(namespace, ())

    def take(self, namespace: str, charge: Amounts, pod: Scoped) -> str:
        """Charge a new pod to every quota that counts it, or to none. Returns why it is refused, or ""."""
        concerned = [ledger for ledger in self.of(namespace) if ledger.counts(pod)]
        for ledger in concerned:
            why = ledger.over(charge)
            if why:
                ledger.refused += 1
                return why
        self._book(concerned, charge, 1)
        return ""

    def missing(self, pod: Pod, about: Scoped) -> str:
        """Why a quota refuses a pod that does not name what the quota counts; "" where none does."""
        for ledger in self.of(pod.metadata.namespace):
            if not ledger.counts(about):
                continue
            silent = {name: _silent(pod, name) for name in sorted(set(ledger.hard) & set(_MUST_NAME))}
            lacking = [f"{name} for: {','.join(names)}" for name, names in silent.items() if names]
            if lacking:
                return f"failed quota: {ledger.quota.metadata.name}: must specify {'; '.join(lacking)}"
        return ""

    def give_back(self, pod: Pod) -> None:
        """A pod is gone for good."""
        about, concerned = scoped(pod), self.of(pod.metadata.namespace)
        self._book([ledger for ledger in concerned if ledger.counts(about)], charge_of(pod), -1)

    def room(self, pod: Pod) -> tuple[int, str] | None:
        """(how many more such pods, name of the tightest quota); None where no quota bounds them."""
        about, charge = scoped(pod), charge_of(pod)
        rooms = [
            (room, ledger.quota.metadata.name)
            for ledger in self.of(pod.metadata.namespace)
            if ledger.counts(about) and (room := ledger.room(charge)) is not None
        ]
        return min(rooms, default=None)

    def _written(self, ledger: Ledger) -> bool:
        used = ledger.quota.status.used
        if used is None:
            return False
        ledger.used = {name: quota_amount(name, text) for name, text in used.items()}
        return True

    def _count(self, pods: Iterable[Pod], uncounted: set[int]) -> None:
        for pod in pods:
            if pod.status.phase in TERMINAL or pod.metadata.namespace not in self._of:
                continue
            concerned = [x for x in self._of[pod.metadata.namespace] if id(x) in uncounted]
            if concerned:
                about = scoped(pod)
                self._book([x for x in concerned if x.counts(about)], charge_of(pod), 1)

    @staticmethod
    def _book(ledgers: Iterable[Ledger], charge: Amounts, sign: int) -> None:
        for ledger in ledgers:
            for name in ledger.quota.spec.hard or {}:
                if charge.get(name):
                    ledger.used[name] = max(0, ledger.used.get(name, 0) + sign * charge[name])


def _silent(pod: Pod, name: str) -> list[str]:
    """Containers that say nothing of a quota's resource; none where the pod as a whole does."""
    resource, limits = counted_as(name), name.startswith("limits.")

    def says(resources: ResourceRequirements | None) -> bool:
        named = (resources.limits if limits else resources.requests) if resources is not None else None
        return resource in (named or {})

    if says(pod.spec.resources):
        return []
    every = (*pod.spec.containers, *(pod.spec.init_containers or ()))
    return [c.name for c in every if not says(c.resources)]


def _matches(requirement: ScopeRequirement, pod: Scoped) -> bool:
    match requirement.scope_name:
        case "BestEffort":
            return pod.best_effort
        case "NotBestEffort":
            return not pod.best_effort
        case "Terminating":
            return pod.terminating
        case "NotTerminating":
            return not pod.terminating
        case "CrossNamespacePodAffinity":
            return pod.cross_namespace
        case "PriorityClass":
            return _selects(requirement, pod.priority_class)
        case _:
            return False


def _selects(requirement: ScopeRequirement, name: str) -> bool:
    values = requirement.values or ()
    match requirement.operator:
        case "In":
            return name in values
        case "NotIn":
            return name not in values
        case "Exists":
            return bool(name)
        case "DoesNotExist":
            return not name
        case _:
            return False


def _text(name: str, value: int) -> str:
    return format_amount(counted_as(name), value)
