"""The controller that keeps the rules of aggregating cluster roles."""

import asyncio

from tenantry_sim.access.defaults import aggregate
from tenantry_sim.access.rbac import CLUSTER_ROLES
from tenantry_sim.store.records import Change
from tenantry_sim.world import World


class AggregationController:
    """Writes collected rules soon after a cluster role has changed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._planned: asyncio.Handle | None = None

    def start(self) -> None:
        """Follow the cluster roles; needs a running event loop."""
        self._world.kind(CLUSTER_ROLES).listeners.append(self._changed)

    def stop(self) -> None:
        """Follow them no longer."""
        self._world.kind(CLUSTER_ROLES).listeners.remove(self._changed)
        if self._planned is not None:
            self._planned.cancel()

    def _changed(self, change: Change) -> None:
        del change
        if self._planned is None:
            self._planned = asyncio.get_running_loop().call_soon(self._act)

    def _act(self) -> None:
        self._planned = None
        aggregate(self._world)
