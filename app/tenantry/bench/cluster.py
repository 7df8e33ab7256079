"""The cluster of a workload: objects made and decoded, everything that is there before placed."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tenantry.bench import shapes
from tenantry.bench.workloads import Group, Workload, scaled
from tenantry.simulate.place import Placer
from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.model.decode import DECODERS
from tenantry_core.model.objects import Node, Pod
from tenantry_core.plugins.profiles import default_profile


@dataclass(frozen=True)
class Size:
    """How large a run is."""

    nodes: int
    pods: int
    """Measured pods."""
    seed: int = 0
    """Sets the order in which nodes come, and so where ties fall."""


@dataclass
class Pace:
    """The clock that the queue sees: monotonic seconds, one step an attempt."""

    step: float
    now: float = 1.0

    def tick(self) -> float:
        """Go one step and tell the time."""
        self.now += self.step
        return self.now


@dataclass(frozen=True)
class Stage:
    """A cluster ready to be measured on: the measured pods are queued."""

    placer: Placer
    pace: Pace
    nodes: list[Node]
    side: Side
    decode_us: float
    """Microseconds that decoding one measured pod took."""


class Side:
    """What happens beside the measured pods, prepared beforehand."""

    def __init__(self, workload: Workload, pods: int) -> None:
        self.every = workload.every
        """Measured pods between two events; 0 for none."""
        count = (pods - 1) // self.every + 1 if self.every else 0
        make = workload.beside
        self._pods: list[Pod] = decoded("Pod", (make("beside", f"beside-{i}", i) for i in range(count)) if make else ())
        self._node: Node | None = decode("Node", shapes.node("churn", {}, pods=0)) if workload.churn else None
        self._services = decoded("Service", (shapes.service("beside", f"churn-{i}") for i in range(count)))

    def happen(self, number: int, placer: Placer, now: float) -> None:
        """Event `number`, from 0: a pod that is not measured; with churn also a node replaced and a Service made."""
        if self._node is not None:
            if number:
                placer.remove_node(self._node, now)
            placer.add_node(self._node, now)
            placer.put("Service", self._services[number])
        placer.submit(self._pods[number : number + 1], now)


def build(workload: Workload, size: Size) -> Stage:
    """Make the cluster, place what is there before, queue the measured pods."""
    nodes = _nodes(workload, size)
    placer, pace = Placer(ClusterCache(), default_profile()), Pace(1.0 / workload.pace)
    for node in nodes:
        placer.cache.upsert_node(node)
    if workload.service:
        placer.put("Service", decode("Service", shapes.service(workload.measured.namespace, workload.service)))
    if workload.stateful_set:
        owner = shapes.stateful_set(workload.measured.namespace, workload.stateful_set)
        placer.put("StatefulSet", decode("StatefulSet", owner))
    for number, group in enumerate(workload.init):
        bodies = _bodies(group, scaled(group.pods, size.nodes), f"init-{number}")
        placer.submit(decoded("Pod", bodies), pace.now)
    while placer.attempt(pace.tick()) is not None:
        pass
    texts = [json.dumps(body).encode() for body in _bodies(workload.measured, size.pods, "pod")]
    read, start = DECODERS["Pod"], time.perf_counter()
    pods = [read(text) for text in texts]
    decode_us = (time.perf_counter() - start) / len(pods) * 1e6
    placer.submit(pods, pace.now)
    return Stage(placer, pace, nodes, Side(workload, size.pods), decode_us)


def decode(kind: str, body: dict[str, Any]) -> Any:
    """One object as the API server would have sent it."""
    return DECODERS[kind](json.dumps(body).encode())


def decoded(kind: str, bodies: Iterable[dict[str, Any]]) -> list[Any]:
    """Several objects of one kind."""
    return [decode(kind, body) for body in bodies]


def _bodies(group: Group, count: int, prefix: str) -> Iterable[dict[str, Any]]:
    return (group.shape(group.namespace, f"{prefix}-{i}", i) for i in range(count))


def _nodes(workload: Workload, size: Size) -> list[Node]:
    zones = workload.zones
    bodies = [
        shapes.node(f"node-{i:05}", {shapes.ZONE: zones[i % len(zones)]} if zones else {}) for i in range(size.nodes)
    ]
    random.Random(size.seed).shuffle(bodies)
    return decoded("Node", bodies)
