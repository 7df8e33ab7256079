"""The life of nodes: conditions of silent nodes, taints that follow conditions, pods that must leave.

A node is silent while it has the annotation that `LOST` names, or once its lease, where it has one, is overdue. A node
that nobody ever reported a `Ready` condition for is taken as it is.
"""

from collections.abc import Iterable

from tenantry_sim.clock import parse_stamp
from tenantry_sim.controllers import events, writes
from tenantry_sim.controllers.ownership import OwnerIndex
from tenantry_sim.controllers.placement import tolerates
from tenantry_sim.controllers.runner import Controller, Key
from tenantry_sim.controllers.views import PodView
from tenantry_sim.kinds.binding import set_condition
from tenantry_sim.kinds.deletion import DeleteOptions, delete
from tenantry_sim.nodes.fleet import is_lost
from tenantry_sim.store.records import Change, Object, Record
from tenantry_sim.world import World

_LEASES, _LEASE_SPACE = "coordination.k8s.io/leases", "kube-node-lease"
_GRACE_SECONDS = 50.0
"""Silence after which a node counts as unreachable (`--node-monitor-grace-period`)."""
_ORPHAN_SECONDS = 40.0
"""Pods of a node that is no more are removed after this time, as pod garbage collection does."""
_PREFIX = "node.kubernetes.io/"
_BY_CONDITION = {
    "MemoryPressure": "memory-pressure",
    "DiskPressure": "disk-pressure",
    "PIDPressure": "pid-pressure",
    "NetworkUnavailable": "network-unavailable",
}
_OURS = frozenset(f"{_PREFIX}{name}" for name in (*_BY_CONDITION.values(), "not-ready", "unreachable", "unschedulable"))


