"""Who owns what: an index over all kinds, and pods as views, kept while controllers run."""

from collections.abc import Iterable

from tenantry_sim.controllers.views import Meta, Owner, PodView, head
from tenantry_sim.store.records import Change, Object, Record
from tenantry_sim.store.resource import Resource
from tenantry_sim.store.store import KindStore
from tenantry_sim.world import World

Place = tuple[str, str, str]
"""`group/plural`, namespace and name of an object."""


def controller_of(meta: Meta) -> Owner | None:
    """The owner that manages the object."""
    return next((owner for owner in meta.ownerReferences if owner.controller), None)


def reference(resource: Resource, obj: Object) -> Object:
    """An owner reference to `obj` as its controller writes it."""
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": obj["metadata"]["name"],
        "uid": obj["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


class OwnerIndex:
    """Dependents by owner, and views of pods by owner and by node. Follows the store between `start` and `stop`."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._owners: dict[Place, tuple[Owner, ...]] = {}
        self._dependents: dict[str, dict[Place, Owner]] = {}
        self._views: dict[tuple[str, str], PodView] = {}
        self._nodes: dict[str, dict[tuple[str, str], PodView]] = {}
        self._loose: dict[str, dict[str, PodView]] = {}
        self._taps: list[tuple[KindStore, object]] = []

    def start(self) -> None:
        for kind in self.world.store.kinds.values():
            self.follow(kind)
        self.world.store.kinds.followers.append(self.follow)

    def follow(self, kind: KindStore) -> None:
        """Take in a kind and everything that is there of it."""
        for record in kind.ordered():
            self._learn(kind.resource.key, record)
        key = kind.resource.key

        def on_change(change: Change) -> None:
            if change.type == "DELETED":
                self._forget(key, change.record)
            else:
                self._learn(key, change.record)

        kind.listeners.append(on_change)
        self._taps.append((kind, on_change))

    def stop(self) -> None:
        if self.follow in self.world.store.kinds.followers:
            self.world.store.kinds.followers.remove(self.follow)
        for kind, tap in self._taps:
            kind.listeners[:] = [listener for listener in kind.listeners if listener is not tap]
        self._taps.clear()

    def dependents(self, uid: str) -> list[tuple[Place, Owner]]:
        """Objects that name `uid` as an owner, in the order in which they came."""
        return list(self._dependents.get(uid, {}).items())

    def owners(self, place: Place) -> tuple[Owner, ...]:
        return self._owners.get(place, ())

    def owned(self, uid: str, key: str) -> list[Record]:
        """Records of one kind whose controller is `uid`."""
        kind = self.world.store.kinds[key]
        found = [kind.get(p[1], p[2]) for p, o in self._dependents.get(uid, {}).items() if p[0] == key and o.controller]
        return [record for record in found if record is not None]

    def pods(self, uid: str) -> list[PodView]:
        """Pods whose controller is `uid`, those being deleted included."""
        places = self._dependents.get(uid, {}).items()
        found = [self._views.get((p[1], p[2])) for p, owner in places if p[0] == "/pods" and owner.controller]
        return [view for view in found if view is not None]

    def loose_pods(self, namespace: str) -> list[PodView]:
        """Pods of a namespace that no controller owns."""
        return list(self._loose.get(namespace, {}).values())

    def pods_on(self, node: str) -> list[PodView]:
        return list(self._nodes.get(node, {}).values())

    def view(self, namespace: str, name: str) -> PodView | None:
        return self._views.get((namespace, name))

    def pods_in(self, namespace: str) -> Iterable[PodView]:
        """Pods of a namespace, by name."""
        for name in sorted(self.world.kind("/pods").items.get(namespace, ())):
            view = self._views.get((namespace, name))
            if view is not None:
                yield view

    def _learn(self, key: str, record: Record) -> None:
        place = (key, record.namespace, record.name)
        if key == "/pods":
            view = PodView(record)
            at = (record.namespace, record.name)
            self._views[at] = view
            if view.node:
                self._nodes.setdefault(view.node, {})[at] = view
            loose = self._loose.setdefault(record.namespace, {})
            loose[record.name] = view
        if b'"ownerReferences"' not in record.raw and place not in self._owners:
            return
        now = tuple(head(record).ownerReferences)
        if key == "/pods" and any(owner.controller for owner in now):
            del loose[record.name]
        if now == self._owners.get(place, ()):
            return
        self._drop(place)
        if now:
            self._owners[place] = now
        for owner in now:
            self._dependents.setdefault(owner.uid, {})[place] = owner

    def _forget(self, key: str, record: Record) -> None:
        if key == "/pods":
            self._loose.get(record.namespace, {}).pop(record.name, None)
            view = self._views.pop((record.namespace, record.name), None)
            if view is not None and view.node:
                inner = self._nodes[view.node]
                inner.pop((record.namespace, record.name), None)
                if not inner:
                    del self._nodes[view.node]
        self._drop((key, record.namespace, record.name))

    def _drop(self, place: Place) -> None:
        for owner in self._owners.pop(place, ()):
            inner = self._dependents.get(owner.uid, {})
            inner.pop(place, None)
            if not inner:
                self._dependents.pop(owner.uid, None)
