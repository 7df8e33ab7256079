"""The namespace controller: a service account in each new namespace, and the clean-up of an ending one."""

from tenantry_sim.clock import Cancellable
from tenantry_sim.kinds.deletion import DeleteOptions, delete
from tenantry_sim.nodes.fleet import add_account
from tenantry_sim.store.records import Change
from tenantry_sim.world import World

_RETRY_SECONDS = 0.1


class NamespaceController:
    """Follows namespaces. Deletes what an ending one holds and lifts its finalizer when it is empty."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._timers: dict[str, Cancellable] = {}

    def start(self) -> None:
        store = self.world.kind("/namespaces")
        for record in store.ordered():
            add_account(self.world, record.name)
        store.listeners.append(self._on_change)

    def stop(self) -> None:
        store = self.world.kind("/namespaces")
        if self._on_change in store.listeners:
            store.listeners.remove(self._on_change)
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _on_change(self, change: Change) -> None:
        name = change.record.name
        if change.type == "ADDED":
            add_account(self.world, name)
        elif change.type == "MODIFIED" and change.record.deleting and name not in self._timers:
            self._later(name)

    def _later(self, name: str) -> None:
        self._timers[name] = self.world.clock.call_later(_RETRY_SECONDS, lambda: self._clean(name))

    def _clean(self, name: str) -> None:
        del self._timers[name]
        spaces = self.world.kind("/namespaces")
        record = spaces.get("", name)
        if record is None or not record.deleting:
            return
        left = 0
        for kind in self.world.store.kinds.values():
            for item in list(kind.items.get(name, {}).values()) if kind.resource.namespaced else ():
                if not item.deleting:
                    delete(self.world, kind, item, DeleteOptions())
                left += kind.get(name, item.name) is not None
        if left:
            self._later(name)
            return
        obj = record.decode()
        obj["spec"]["finalizers"] = [f for f in obj["spec"].get("finalizers", ()) if f != "kubernetes"]
        if obj["spec"]["finalizers"] or obj["metadata"].get("finalizers"):
            self.world.store.replace(spaces, record, obj)
            return
        self.world.store.remove(spaces, record)