class NodeLifecycle(Controller):
    """Looks at one node and the pods on it."""

    kinds = ("/nodes", "/pods", _LEASES)

    def __init__(self, world: World, owners: OwnerIndex) -> None:
        super().__init__(world, owners)
        self._silent: dict[str, float] = {}
        self._gone: dict[str, float] = {}
        self._evicting: dict[str, dict[str, float]] = {}
        """Node with a NoExecute taint, to its pods' UIDs and when each was first seen there."""

    def keys(self, kind: str, change: Change) -> Iterable[Key]:
        record = change.record
        if kind == "/nodes":
            return [("", record.name)]
        if kind == _LEASES:
            return [("", record.name)] if record.namespace == _LEASE_SPACE else ()
        node = record.fields.get("spec.nodeName", "")
        fresh = change.previous is None or change.previous.fields.get("spec.nodeName", "") != node
        if not node or change.type == "DELETED" or not fresh:
            return ()
        return [("", node)] if node in self._evicting or self.world.find("/nodes", node) is None else ()

    def sync(self, namespace: str, name: str) -> float | None:
        record = self.world.find("/nodes", name)
        if record is None:
            return self._clear_up(name)
        self._gone.pop(name, None)
        again = self._listen(record)
        record = self.world.find("/nodes", name) or record
        writes.change(self.world, "/nodes", record, self._taint)
        latest = self.world.find("/nodes", name)
        return again if latest is None else _least(again, self._evict(latest))

    # ---- silence -----------------------------------------------------------------------------------------------------

    def _listen(self, record: Record) -> float | None:
        """Seconds until a silent node counts as unreachable; marks it when the time is up."""
        now, name = self.world.clock.now(), record.name
        lease = self._lease(name)
        if not is_lost(record) and lease is None:
            self._silent.pop(name, None)
            return None
        since = self._silent.setdefault(name, now) if lease is None else max(lease, _heard(record))
        left = since + _GRACE_SECONDS - now
        if left > 0:
            return left
        writes.change(self.world, "/nodes", record, self._mark_unknown)
        for view in self.owners.pods_on(name):
            self._mark_unready(view)
        return None

    def _lease(self, name: str) -> float | None:
        """When the node's lease was renewed."""
        record = self.world.find(_LEASES, name, _LEASE_SPACE)
        renewed = record.decode().get("spec", {}).get("renewTime") if record is not None else None
        return parse_stamp(renewed) if renewed else None

    def _mark_unknown(self, node: Object) -> None:
        now = self.world.stamp()
        for condition in node.get("status", {}).get("conditions") or ():
            if condition.get("status") == "Unknown":
                continue
            why = {"reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
            condition.update({"status": "Unknown", "lastTransitionTime": now, **why})

    def _mark_unready(self, view: PodView) -> None:
        record = self.world.find("/pods", view.name, view.record.namespace)
        if record is None or not view.ready:
            return

        def write(pod: Object) -> None:
            set_condition(pod["status"], {"type": "Ready", "status": "False"}, self.world.stamp())

        writes.change(self.world, "/pods", record, write)

    # ---- taints ------------------------------------------------------------------------------------------------------

    def _taint(self, node: Object) -> None:
        """Taints of ours are what the conditions and `unschedulable` say; others stay."""
        spec = node.setdefault("spec", {})
        conditions = {c.get("type"): c.get("status") for c in node.get("status", {}).get("conditions") or ()}
        wanted: list[tuple[str, str]] = []
        ready = conditions.get("Ready")
        if ready in ("False", "Unknown"):
            name = "not-ready" if ready == "False" else "unreachable"
            wanted += [(f"{_PREFIX}{name}", "NoSchedule"), (f"{_PREFIX}{name}", "NoExecute")]
        wanted += [
            (f"{_PREFIX}{taint}", "NoSchedule")
            for kind, taint in _BY_CONDITION.items()
            if conditions.get(kind) == "True"
        ]
        if spec.get("unschedulable"):
            wanted.append((f"{_PREFIX}unschedulable", "NoSchedule"))
        before = spec.get("taints") or []
        present = {(t.get("key"), t.get("effect")): t for t in before}
        kept = [t for t in before if t.get("key") not in _OURS or (t.get("key"), t.get("effect")) in wanted]
        now = self.world.stamp()
        kept += [{"key": k, "effect": e, "timeAdded": now} for k, e in wanted if (k, e) not in present]
        if kept:
            spec["taints"] = kept
        else:
            spec.pop("taints", None)

    # ---- pods that must leave ----------------------------------------------------------------------------------------

    def _evict(self, record: Record) -> float | None:
        taints = [t for t in record.decode()["spec"].get("taints") or () if t.get("effect") == "NoExecute"]
        if not taints:
            self._evicting.pop(record.name, None)
            return None
        before, now = self._evicting.get(record.name, {}), self.world.clock.now()
        views = [view for view in self.owners.pods_on(record.name) if view.active]
        since = self._evicting[record.name] = {v.record.uid: before.get(v.record.uid, now) for v in views}
        return _least(*[self._judge(view, taints, since[view.record.uid]) for view in views])

    def _judge(self, view: PodView, taints: list[Object], since: float) -> float | None:
        """Seconds that the pod may stay (None for ever); deletes it when that is none."""
        now, stays = self.world.clock.now(), [float("inf")]
        for taint in taints:
            fitting = [t for t in view.pod.spec.tolerations if tolerates(taint, t)]
            if not fitting:
                stays = [0.0]
                break
            limits = [float(t["tolerationSeconds"]) for t in fitting if t.get("tolerationSeconds") is not None]
            if limits:
                stays.append(since + min(limits) - now)
        left = min(stays)
        if left > 0:
            return None if left == float("inf") else left
        self._drive_out(view, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint")
        return None

    def _drive_out(self, view: PodView, reason: str, message: str) -> None:
        record = self.world.find("/pods", view.name, view.record.namespace)
        if record is None or record.deleting:
            return

        def write(pod: Object) -> None:
            condition = {"type": "DisruptionTarget", "status": "True", "reason": reason, "message": message}
            set_condition(pod["status"], condition, self.world.stamp())

        record = writes.change(self.world, "/pods", record, write)
        events.report(self.world, "/pods", record, "Normal", "TaintManagerEviction", "Marking for deletion Pod")
        delete(self.world, self.world.kind("/pods"), record, DeleteOptions())

    def _clear_up(self, name: str) -> float | None:
        """Remove the pods of a node that is no more."""
        self._silent.pop(name, None)
        self._evicting.pop(name, None)
        pods = self.owners.pods_on(name)
        if not pods:
            self._gone.pop(name, None)
            return None
        now = self.world.clock.now()
        left = self._gone.setdefault(name, now) + _ORPHAN_SECONDS - now
        if left > 0:
            return left
        for view in pods:
            record = self.world.find("/pods", view.name, view.record.namespace)
            if record is not None:
                delete(self.world, self.world.kind("/pods"), record, DeleteOptions(grace=0))
        return None


def _heard(record: Record) -> float:
    """When the kubelet last reported the node ready."""
    for condition in record.decode().get("status", {}).get("conditions") or ():
        if condition.get("type") == "Ready" and condition.get("status") == "True":
            return parse_stamp(condition.get("lastHeartbeatTime") or "1970-01-01T00:00:00Z")
    return 0.0


def _least(*values: float | None) -> float | None:
    return min((v for v in values if v is not None), default=None)
