"""What the demo plays, as data: three teams, a burst of pods, one that fits nowhere, one that preempts.

Pod names carry their shape, so that the story can be followed with kubectl too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

NAMESPACES = ("shop", "search", "batch")
UNFIT = ("batch", "too-big")
URGENT = ("shop", "checkout-urgent")
PRIORITY_CLASS = "demo-urgent"
PRIORITY = 1000

Body = dict[str, Any]


@dataclass(frozen=True)
class Shape:
    """A kind of pod and its share of the burst."""

    name: str
    namespace: str
    share: int
    cpu: str
    memory: str
    rules: str = ""
    """`spread` over zones, `apart` from its like per node, `zone` preference, or none."""


SHAPES = (
    Shape("web", "shop", 6, "250m", "256Mi", "spread"),
    Shape("cart-db", "shop", 1, "400m", "1Gi", "apart"),
    Shape("index", "search", 4, "400m", "2Gi", "zone"),
    Shape("query", "search", 4, "250m", "512Mi"),
    Shape("report", "batch", 5, "500m", "1Gi"),
)
"""About 1.4 GiB and 360 milli-CPU a pod on average: 2,000 pods fill nine tenths of the CPU of 200 nodes."""


def burst(pods: int, nodes: int) -> Iterator[Body]:
    """`pods` bodies, shapes mixed as they would arrive; pods that keep apart are no more than there are nodes."""
    shares = [shape for shape in SHAPES for _ in range(shape.share)]
    made = dict.fromkeys(SHAPES, 0)
    for i in range(pods):
        shape = shares[i * 7 % len(shares)]
        if shape.rules == "apart" and made[shape] >= nodes:
            shape = SHAPES[-1]
        yield pod(shape, made[shape])
        made[shape] += 1


def pod(shape: Shape, number: int) -> Body:
    """One pod of a shape."""
    labels = {"app": shape.name, "apps.kubernetes.io/pod-index": str(number)}
    body = _pod((shape.namespace, f"{shape.name}-{number}"), {"cpu": shape.cpu, "memory": shape.memory}, labels)
    selector = {"matchLabels": {"app": shape.name}}
    if shape.rules == "spread":
        body["spec"]["topologySpreadConstraints"] = [
            {
                "maxSkew": 2,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": selector,
            }
        ]
    elif shape.rules == "apart":
        term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector}
        body["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    elif shape.rules == "zone":
        expression = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-0", "zone-1"]}
        preferred = [{"weight": 10, "preference": {"matchExpressions": [expression]}}]
        body["spec"]["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    return body


def unfit() -> Body:
    """Asks for more than any node has."""
    return _pod(UNFIT, {"cpu": "64", "memory": "1Gi"}, {"app": "too-big"})


def urgent() -> Body:
    """Fits only where others make room, and may take it from them."""
    body = _pod(URGENT, {"cpu": "3500m", "memory": "1Gi"}, {"app": "checkout"})
    body["spec"]["priorityClassName"] = PRIORITY_CLASS
    return body


def priority_class() -> Body:
    """What makes the urgent pod urgent."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": PRIORITY_CLASS},
        "value": PRIORITY,
    }


def namespace(name: str) -> Body:
    """A team's namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _pod(key: tuple[str, str], requests: dict[str, str], labels: dict[str, str]) -> Body:
    container = {"name": "main", "image": "registry.example/demo:v1", "resources": {"requests": requests}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": key[0], "name": key[1], "labels": labels},
        "spec": {"containers": [container]},
    }
