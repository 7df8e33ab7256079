"""One recorded case: build the cluster, decide the pod, compare every part of the answer.

A case agrees when all of these do: bound or not; the number of feasible nodes; every plugin's score of every node; the
chosen node being among the best; reason and message; one of the accepted preemption outcomes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Placement, Unplaced
from tenantry_core.cycle.explain import Explanation, explain
from tenantry_core.cycle.message import fit_message
from tenantry_core.cycle.preempt import Preemption
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.profile import Profile
from tenantry_core.model.decode import from_builtins
from tenantry_core.model.objects import Pod
from tenantry_core.plugins.profiles import default_profile

Case = dict[str, Any]
GATED = "Scheduling is blocked due to non-empty scheduling gates"
"""Written by the API server when a pod with gates is created."""
STARTS = 6
"""kube-scheduler begins its search for a node at random and leaves the order of equal pods that have not started to
chance, so a recorded outcome has to be among ours over the first few beginnings."""


def disagreements(case: Case) -> list[str]:
    """What differs from the recorded result; empty where all agrees."""
    cache, profile = cluster_of(case), default_profile()
    pod: Pod = from_builtins("Pod", _with_uid(case["pod"]))
    return list(_compare(cache, profile, pod, case["result"]))


def cluster_of(case: Case) -> ClusterCache:
    """The cluster before the pod came."""
    cache = ClusterCache()
    for item in (*case["namespaces"], *case["objects"]):
        cache.put(item["kind"], from_builtins(item["kind"], item))
    for item in case["nodes"]:
        cache.upsert_node(from_builtins("Node", item))
    for item in case["existing"]:
        cache.upsert_pod(from_builtins("Pod", _with_uid(item)))
    return cache


def _compare(cache: ClusterCache, profile: Profile, pod: Pod, want: dict[str, Any]) -> Iterator[str]:
    gate = next((s for p in profile.pre_enqueue if not (s := p.pre_enqueue(pod)).ok), None)
    if gate is not None:
        if want.get("reason") != "SchedulingGated" or want.get("message") != GATED:
            yield f"held by a gate, want {want}"
        return
    cls = cache.classes.class_of(pod)
    found = explain(cache, profile, pod, cls)
    if isinstance(found.decision, Unplaced):
        yield from _compare_refusal(found.decision, want)
    else:
        yield from _compare_placement(cache, found, found.decision, want)
    if "preemption" in want and isinstance(found.decision, Unplaced):
        yield from _compare_preemption(cache, profile, (pod, cls), found.decision, want["preemption"])


def _compare_refusal(decision: Unplaced, want: dict[str, Any]) -> Iterator[str]:
    if want["node"] is not None:
        yield f"not bound ({fit_message(decision.diagnosis)}), want node {want['node']}"
        return
    if want["reason"] != "Unschedulable":
        yield f"reason: Unschedulable, want {want['reason']}"
    message = fit_message(decision.diagnosis)
    if message != want["message"]:
        yield f"message: {message!r}, want {want['message']!r}"


def _compare_placement(
    cache: ClusterCache, found: Explanation, decision: Placement, want: dict[str, Any]
) -> Iterator[str]:
    if want["node"] is None:
        yield f"bound to {decision.node}, want {want['message']!r}"
        return
    if len(found.feasible) != want["feasibleNodes"]:
        yield f"feasible nodes: {len(found.feasible)}, want {want['feasibleNodes']}"
        return
    if "totalScores" not in want:
        if decision.node != want["node"]:
            yield f"node: {decision.node}, want {want['node']}"
        return
    names = [cache.nodes.names[row] for row in found.feasible]
    yield from _compare_scores(names, found, want)
    best = max(want["totalScores"].values())
    if want["totalScores"].get(decision.node) != best:
        yield f"node: {decision.node} is not among the best"


def _compare_scores(names: list[str], found: Explanation, want: dict[str, Any]) -> Iterator[str]:
    recorded = want["scores"]
    for plugin in sorted(recorded.keys() | found.scores.keys()):
        ours = dict(zip(names, (int(s) for s in found.scores.get(plugin, [0] * len(names))), strict=True))
        theirs = recorded.get(plugin, dict.fromkeys(names, 0))
        if ours != theirs:
            yield f"{plugin}: {ours}, want {theirs}"
    totals = dict(zip(names, (int(t) for t in found.totals), strict=True))
    if totals != want["totalScores"]:
        yield f"totals: {totals}, want {want['totalScores']}"


def _compare_preemption(
    cache: ClusterCache, profile: Profile, pod: tuple[Pod, PodClass], decision: Unplaced, accepted: list[dict[str, Any]]
) -> Iterator[str]:
    ctx = CycleContext(cache, pod[1], pod[0])
    outcomes = [
        {"nominatedNode": r.nominated_node, "victims": sorted(v.pod.metadata.name for v in r.victims)}
        for r in Preemption(profile).outcomes(ctx, decision.diagnosis, STARTS)
    ]
    if not any(_same_outcome(ours, theirs) for ours in outcomes for theirs in accepted):
        yield f"preemption: {outcomes}, want one of {accepted}"


def _same_outcome(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    node = theirs.get("nominatedNode") or None
    return bool(ours["victims"] == sorted(theirs["victims"]) and ours["nominatedNode"] == node)


def _with_uid(item: dict[str, Any]) -> dict[str, Any]:
    meta = item["metadata"]
    return {**item, "metadata": {"uid": f"{meta.get('namespace', '')}/{meta['name']}", **meta}}
