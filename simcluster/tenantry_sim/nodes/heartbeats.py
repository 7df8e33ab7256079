"""Leases of simulated nodes, renewed while the nodes are in touch."""

from collections.abc import Callable, Iterable

from tenantry_sim.clock import Cancellable, micro_stamp
from tenantry_sim.world import World

_LEASES, _SPACE = "coordination.k8s.io/leases", "kube-node-lease"
_DURATION = 40
"""Seconds that a lease says it is good for, as a kubelet's."""


class Heartbeats:
    """Writes the lease of each node that reports, every so many seconds."""

    def __init__(self, world: World, seconds: float, nodes: Callable[[], Iterable[str]]) -> None:
        self.world = world
        self.seconds = seconds
        self.nodes = nodes
        self._timer: Cancellable | None = None

    def start(self) -> None:
        if self.seconds > 0:
            self._beat()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _beat(self) -> None:
        for node in tuple(self.nodes()):
            self._renew(node)
        self._timer = self.world.clock.call_later(self.seconds, self._beat)

    def _renew(self, node: str) -> None:
        kind, now = self.world.kind(_LEASES), micro_stamp(self.world.clock.now())
        spec = {"holderIdentity": node, "leaseDurationSeconds": _DURATION, "renewTime": now}
        record = kind.get(_SPACE, node)
        if record is not None:
            self.world.store.replace(kind, record, {**record.decode(), "spec": spec})
            return
        metadata = {"name": node, "namespace": _SPACE, "uid": self.world.uid()}
        metadata["creationTimestamp"] = self.world.stamp()
        self.world.store.create(kind, {"metadata": metadata, "spec": spec})
