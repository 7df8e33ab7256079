"""The garbage collector: objects go with their last owner, in the background or before it, or are set free."""

from collections.abc import Iterable

from tenantry_sim.controllers import writes
from tenantry_sim.controllers.ownership import Place
from tenantry_sim.controllers.runner import EVERY, Controller, Key
from tenantry_sim.controllers.views import Owner, head
from tenantry_sim.kinds.deletion import FOREGROUND, ORPHAN, DeleteOptions, delete, release
from tenantry_sim.kinds.table import RESOURCES
from tenantry_sim.store.records import Change, Object, Record
from tenantry_sim.store.resource import Resource
from tenantry_sim.store.store import KindStore

_BY_KIND = {(r.api_version, r.kind): r for r in RESOURCES if not r.stored_as}


class GarbageCollector(Controller):
    """Follows every kind; a key has `group/plural|name` in the place of the name."""

    kinds = EVERY

    def keys(self, kind: str, change: Change) -> Iterable[Key]:
        record = change.record
        place = (kind, record.namespace, record.name)
        found = []
        if change.type == "DELETED":
            # What went may have been the last owner of some, and what another owner waited for.
            found = [_key(p) for p, _ in self.owners.dependents(record.uid)]
            if b'"ownerReferences"' in record.raw:
                found += self._owner_keys(record)
        elif record.deleting and (FOREGROUND.encode() in record.raw or b'"orphan"' in record.raw):
            found.append(_key(place))
        elif change.previous is None:
            found += [_key(place)] if self.owners.owners(place) else []
        elif _lost_owner(change.previous, record):
            found += [_key(place), *self._owner_keys(change.previous)]
        return found

    def _owner_keys(self, record: Record) -> list[Key]:
        found = []
        for owner in head(record).ownerReferences:
            kind, above = self._find(owner, record.namespace)
            if kind is not None and above is not None and above.deleting:
                found.append(_key((kind.resource.key, above.namespace, above.name)))
        return found

    def sync(self, namespace: str, name: str) -> float | None:
        key, _, bare = name.partition("|")
        kind = self.world.store.kinds[key]
        record = kind.get(namespace, bare)
        if record is None:
            return None
        finalizers = head(record).finalizers
        if record.deleting and ORPHAN in finalizers:
            self._set_free(record)
            self._lift(kind, record, ORPHAN)
        elif record.deleting and FOREGROUND in finalizers:
            self._before(kind, record)
        elif not record.deleting:
            self._check_owners(kind, record)
        return None

    def _find(self, owner: Owner, namespace: str) -> tuple[KindStore | None, Record | None]:
        """The store of the owner's kind, and the owner if it is there. No store for kinds that are not served."""
        resource = _BY_KIND.get((owner.apiVersion, owner.kind)) or self._custom(owner)
        if resource is None:
            return None, None
        kind = self.world.store.kinds[resource.key]
        record = kind.get(namespace if resource.namespaced else "", owner.name)
        return kind, record if record is not None and record.uid == owner.uid else None

    def _custom(self, owner: Owner) -> Resource | None:
        added = self.world.catalog.resources()
        return next((r for r in added if (r.api_version, r.kind) == (owner.apiVersion, owner.kind)), None)

    def _check_owners(self, kind: KindStore, record: Record) -> None:
        """Delete what has no owner left; drop references to owners that are gone."""
        owners = self.owners.owners((kind.resource.key, record.namespace, record.name))
        found = {owner.uid: self._find(owner, record.namespace) for owner in owners}
        gone = {uid for uid, (store, above) in found.items() if store is not None and above is None}
        waiting = {uid for uid, (_, above) in found.items() if above is not None and _foreground(above)}
        if not owners or not gone | waiting:
            return
        if len(gone | waiting) == len(owners):
            options = DeleteOptions(uid=record.uid)
            if waiting and self.owners.dependents(record.uid):
                options.propagation = "Foreground"
            delete(self.world, kind, record, options)
            return

        def unlink(obj: Object) -> None:
            references = obj["metadata"]["ownerReferences"]
            obj["metadata"]["ownerReferences"] = [r for r in references if r["uid"] not in gone | waiting]

        writes.change(self.world, kind.resource.key, record, unlink)

    def _before(self, kind: KindStore, record: Record) -> None:
        """Foreground: the dependents go first; the owner goes when none is left that holds it up."""
        for place, _ in self.owners.dependents(record.uid):
            store = self.world.store.kinds[place[0]]
            below = store.get(place[1], place[2])
            if below is not None and not below.deleting:
                self._check_owners(store, below)
        if not self._any_left(record.uid):
            self._lift(kind, record, FOREGROUND)

    def _any_left(self, uid: str) -> bool:
        return any(owner.blockOwnerDeletion for _, owner in self.owners.dependents(uid))

    def _set_free(self, record: Record) -> None:
        for place, _ in self.owners.dependents(record.uid):
            below = self.world.store.kinds[place[0]].get(place[1], place[2])

            def unlink(obj: Object) -> None:
                references = [r for r in obj["metadata"]["ownerReferences"] if r["uid"] != record.uid]
                obj["metadata"]["ownerReferences"] = references
                if not references:
                    del obj["metadata"]["ownerReferences"]

            if below is not None:
                writes.change(self.world, place[0], below, unlink)

    def _lift(self, kind: KindStore, record: Record, finalizer: str) -> None:
        obj = record.decode()
        obj["metadata"]["finalizers"] = [f for f in obj["metadata"]["finalizers"] if f != finalizer]
        if not obj["metadata"]["finalizers"]:
            del obj["metadata"]["finalizers"]
        if not release(self.world, kind, record, obj):
            self.world.store.replace(kind, record, obj)


def _key(place: Place) -> Key:
    return place[1], f"{place[0]}|{place[2]}"


def _foreground(record: Record) -> bool:
    return record.deleting and FOREGROUND in head(record).finalizers


def _lost_owner(before: Record, now: Record) -> bool:
    if b'"ownerReferences"' not in before.raw:
        return False
    return head(before).ownerReferences != head(now).ownerReferences
