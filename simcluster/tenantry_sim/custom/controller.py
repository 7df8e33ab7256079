"""Serves what definitions define: accepts names, opens stores, and clears up after a definition that goes."""

from typing import Any

from tenantry_sim.clock import Cancellable
from tenantry_sim.custom.definitions import KEY
from tenantry_sim.custom.served import CustomVersion
from tenantry_sim.kinds.deletion import DeleteOptions, delete, release
from tenantry_sim.store.records import Change, Object, Record
from tenantry_sim.store.resource import Resource
from tenantry_sim.store.store import KindStore
from tenantry_sim.world import World

FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
_RETRY_SECONDS = 0.1
_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")


class DefinitionController:
    """Follows custom resource definitions. An accepted one is served at once, before its status says so."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._timers: dict[str, Cancellable] = {}

    def start(self) -> None:
        store = self.world.kind(KEY)
        for record in store.ordered():
            self._later(record.name, 0.0)
        store.listeners.append(self._on_change)

    def stop(self) -> None:
        store = self.world.kind(KEY)
        if self._on_change in store.listeners:
            store.listeners.remove(self._on_change)
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _on_change(self, change: Change) -> None:
        if change.type != "DELETED":
            self._later(change.record.name, 0.0)
        else:
            self._drop(change.record.decode()["spec"])

    def _later(self, name: str, seconds: float) -> None:
        if name not in self._timers:
            self._timers[name] = self.world.clock.call_later(seconds, lambda: self._settle(name))

    def _settle(self, name: str) -> None:
        del self._timers[name]
        store = self.world.kind(KEY)
        record = store.get("", name)
        if record is None:
            return
        obj = record.decode()
        if record.deleting:
            self._clear(store, record, obj)
            return
        clash = self._clash(name, obj["spec"])
        if not clash:
            self._serve(obj["spec"])
        before = record.raw
        self._report(obj, clash)
        changed = record.decode() != obj
        if changed and store.get("", name) is record and before:
            self.world.store.replace(store, record, obj)

    def _clash(self, name: str, spec: dict[str, Any]) -> str:
        """Why the names cannot be accepted; empty when they can."""
        mine = spec["names"]
        for resource in self.world.catalog.resources():
            if resource.group != spec["group"] or f"{resource.plural}.{resource.group}" == name:
                continue
            if resource.kind == mine["kind"]:
                return f'"{mine["kind"]}" is already in use'
            if resource.plural in (mine["plural"], *(mine.get("shortNames") or ())):
                return f'"{resource.plural}" is already in use'
        return ""

    def _serve(self, spec: dict[str, Any]) -> None:
        group, names = spec["group"], spec["names"]
        resources = [_resource(spec, row) for row in spec["versions"] if row.get("served")]
        key = f"{group}/{names['plural']}"
        stores = self.world.store.kinds
        if key not in stores:
            storage = next(row for row in spec["versions"] if row.get("storage"))
            stores[key] = KindStore(_resource(spec, storage), self.world.kind(KEY).limit)
        self.world.catalog.replace(group, names["plural"], resources)

    def _drop(self, spec: dict[str, Any]) -> None:
        group, plural = spec["group"], spec["names"]["plural"]
        store = self.world.store.kinds.get(f"{group}/{plural}")
        for record in list(store.ordered()) if store is not None else ():
            assert store is not None
            self.world.store.remove(store, record)
        self.world.catalog.replace(group, plural, ())

    def _report(self, obj: Object, clash: str) -> None:
        status = obj.setdefault("status", {})
        stored = status.setdefault("storedVersions", [])
        for row in obj["spec"]["versions"]:
            if row.get("storage") and row["name"] not in stored:
                stored.append(row["name"])
        if clash:
            self._condition(status, "NamesAccepted", "False", ("NameConflict", clash))
            return
        status["acceptedNames"] = dict(obj["spec"]["names"])
        self._condition(status, "NamesAccepted", "True", ("NoConflicts", "no conflicts found"))
        why = ("InitialNamesAccepted", "the initial names have been accepted")
        self._condition(status, "Established", "True", why)

    def _condition(self, status: Object, kind: str, value: str, why: tuple[str, str]) -> None:
        conditions = status.get("conditions") or []
        status["conditions"] = conditions
        present = next((c for c in conditions if c["type"] == kind), None)
        if present is not None and present["status"] == value:
            return
        if present is None:
            present = {"type": kind}
            conditions.append(present)
        present.update(status=value, lastTransitionTime=self.world.stamp(), reason=why[0], message=why[1])

    def _clear(self, store: KindStore, record: Record, obj: Object) -> None:
        """Delete every object of a definition that goes; lift the finalizer when none is left."""
        spec = obj["spec"]
        for resource in self.world.catalog.resources():
            if (resource.group, resource.plural) == (spec["group"], spec["names"]["plural"]):
                resource.custom.terminating = True
        objects = self.world.store.kinds.get(f"{spec['group']}/{spec['names']['plural']}")
        for item in list(objects.ordered()) if objects is not None else ():
            assert objects is not None
            if not item.deleting:
                delete(self.world, objects, item, DeleteOptions())
        if objects is not None and objects.count:
            self._later(record.name, _RETRY_SECONDS)
            return
        obj["metadata"]["finalizers"] = [f for f in obj["metadata"].get("finalizers") or () if f != FINALIZER]
        if len(record.decode()["metadata"].get("finalizers") or ()) == len(obj["metadata"]["finalizers"]):
            return
        if not release(self.world, store, record, obj):
            self.world.store.replace(store, record, obj)


def _selectable(row: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    paths = [str(field.get("jsonPath", "")).lstrip(".") for field in row.get("selectableFields") or ()]
    return {path: tuple(path.split(".")) for path in paths if path}


def _resource(spec: dict[str, Any], row: dict[str, Any]) -> Resource:
    names = spec["names"]
    subresources = tuple(sorted(set(row.get("subresources") or {}) & {"scale", "status"}))
    return Resource(
        group=spec["group"],
        version=row["name"],
        plural=names["plural"],
        kind=names["kind"],
        namespaced=spec["scope"] == "Namespaced",
        singular=names.get("singular", ""),
        short=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        subresources=subresources,
        generation=True,
        verbs=_VERBS,
        fields=_selectable(row),
        custom=CustomVersion(spec["group"], names["kind"], row, bool(spec.get("preserveUnknownFields"))),
    )
