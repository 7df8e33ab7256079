"""The grounds of one pod's decision as plain data, with numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from msgspec import structs

from tenantry.explain.details import detail
from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Diagnosis, Unplaced
from tenantry_core.cycle.explain import Explanation, explain
from tenantry_core.cycle.message import fit_message
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import EnqueueExtensions
from tenantry_core.framework.profile import Profile
from tenantry_core.model.events import ClusterEvent
from tenantry_core.model.objects import Pod

EXAMPLES = 5


@dataclass(frozen=True)
class ReasonReport:
    """One reason, over all nodes that gave it."""

    text: str
    plugin: str
    nodes: int
    outlook: str
    """`never`: no other pod's going would help. `later`: it may fit when others go."""
    examples: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class NodeScore:
    """A node that would do, with its weighted score by plugin."""

    node: str
    total: int
    scores: dict[str, int]


@dataclass(frozen=True)
class PodReport:
    """Everything `explain pod` says."""

    pod: str
    state: str
    """`placed`, `pending`, `gated` or `finished`."""
    node: str
    verdict: str
    reasons: list[ReasonReport] = field(default_factory=list)
    candidates: list[NodeScore] = field(default_factory=list)
    """Best first."""
    feasible: int = 0
    nodes: int = 0
    helped_by: list[str] = field(default_factory=list)
    """Cluster events that would have the pod tried again."""
    preemption: str = ""
    queue: dict[str, Any] | None = None
    """What the running scheduler says of its place in the queue."""

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)


def report(cache: ClusterCache, profile: Profile, pod: Pod) -> PodReport:
    """Explain one pod of the cluster. The cache is as it was afterwards."""
    name = f"{pod.metadata.namespace}/{pod.metadata.name}"
    if pod.status.phase in ("Succeeded", "Failed"):
        return PodReport(name, "finished", pod.spec.node_name, f"has ended ({pod.status.phase}) and holds nothing")
    gate = next((s for p in profile.pre_enqueue if not (s := p.pre_enqueue(pod)).ok), None)
    if gate is not None:
        return PodReport(name, "gated", "", gate.message, nodes=cache.nodes.alive_count)
    placed = cache.placed(pod.metadata.uid)
    if placed is None:
        return _pending(cache, profile, pod, name)
    with cache.simulate() as simulation:
        simulation.remove(placed)
        # NodeName keeps a pod that names its node there; the question is where it would go if it did not.
        free = structs.replace(pod, spec=structs.replace(pod.spec, node_name=""))
        found = explain(cache, profile, free, placed.cls)
        scores = _scores(cache, found)
        nodes = len(found.feasible)
    node = cache.nodes.names[placed.row]
    return PodReport(
        name, "placed", node, _placed_verdict(node, scores), [], scores[:EXAMPLES], nodes, cache.nodes.alive_count
    )


def _pending(cache: ClusterCache, profile: Profile, pod: Pod, name: str) -> PodReport:
    cls = cache.classes.class_of(pod)
    found = explain(cache, profile, pod, cls)
    alive = cache.nodes.alive_count
    if not isinstance(found.decision, Unplaced):
        verdict = f"fits now on {len(found.feasible)} of {alive} nodes, best {found.decision.node}; waits for its turn"
        scores = _scores(cache, found)[:EXAMPLES]
        return PodReport(name, "pending", "", verdict, [], scores, len(found.feasible), alive)
    diagnosis = found.decision.diagnosis
    ctx = CycleContext(cache, cls, pod)
    return PodReport(
        name,
        "pending",
        "",
        fit_message(diagnosis),
        _reasons(ctx, diagnosis),
        nodes=alive,
        helped_by=_helped_by(profile, diagnosis),
        preemption=_preemption(ctx, profile, diagnosis),
    )


def _reasons(ctx: CycleContext, diagnosis: Diagnosis) -> list[ReasonReport]:
    if diagnosis.pre_filter.reasons:
        status = diagnosis.pre_filter
        return [ReasonReport(status.message, status.plugin, diagnosis.nodes, "never")]
    found = []
    for reason in diagnosis.reasons:
        rows = np.flatnonzero(reason.rows)
        examples = [
            {"node": ctx.snapshot.nodes.names[int(row)], "detail": detail(ctx, reason.text, int(row))}
            for row in rows[:EXAMPLES]
        ]
        outlook = "never" if reason.unresolvable else "later"
        found.append(ReasonReport(reason.text, reason.plugin, len(rows), outlook, examples))
    return sorted(found, key=lambda r: (-r.nodes, r.text))


def _preemption(ctx: CycleContext, profile: Profile, diagnosis: Diagnosis) -> str:
    for plugin in profile.post_filter:
        result = plugin.post_filter(ctx, profile, diagnosis)
        if result.nominated_node is not None:
            names = ", ".join(f"{v.pod.metadata.namespace}/{v.pod.metadata.name}" for v in result.victims)
            return f"would take {result.nominated_node} from {names or 'nobody'}"
        if result.message:
            return str(result.message)
    return ""


def _helped_by(profile: Profile, diagnosis: Diagnosis) -> list[str]:
    found: set[str] = set()
    for plugin in profile.plugins:
        if plugin.name in diagnosis.plugins and isinstance(plugin, EnqueueExtensions):
            for pattern in plugin.events():
                found.update(ClusterEvent(pattern.resource, action).label for action in pattern.actions)
    return sorted(found)


def _scores(cache: ClusterCache, found: Explanation) -> list[NodeScore]:
    if len(found.totals) != len(found.feasible):
        return []
    order = np.argsort(-found.totals, kind="stable")
    return [
        NodeScore(
            cache.nodes.names[int(found.feasible[i])],
            int(found.totals[i]),
            {plugin: int(scores[i]) for plugin, scores in found.scores.items()},
        )
        for i in order
    ]


def _placed_verdict(node: str, scores: list[NodeScore]) -> str:
    rank = next((i for i, s in enumerate(scores) if s.node == node), None)
    if rank is None:
        return f"runs on {node}, which would not be chosen for it today"
    if len(scores) == 1:
        return f"runs on {node}, the only node that would do today"
    better = sum(s.total > scores[rank].total for s in scores)
    if not better:
        return f"runs on {node}, today still the best of {len(scores)} nodes that would do"
    return f"runs on {node}; of {len(scores)} nodes that would do today, {better} would score higher"
