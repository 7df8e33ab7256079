"""Finds where the cache contradicts what it was told, or itself. Pure; the watch stage lists and mends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tenantry_core.cache.cluster_cache import TERMINAL, ClusterCache
from tenantry_core.framework.columns import PODS
from tenantry_core.model.objects import Node, Pod
from tenantry_core.model.quantity import SATURATED
from tenantry_core.model.requests import Amounts


class Drift(NamedTuple):
    """One thing that is wrong."""

    kind: str
    """Node or Pod."""
    key: str
    """Node name, or UID of a pod."""
    what: str


def node_drift(cache: ClusterCache, known: Mapping[str, Node]) -> list[Drift]:
    """Differences between the nodes of the cache and those that the watch knows, by name."""
    found = [Drift("Node", name, "missing") for name in known if cache.nodes.row_of(name) < 0]
    for row in range(cache.nodes.size):
        name = cache.nodes.names[row]
        if cache.nodes.alive[row] and name not in known:
            found.append(Drift("Node", name, "extra"))
    return found


def pod_drift(cache: ClusterCache, known: Mapping[str, Pod]) -> list[Drift]:
    """Differences between placed pods and those that the watch knows, by UID. Assumed pods are not looked at."""
    found = []
    for uid, pod in known.items():
        if not pod.spec.node_name or pod.status.phase in TERMINAL:
            continue
        placed = cache.placed(uid)
        if placed is None:
            found.append(Drift("Pod", uid, "missing"))
        elif not placed.assumed and cache.nodes.names[placed.row] != pod.spec.node_name:
            found.append(Drift("Pod", uid, "on another node"))
    extra = [placed.uid for placed in cache.placed_pods() if not placed.assumed and placed.uid not in known]
    return found + [Drift("Pod", uid, "extra") for uid in extra]


def recount(cache: ClusterCache, rows: range) -> list[Drift]:
    """Work out the sums of some rows from their pods, mend those that differ, and name the nodes.

    About 10 microseconds a row: call it in slices.
    """
    found = []
    nodes = cache.nodes
    for row in rows:
        used: Amounts = {}
        scoring = [0, 0]
        pods = cache.pods_on(row)
        for placed in pods:
            for name, amount in placed.request.items():
                used[name] = used.get(name, 0) + amount
            scoring = [scoring[0] + placed.scoring[0], scoring[1] + placed.scoring[1]]
        if not _same(cache, row, used, len(pods)):
            nodes.set_usage(row, used, (scoring[0], scoring[1]))
            found.append(Drift("Node", nodes.names[row], "sums"))
    return found


def _same(cache: ClusterCache, row: int, used: Amounts, pods: int) -> bool:
    nodes = cache.nodes
    for resource in range(nodes.requested.shape[0]):
        if resource == PODS:
            continue
        name = nodes.resources.values[resource] if resource < len(nodes.resources.values) else ""
        if int(nodes.requested[resource, row]) != min(SATURATED, used.get(name, 0)):
            return False
    return int(nodes.pod_count[row]) == pods
