"""What a simulation is asked, and what it knows while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tenantry.simulate.admit import Admitted
from tenantry.simulate.capacity import LIMIT, Shape
from tenantry.simulate.inventory import Inventory
from tenantry.simulate.nodes import Drained
from tenantry.simulate.quota import Quotas
from tenantry.simulate.read import Item, Stray
from tenantry.simulate.trial import Trial
from tenantry_core.framework.pod_class import controlling_owner
from tenantry_core.model.objects import Node, Pod

Step = Callable[[str, int], None]
"""Told what is going on and how many pods are done."""


@dataclass(frozen=True)
class Scenario:
    """What is to happen to the cluster."""

    add: Sequence[Item | Stray] = ()
    """Workloads, and objects of any other kind that come with them."""
    nodes: Sequence[Node] = ()
    """Nodes that come."""
    like: str = ""
    """Node whose storage drivers they have; "" for none."""
    drain: Sequence[str] = ()
    """Names of nodes that go; must be known."""
    shapes: Sequence[Shape] = ()
    """Shapes to fill the rest with; without any, those of the added workloads, else the cluster's commonest."""
    limit: int = LIMIT
    """Replicas of one shape tried at most."""


@dataclass
class Wanting:
    """A pod that wants in, with where it comes from."""

    pod: Pod
    workload: str
    cause: str


@dataclass
class Run:
    """One simulation under way."""

    found: Inventory
    scenario: Scenario
    trial: Trial
    quotas: Quotas
    step: Step
    wanting: dict[str, Wanting] = field(default_factory=dict)
    admitted: list[Admitted] = field(default_factory=list)
    foreign: dict[str, int] = field(default_factory=dict)
    """Pods of schedulers that are not ours, by name."""
    unusable: list[tuple[str, str, str]] = field(default_factory=list)
    """(workload, pod or object, reason): workloads to add that cannot be read."""
    drained: Drained = field(default_factory=Drained)


def name_of(pod: Pod) -> str:
    """`namespace/name`."""
    return f"{pod.metadata.namespace}/{pod.metadata.name}"


def workload_of(pod: Pod) -> str:
    """`ReplicaSet shop/web-7d9c`: the pod's controller, or the pod itself."""
    kind, name = controlling_owner(pod)
    return f"{kind or 'Pod'} {pod.metadata.namespace}/{name or pod.metadata.name}"
