"""Every controller by name, and how a choice of them becomes actors."""

from collections.abc import Callable, Iterable
from typing import Protocol

from tenantry_sim.controllers.daemonsets import DaemonSets
from tenantry_sim.controllers.deployments import Deployments
from tenantry_sim.controllers.endpoints import Endpoints
from tenantry_sim.controllers.garbage import GarbageCollector
from tenantry_sim.controllers.jobs import Jobs
from tenantry_sim.controllers.lifecycle import NodeLifecycle
from tenantry_sim.controllers.quotas import Quotas
from tenantry_sim.controllers.replicasets import ReplicaSets, ReplicationControllers
from tenantry_sim.controllers.runner import Controller, Runner
from tenantry_sim.controllers.statefulsets import StatefulSets
from tenantry_sim.nodes.budgets import BudgetController
from tenantry_sim.nodes.volumes import VolumeController
from tenantry_sim.world import World


class Actor(Protocol):
    """Something that follows the store between `start` and `stop`."""

    def start(self) -> None: ...

    def stop(self) -> None: ...


_RUN: dict[str, tuple[type[Controller], ...]] = {
    "deployments": (Deployments,),
    "replicasets": (ReplicaSets, ReplicationControllers),
    "statefulsets": (StatefulSets,),
    "daemonsets": (DaemonSets,),
    "jobs": (Jobs,),
    "endpoints": (Endpoints,),
    "quotas": (Quotas,),
    "lifecycle": (NodeLifecycle,),
    "garbage": (GarbageCollector,),
}
_ACTORS: dict[str, Callable[[World], Actor]] = {"budgets": BudgetController, "volumes": VolumeController}


def actors(world: World, names: Iterable[str]) -> list[Actor]:
    """The chosen controllers, in an order that does not depend on the choice. `all` stands for every one."""
    chosen = set(names)
    if "all" in chosen:
        chosen = {*_RUN, *_ACTORS}
    run = [kind for name, kinds in _RUN.items() if name in chosen for kind in kinds]
    found = [make(world) for name, make in _ACTORS.items() if name in chosen]
    return [*found, Runner(world, run)] if run else found
