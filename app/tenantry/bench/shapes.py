"""Nodes and pods of the workloads, as the Kubernetes objects that an API server would send.

Sizes and shapes are those of the templates of kube-scheduler's scheduler_perf harness.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Body = dict[str, Any]
Shape = Callable[[str, str, int], Body]
"""(namespace, name, number within its group) to a pod body."""

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
NAMESPACES = ("sched-0", "sched-1")
IMAGE = "registry.k8s.io/pause:3.10"


def node(name: str, labels: dict[str, str], pods: int = 110) -> Body:
    """A node of 4 CPU and 32Gi."""
    amounts = {"cpu": "4", "memory": "32Gi", "pods": str(pods)}
    return {
        "metadata": {"name": name, "labels": {HOST: name, **labels}},
        "status": {
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def plain(namespace: str, name: str, number: int) -> Body:
    """100m and 500Mi, one container port without a host port."""
    return _pod(namespace, name, "100m", "500Mi")


def stateful(namespace: str, name: str, number: int) -> Body:
    """As `plain`, a member of a StatefulSet: two labels of its own, owned by the set."""
    pod = plain(namespace, name, number)
    pod["metadata"]["labels"] = {
        "app": "web",
        "apps.kubernetes.io/pod-index": str(number),
        "controller-revision-hash": "web-7c5d8bf9c6",
        "statefulset.kubernetes.io/pod-name": name,
    }
    pod["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "web", "controller": True}
    ]
    return pod


def served(namespace: str, name: str, number: int) -> Body:
    """As `plain`, behind the Service `served`: the cluster's default spread constraints apply."""
    pod = plain(namespace, name, number)
    pod["metadata"]["labels"] = {"app": "served"}
    return pod


def low(namespace: str, name: str, number: int) -> Body:
    """900m: four fill a node but for 400m."""
    return _pod(namespace, name, "900m", "500Mi")


def preemptor(namespace: str, name: str, number: int) -> Body:
    """Priority 10 and 3 CPU: three `low` pods must go."""
    return _pod(namespace, name, "3000m", "500Mi", priority=10)


def too_large(namespace: str, name: str, number: int) -> Body:
    """Priority 10 and 9 CPU: fits on no node."""
    return _pod(namespace, name, "9", "500Mi", priority=10)


def spread_hard(namespace: str, name: str, number: int) -> Body:
    """At most 5 apart over the zones, or not at all."""
    return _spread(plain(namespace, name, number), "DoNotSchedule")


def spread_soft(namespace: str, name: str, number: int) -> Body:
    """At most 5 apart over the zones, as a wish."""
    return _spread(plain(namespace, name, number), "ScheduleAnyway")


def affinity(namespace: str, name: str, number: int) -> Body:
    """In the zone of its like."""
    return _near(plain(namespace, name, number), "blue", "podAffinity", _term("blue", ZONE))


def anti_affinity(namespace: str, name: str, number: int) -> Body:
    """On a node without its like."""
    return _near(plain(namespace, name, number), "green", "podAntiAffinity", _term("green", HOST))


def affinity_wish(namespace: str, name: str, number: int) -> Body:
    """Rather on a node with its like."""
    return _near(plain(namespace, name, number), "red", "podAffinity", _term("red", HOST), wish=True)


def anti_affinity_wish(namespace: str, name: str, number: int) -> Body:
    """Rather on a node without its like."""
    return _near(plain(namespace, name, number), "yellow", "podAntiAffinity", _term("yellow", HOST), wish=True)


def node_affinity(namespace: str, name: str, number: int) -> Body:
    """In one of two zones, of which only one exists."""
    pod = plain(namespace, name, number)
    rule = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["zone1", "zone2"]}]}
    pod["spec"]["affinity"] = {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [rule]}}
    }
    return pod


def service(namespace: str, name: str) -> Body:
    """A Service that selects pods with its own name as their app."""
    return {"metadata": {"namespace": namespace, "name": name}, "spec": {"selector": {"app": name}}}


def stateful_set(namespace: str, name: str) -> Body:
    """The StatefulSet that `stateful` pods name as their owner, selecting its own name as their app."""
    return {"metadata": {"namespace": namespace, "name": name}, "spec": {"selector": {"matchLabels": {"app": name}}}}


def _pod(namespace: str, name: str, cpu: str, memory: str, priority: int = 0) -> Body:
    amounts = {"cpu": cpu, "memory": memory}
    container = {
        "name": "pause",
        "image": IMAGE,
        "ports": [{"containerPort": 80}],
        "resources": {"requests": amounts, "limits": amounts},
    }
    return {
        "metadata": {"namespace": namespace, "name": name, "uid": f"{namespace}/{name}"},
        "spec": {"priority": priority, "containers": [container]},
        "status": {"phase": "Pending"},
    }


def _spread(pod: Body, otherwise: str) -> Body:
    pod["metadata"]["labels"] = {"color": "blue"}
    pod["spec"]["topologySpreadConstraints"] = [
        {
            "maxSkew": 5,
            "topologyKey": ZONE,
            "whenUnsatisfiable": otherwise,
            "labelSelector": {"matchLabels": {"color": "blue"}},
        }
    ]
    return pod


def _term(color: str, topology: str) -> Body:
    return {
        "labelSelector": {"matchLabels": {"color": color}},
        "topologyKey": topology,
        "namespaces": list(NAMESPACES),
    }


def _near(pod: Body, color: str, side: str, term: Body, wish: bool = False) -> Body:
    pod["metadata"]["labels"] = {"color": color}
    rule: Body = (
        {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term}]}
        if wish
        else {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    )
    pod["spec"]["affinity"] = {side: rule}
    return pod
