"""Replica sets and replication controllers: as many pods as asked for."""

from collections.abc import Iterable

from tenantry_sim import selectors
from tenantry_sim.controllers import claims, events, writes
from tenantry_sim.controllers.ownership import OwnerIndex, reference
from tenantry_sim.controllers.runner import Controller, Key
from tenantry_sim.controllers.views import PodView
from tenantry_sim.kinds.deletion import DeleteOptions, delete
from tenantry_sim.status import ApiError
from tenantry_sim.store.records import Change, Object, Record
from tenantry_sim.world import World

_BURST = 500
"""Pods made or deleted for one set in one go, as upstream."""
_COST = "controller.kubernetes.io/pod-deletion-cost"


class ReplicaSets(Controller):
    """Makes and deletes pods; keeps the counts of the status."""

    key = "apps/replicasets"
    kinds = ("apps/replicasets", "/pods")

    def __init__(self, world: World, owners: OwnerIndex) -> None:
        super().__init__(world, owners)
        self.resource = world.kind(self.key).resource
        self._matches: dict[str, selectors.Match] = {}

    def keys(self, kind: str, change: Change) -> Iterable[Key]:
        found = list(self.own_or_owner(kind, self.key, self.resource.kind, change))
        record, before = change.record, change.previous
        if kind == self.key and change.type == "DELETED":
            self._matches.pop(record.uid, None)
        elif kind == "/pods" and not found and (before is None or before.labels != record.labels):
            sets = self.world.kind(self.key).items.get(record.namespace, {}) if record.labels else {}
            found = [(r.namespace, r.name) for r in sets.values() if self._match(r)(record.labels)]
        return found

    def _match(self, record: Record) -> selectors.Match:
        """The set's selector, which never changes."""
        match = self._matches.get(record.uid)
        if match is None:
            match = self._matches[record.uid] = claims.match_of(record.decode())
        return match

    def _claim(self, record: Record, obj: Object) -> None:
        """Own every pod that matches and is free; let go of those that match no more."""
        match = self._match(record)
        for view in self.owners.pods(record.uid):
            if not match(view.record.labels):
                claims.release(self.world, "/pods", view.record, record.uid)
        for view in self.owners.loose_pods(record.namespace):
            if view.active and match(view.record.labels):
                claims.adopt(self.world, "/pods", view.record, reference(self.resource, obj))

    def sync(self, namespace: str, name: str) -> float | None:
        record = self.world.find(self.key, name, namespace)
        if record is None:
            return None
        obj = record.decode()
        if not record.deleting:
            self._claim(record, obj)
        pods = self.owners.pods(record.uid)
        active = [view for view in pods if view.active]
        failure: ApiError | None = None
        if not record.deleting:
            failure = self._manage(record, obj, active)
        latest = self.world.find(self.key, name, namespace)
        if latest is not None:
            self._report(latest, obj, failure)
        if failure is not None:
            raise failure
        return _soonest(active, obj["spec"].get("minReadySeconds", 0), self.world.clock.now())

    def _manage(self, record: Record, obj: Object, active: list[PodView]) -> ApiError | None:
        wanted = obj["spec"].get("replicas", 1)
        for _ in range(min(wanted - len(active), _BURST)):
            try:
                pod = writes.create(self.world, "/pods", record.namespace, self._pod(obj))
            except ApiError as refusal:
                message = f"Error creating: {refusal.message}"
                events.report(self.world, self.key, record, "Warning", "FailedCreate", message)
                return refusal
            events.report(self.world, self.key, record, "Normal", "SuccessfulCreate", f"Created pod: {pod.name}")
        if len(active) > wanted:
            for view in sorted(active, key=deletion_rank)[: min(len(active) - wanted, _BURST)]:
                delete_pod(self.world, view)
                message = f"Deleted pod: {view.name}"
                events.report(self.world, self.key, record, "Normal", "SuccessfulDelete", message)
        return None

    def _pod(self, obj: Object) -> Object:
        return pod_from(obj["spec"]["template"], f"{obj['metadata']['name']}-", reference(self.resource, obj))

    def _report(self, record: Record, obj: Object, failure: ApiError | None) -> None:
        now, min_ready = self.world.clock.now(), obj["spec"].get("minReadySeconds", 0)
        active = [view for view in self.owners.pods(record.uid) if view.active]
        labels = (obj["spec"]["template"].get("metadata") or {}).get("labels") or {}
        counts = {
            "fullyLabeledReplicas": sum(labels.items() <= dict(view.record.labels).items() for view in active),
            "readyReplicas": sum(view.ready for view in active),
            "availableReplicas": sum(view.available(min_ready, now) for view in active),
        }
        status: Object = {"replicas": len(active), **{k: n for k, n in counts.items() if n}}
        status["observedGeneration"] = obj["metadata"].get("generation", 0)
        if failure is not None:
            condition = {
                "type": "ReplicaFailure",
                "status": "True",
                "reason": "FailedCreate",
                "message": failure.message,
            }
            status["conditions"] = list(obj.get("status", {}).get("conditions") or ())
            writes.put_condition(status, condition, self.world.stamp())
        writes.set_status(self.world, self.key, record, status)


class ReplicationControllers(ReplicaSets):
    """The older form of the same."""

    key = "/replicationcontrollers"
    kinds = ("/replicationcontrollers", "/pods")


def pod_from(template: Object, prefix: str, owner: Object) -> Object:
    """A pod of a template, owned by `owner`, named by the server after `prefix`."""
    inner = template.get("metadata") or {}
    metadata: Object = {"generateName": prefix, "ownerReferences": [owner]}
    for member in ("labels", "annotations", "finalizers"):
        if inner.get(member):
            metadata[member] = dict(inner[member]) if isinstance(inner[member], dict) else list(inner[member])
    return {"metadata": metadata, "spec": copied(template["spec"])}


def copied(value: Object) -> Object:
    """A private copy of plain JSON data."""
    return {k: _copy(v) for k, v in value.items()}


def _copy(value: object) -> object:
    if isinstance(value, dict):
        return {k: _copy(v) for k, v in value.items()}
    return [_copy(v) for v in value] if isinstance(value, list) else value


def delete_pod(world: World, view: PodView) -> None:
    """Delete a pod with its own grace period."""
    record = world.find("/pods", view.name, view.record.namespace)
    if record is not None and record.uid == view.record.uid and not record.deleting:
        delete(world, world.kind("/pods"), record, DeleteOptions())


def deletion_rank(view: PodView) -> tuple[object, ...]:
    """Which pods go first: without a node, not running, not ready, cheap by annotation, restarting, young."""
    annotations = view.pod.metadata.annotations
    try:
        cost = int(annotations.get(_COST, "0"))
    except ValueError:
        cost = 0
    order = {"Pending": 0, "": 1, "Unknown": 1}.get(view.phase, 2)
    # Stamps sort by age; the letters are turned round so that the youngest comes first.
    young = _reverse(view.pod.metadata.creationTimestamp)
    return (bool(view.node), order, view.ready, cost, -view.restarts, young, view.name)


def _reverse(stamp: str) -> tuple[int, ...]:
    return tuple(-ord(letter) for letter in stamp)


def _soonest(active: list[PodView], min_ready: float, now: float) -> float | None:
    """Seconds until the next pod becomes available by age."""
    waits = [min_ready - (now - since) for view in active if min_ready and (since := view.ready_since) is not None]
    return min((wait for wait in waits if wait > 0), default=None)
