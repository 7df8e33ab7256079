"""Deployments: rolling updates over replica sets."""

from collections.abc import Iterable

from tenantry_sim.controllers import claims, events, rollout, writes
from tenantry_sim.controllers.ownership import controller_of, reference
from tenantry_sim.controllers.replicasets import copied
from tenantry_sim.controllers.runner import Controller, Key
from tenantry_sim.controllers.views import head
from tenantry_sim.kinds.deletion import DeleteOptions, delete
from tenantry_sim.status import ApiError
from tenantry_sim.store.records import Change, Object, Record

_KEY, _SETS = "apps/deployments", "apps/replicasets"
REVISION = "deployment.kubernetes.io/revision"
_HISTORY = "deployment.kubernetes.io/revision-history"
_DESIRED, _MOST = "deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas"
_OWN_NOTES = frozenset(
    {
        REVISION,
        _HISTORY,
        _DESIRED,
        _MOST,
        "kubectl.kubernetes.io/last-applied-configuration",
        "deprecated.deployment.rollback.to",
    }
)


class Deployments(Controller):
    """Makes replica sets, moves replicas between them, reports progress."""

    kinds = (_KEY, _SETS, "/pods")

    def keys(self, kind: str, change: Change) -> Iterable[Key]:
        if kind == "/pods":
            # A pod that is gone lets a deployment go on that recreates.
            owner = controller_of(head(change.record)) if change.type == "DELETED" else None
            above = self.owners.owners((_SETS, change.record.namespace, owner.name)) if owner is not None else ()
            return [(change.record.namespace, o.name) for o in above if o.controller and o.kind == "Deployment"]
        return self.own_or_owner(kind, _KEY, "Deployment", change)

    def sync(self, namespace: str, name: str) -> float | None:
        record = self.world.find(_KEY, name, namespace)
        if record is None:
            return None
        obj = record.decode()
        if not record.deleting:
            self._claim(record, obj)
        sets = [r.decode() for r in self.owners.owned(record.uid, _SETS)]
        new = rollout.matching(obj, sets)
        old = [s for s in sets if s is not new]
        if not record.deleting:
            self._work(record, obj, new, old)
        return self._report(namespace, name, record.uid)

    def _claim(self, record: Record, obj: Object) -> None:
        """Take over sets that match and belong to nobody, such as those of a deployment deleted without them."""
        match = claims.match_of(obj)
        owner = reference(self.world.kind(_KEY).resource, obj)
        for item in list(self.world.kind(_SETS).items.get(record.namespace, {}).values()):
            if match(item.labels) and not self.owners.owners((_SETS, item.namespace, item.name)):
                claims.adopt(self.world, _SETS, item, owner)

    def _collided(self, record: Record) -> None:
        """The name of the new set is taken by another's: the next hash is another."""

        def write(deployment: Object) -> None:
            status = deployment.setdefault("status", {})
            status["collisionCount"] = status.get("collisionCount", 0) + 1

        writes.change(self.world, _KEY, self._latest(record), write)

    def _work(self, record: Record, obj: Object, new: Object | None, old: list[Object]) -> None:
        """One step towards what is wanted."""
        paused = obj["spec"].get("paused", False)
        if not paused:
            new = self._new_set(record, obj, new, old)
        if rollout.scaled(obj, [s for s in (new, *old) if s is not None], _DESIRED):
            self._spread(obj, new, old)
        elif paused or new is None:
            pass
        elif obj["spec"]["strategy"]["type"] == "Recreate":
            self._recreate(obj, new, old)
        else:
            self._roll(obj, new, old)
        if new is not None and rollout.complete(obj):
            self._forget_history(obj, old)

    # ---- the set of the present template -----------------------------------------------------------------------------

    def _new_set(self, record: Record, obj: Object, new: Object | None, old: list[Object]) -> Object:
        revision = max((rollout.revision(s, REVISION) for s in old), default=0) + 1
        if new is None:
            new = self._create(record, obj, old, revision)
        else:
            last = rollout.revision(new, REVISION)
            self._note(new, obj, max(revision, last), last)
            revision = max(revision, last)
        if (obj["metadata"].get("annotations") or {}).get(REVISION) != str(revision):

            def note(deployment: Object) -> None:
                deployment["metadata"].setdefault("annotations", {})[REVISION] = str(revision)

            writes.change(self.world, _KEY, self._latest(record), note)
        return new

    def _latest(self, record: Record) -> Record:
        return self.world.find(_KEY, record.name, record.namespace) or record

    def _create(self, record: Record, obj: Object, old: list[Object], revision: int) -> Object:
        template = copied(obj["spec"]["template"])
        mark = rollout.template_hash(template, obj.get("status", {}).get("collisionCount", 0))
        labels = {**((template.get("metadata") or {}).get("labels") or {}), rollout.HASH: mark}
        template["metadata"] = {**(template.get("metadata") or {}), "labels": labels}
        selector = copied(obj["spec"]["selector"])
        selector["matchLabels"] = {**(selector.get("matchLabels") or {}), rollout.HASH: mark}
        replicas = rollout.room_for_new(obj, 0, old)
        name = f"{record.name}-{mark}"
        body: Object = {
            "metadata": {
                "name": name,
                "labels": labels,
                "annotations": self._notes(obj, revision),
                "ownerReferences": [reference(self.world.kind(_KEY).resource, obj)],
            },
            "spec": {"replicas": replicas, "selector": selector, "template": template},
        }
        if obj["spec"].get("minReadySeconds"):
            body["spec"]["minReadySeconds"] = obj["spec"]["minReadySeconds"]
        try:
            made = writes.create(self.world, _SETS, record.namespace, body)
        except ApiError as refusal:
            if refusal.reason == "AlreadyExists":
                self._collided(record)
            raise
        self._scaled(record, name, 0, replicas)
        return made.decode()

    def _notes(self, obj: Object, revision: int) -> dict[str, str]:
        given = obj["metadata"].get("annotations") or {}
        notes = {k: v for k, v in given.items() if k not in _OWN_NOTES}
        return {**notes, REVISION: str(revision), **self._sizes(obj)}

    def _sizes(self, obj: Object) -> dict[str, str]:
        wanted = obj["spec"].get("replicas", 1)
        return {_DESIRED: str(wanted), _MOST: str(wanted + rollout.surge(obj))}

    def _note(self, new: Object, obj: Object, revision: int, last: int) -> None:
        """Notes of the deployment are the set's own; a set that is the present one again remembers its revisions."""
        before = new["metadata"].get("annotations") or {}
        notes = {**before, **self._notes(obj, revision)}
        if last < revision:
            notes[_HISTORY] = ",".join(filter(None, (before.get(_HISTORY, ""), str(last))))
        for name in (_DESIRED, _MOST):
            notes[name] = before.get(name, notes[name])
        if notes != before:
            new["metadata"]["annotations"] = notes
            self._store(new)

    # ---- moving replicas ---------------------------------------------------------------------------------------------

    def _roll(self, obj: Object, new: Object, old: list[Object]) -> None:
        wanted, size = obj["spec"].get("replicas", 1), new["spec"]["replicas"]
        target = wanted if size > wanted else rollout.room_for_new(obj, size, old)
        if target != size:
            self._resize(obj, new, target)
            return
        for replica_set, replicas in rollout.shrink_old(obj, new, old):
            self._resize(obj, replica_set, replicas)

    def _recreate(self, obj: Object, new: Object, old: list[Object]) -> None:
        for replica_set in old:
            self._resize(obj, replica_set, 0)
        if not any(self._has_pods(s) for s in old):
            self._resize(obj, new, obj["spec"].get("replicas", 1))

    def _has_pods(self, replica_set: Object) -> bool:
        return any(not view.ended for view in self.owners.pods(replica_set["metadata"]["uid"]))

    def _spread(self, obj: Object, new: Object | None, old: list[Object]) -> None:
        """The deployment was scaled: share the difference among the sets that have replicas."""
        for replica_set, replicas in rollout.shares(obj, new, old, _MOST):
            self._resize(obj, replica_set, replicas)

    def _resize(self, obj: Object, replica_set: Object, replicas: int) -> None:
        before = replica_set["spec"]["replicas"]
        notes = replica_set["metadata"].setdefault("annotations", {})
        sizes = self._sizes(obj)
        if before == replicas and sizes.items() <= notes.items():
            return
        replica_set["spec"]["replicas"] = replicas
        notes.update(sizes)
        self._store(replica_set)
        if before != replicas:
            record = self.world.find(_KEY, obj["metadata"]["name"], obj["metadata"]["namespace"])
            if record is not None:
                self._scaled(record, replica_set["metadata"]["name"], before, replicas)

    def _scaled(self, record: Record, name: str, before: int, after: int) -> None:
        if after == before:
            return
        way = "up" if after > before else "down"
        message = f"Scaled {way} replica set {name} from {before} to {after}"
        events.report(self.world, _KEY, record, "Normal", "ScalingReplicaSet", message)

    def _store(self, replica_set: Object) -> None:
        """Write a set whose private copy was changed."""
        metadata = replica_set["metadata"]
        record = self.world.find(_SETS, metadata["name"], metadata["namespace"])

        def write(present: Object) -> None:
            present["spec"]["replicas"] = replica_set["spec"]["replicas"]
            present["metadata"]["annotations"] = dict(metadata.get("annotations") or {})

        if record is not None:
            writes.change(self.world, _SETS, record, write)

    def _forget_history(self, obj: Object, old: list[Object]) -> None:
        limit = obj["spec"].get("revisionHistoryLimit", 10)
        idle = [s for s in old if not s["spec"]["replicas"] and not s.get("status", {}).get("replicas")]
        idle.sort(key=lambda s: rollout.revision(s, REVISION))
        for replica_set in idle[: max(len(idle) - limit, 0)]:
            record = self.world.find(_SETS, replica_set["metadata"]["name"], replica_set["metadata"]["namespace"])
            if record is not None and not record.deleting:
                delete(self.world, self.world.kind(_SETS), record, DeleteOptions())

    # ---- status ------------------------------------------------------------------------------------------------------

    def _report(self, namespace: str, name: str, uid: str) -> float | None:
        record = self.world.find(_KEY, name, namespace)
        if record is None:
            return None
        obj = record.decode()
        sets = [r.decode() for r in self.owners.owned(uid, _SETS)]
        status, again = rollout.status(obj, sets, self.world.clock.now())
        writes.set_status(self.world, _KEY, record, status)
        return again
