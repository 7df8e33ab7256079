"""How much of each resource is asked for, over the cluster and per zone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.framework.columns import PODS, BoolArray

ZONE = "topology.kubernetes.io/zone"
NO_ZONE = "-"


class Room(NamedTuple):
    """Canonical amounts: milli-CPU, bytes, counts."""

    allocatable: int
    requested: int

    @property
    def share(self) -> float:
        """Part of the allocatable that is asked for; 0 where there is none."""
        return self.requested / self.allocatable if self.allocatable else 0.0


Rooms = dict[str, Room]
"""By resource."""


@dataclass(frozen=True)
class Usage:
    """A cluster at one time."""

    nodes: int
    pods: int
    """Pods that hold room on living nodes."""
    cluster: Rooms
    zones: dict[str, Rooms]
    """By value of the zone label; `-` for nodes without it."""


def measure(cache: ClusterCache) -> Usage:
    """Add up the living nodes."""
    nodes = cache.nodes
    alive = nodes.alive
    ids = nodes.label_ids(ZONE)
    zones = {}
    for zone in sorted({int(i) for i in ids[alive]}):
        name = nodes.label_value(ZONE, zone) if zone >= 0 else NO_ZONE
        zones[name] = _rooms(cache, alive & (ids == zone))
    return Usage(nodes.alive_count, int(nodes.pod_count[alive].sum()), _rooms(cache, alive), zones)


def _rooms(cache: ClusterCache, mask: BoolArray) -> Rooms:
    nodes = cache.nodes
    found: Rooms = {}
    for i, name in enumerate(nodes.resources.values):
        asked = nodes.pod_count[mask] if i == PODS else nodes.requested[i][mask]
        # Sums in float first: saturated amounts must not wrap around.
        total = int(min(float(np.sum(nodes.allocatable[i][mask], dtype=np.float64)), 9e18))
        used = int(min(float(np.sum(asked, dtype=np.float64)), 9e18))
        if total or used:
            found[name] = Room(total, used)
    return found
