"""Nodes that come and nodes that go: clones of a node, and the draining of others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from msgspec import structs

from tenantry.simulate.inventory import Inventory
from tenantry.simulate.trial import comes_back
from tenantry_core.cache.cluster_cache import TERMINAL
from tenantry_core.framework.pod_class import controlling_owner
from tenantry_core.model.objects import Node, Pod
from tenantry_core.model.selectors import compile_selector
from tenantry_core.model.storage import PodDisruptionBudget

HOSTNAME = "kubernetes.io/hostname"
_OWN_TAINTS = "node.kubernetes.io/"
"""Taints with this prefix tell of the state of one node; a new one starts without them."""


def clones(like: Node, count: int, taken: Iterable[str]) -> list[Node]:
    """`count` new nodes with the labels, taints and room of `like`, empty and in service."""
    names: list[str] = []
    used = set(taken)
    number = 0
    while len(names) < count:
        number += 1
        name = f"{like.metadata.name}-added-{number}"
        if name not in used:
            names.append(name)
    taints = tuple(t for t in like.spec.taints or () if not t.key.startswith(_OWN_TAINTS))
    found = []
    for name in names:
        labels = {**(like.metadata.labels or {}), HOSTNAME: name}
        meta = structs.replace(like.metadata, name=name, uid=f"added/{name}", labels=labels)
        spec = structs.replace(like.spec, unschedulable=False, taints=taints)
        found.append(structs.replace(like, metadata=meta, spec=spec, status=structs.replace(like.status, images=())))
    return found


@dataclass(frozen=True)
class Budget:
    """What a drain means for one disruption budget."""

    budget: str
    allowed: int
    """Disruptions that it allows now."""
    evicted: int
    """Pods of it on the drained nodes."""

    @property
    def blocks(self) -> bool:
        """Whether `kubectl drain` would have to wait for pods to come up elsewhere."""
        return self.evicted > self.allowed


@dataclass
class Drained:
    """What became of the pods on drained nodes."""

    nodes: list[str] = field(default_factory=list)
    displaced: list[Pod] = field(default_factory=list)
    """As their controllers make them again: pending."""
    lost: list[Pod] = field(default_factory=list)
    """Pods that nothing makes again."""
    stayed: int = 0
    """Pods of daemon sets and static pods, which go with their nodes."""
    budgets: list[Budget] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "nodes": self.nodes,
            "displaced": len(self.displaced),
            "lost": [f"{p.metadata.namespace}/{p.metadata.name}" for p in self.lost],
            "with_their_node": self.stayed,
            "budgets": [{**asdict(b), "blocks": b.blocks} for b in self.budgets],
        }


def drain(found: Inventory, names: Iterable[str]) -> Drained:
    """Take nodes away with everything on them. Names must be known."""
    answer = Drained(list(names))
    evicted: list[Pod] = []
    for name in answer.nodes:
        for placed in found.cache.pods_on(found.cache.nodes.row_of(name)):
            _sort(placed.pod, answer, evicted)
            found.cache.remove_pod(placed.uid)
        found.cache.remove_node(name)
    answer.budgets = [b for budget in found.cache.budgets if (b := _budget(budget, evicted)).evicted]
    return answer


def _sort(pod: Pod, answer: Drained, evicted: list[Pod]) -> None:
    kind = controlling_owner(pod)[0]
    if pod.status.phase in TERMINAL or pod.metadata.deletion_timestamp:
        return
    if kind in ("DaemonSet", "Node") or "kubernetes.io/config.mirror" in (pod.metadata.annotations or {}):
        answer.stayed += 1
        return
    evicted.append(pod)
    again = comes_back(pod)
    if again is None:
        answer.lost.append(pod)
    else:
        answer.displaced.append(again)


def _budget(budget: PodDisruptionBudget, evicted: list[Pod]) -> Budget:
    meta, selector = budget.metadata, compile_selector(budget.spec.selector)
    matched = sum(p.metadata.namespace == meta.namespace and selector.matches(p.metadata.labels or {}) for p in evicted)
    return Budget(f"{meta.namespace}/{meta.name}", budget.status.disruptions_allowed, matched)
