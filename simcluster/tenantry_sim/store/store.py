"""All objects, one revision counter, bounded history per kind, and subscribers."""

from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence

from tenantry_sim.store.records import Change, Object, Record
from tenantry_sim.store.resource import Resource

Listener = Callable[[Change], None]


class KindStore:
    """The objects of one kind, by namespace and name, with their recent history."""

    def __init__(self, resource: Resource, history: int) -> None:
        self.resource = resource
        self.items: dict[str, dict[str, Record]] = {}
        self.history: deque[Change] = deque()
        self.limit = history
        self.floor = 0
        """Changes at or below this revision are forgotten; a watch from below it gets 410."""
        self.listeners: list[Listener] = []
        self.count = 0
        self._sorted: dict[str, list[Record]] = {}

    def get(self, namespace: str, name: str) -> Record | None:
        inner = self.items.get(namespace)
        return inner.get(name) if inner is not None else None

    def ordered(self, namespace: str = "") -> list[Record]:
        """Records sorted by namespace and name; all namespaces when empty. The list must not be changed."""
        cached = self._sorted.get(namespace)
        if cached is None:
            spaces = sorted(self.items) if not namespace else [namespace]
            cached = [s[name] for s in (self.items.get(ns, {}) for ns in spaces) for name in sorted(s)]
            self._sorted[namespace] = cached
        return cached

    def since(self, rv: int) -> list[Change]:
        """Changes after a revision, oldest first. The caller has checked `floor`."""
        history = list(self.history)
        return history[bisect_right(history, rv, key=lambda change: change.rv) :]

    def put(self, change: Change) -> None:
        record = change.record
        inner = self.items.setdefault(record.namespace, {})
        if change.type == "DELETED":
            inner.pop(record.name, None)
            self.count -= 1
            if not inner:
                del self.items[record.namespace]
        else:
            inner[record.name] = record
            self.count += change.type == "ADDED"
        self._sorted.clear()
        self.history.append(change)
        if len(self.history) > self.limit:
            self.floor = self.history.popleft().rv
        for listener in tuple(self.listeners):
            listener(change)
        change.lines.clear()

    def forget(self, rv: int) -> None:
        """Compact: drop the history at or below a revision."""
        while self.history and self.history[0].rv <= rv:
            self.history.popleft()
        self.floor = max(self.floor, rv)


class Kinds(dict[str, KindStore]):
    """Kinds by `group/plural`; whoever follows all of them is told of new ones."""

    def __init__(self) -> None:
        super().__init__()
        self.followers: list[Callable[[KindStore], None]] = []

    def __setitem__(self, key: str, kind: KindStore) -> None:
        super().__setitem__(key, kind)
        for follower in tuple(self.followers):
            follower(kind)


class Store:
    """Every kind's objects under one counter of revisions."""

    def __init__(self, resources: Iterable[Resource], history: int, first_revision: int = 1) -> None:
        self.revision = first_revision
        self.kinds = Kinds()
        for resource in resources:
            if not resource.stored_as:
                self.kinds[resource.key] = KindStore(resource, history)
        self.snapshots: OrderedDict[str, Sequence[Record]] = OrderedDict()
        """Frozen lists behind continue tokens, oldest first."""

    def kind(self, resource: Resource) -> KindStore:
        return self.kinds[resource.stored_as or resource.key]

    def create(self, kind: KindStore, obj: Object) -> Record:
        self.revision += 1
        record = Record(kind.resource, obj, self.revision)
        kind.put(Change("ADDED", record, None))
        return record

    def replace(self, kind: KindStore, previous: Record, obj: Object) -> Record:
        self.revision += 1
        record = Record(kind.resource, obj, self.revision)
        kind.put(Change("MODIFIED", record, previous))
        return record

    def remove(self, kind: KindStore, previous: Record) -> Record:
        """Delete; the change shows the last state under the revision of the deletion."""
        self.revision += 1
        record = Record(kind.resource, previous.decode(), self.revision)
        kind.put(Change("DELETED", record, previous))
        return record

    def forget_changes(self) -> None:
        """Lose the watch cache, as a server that starts anew: watches from earlier revisions get 410, pages go on."""
        for kind in self.kinds.values():
            kind.forget(self.revision)

    def compact(self) -> None:
        """Forget all history and all paging snapshots, as etcd compaction does."""
        for kind in self.kinds.values():
            kind.forget(self.revision)
        self.snapshots.clear()

    def keep_snapshot(self, token: str, records: Sequence[Record], limit: int = 64) -> None:
        self.snapshots[token] = records
        while len(self.snapshots) > limit:
            self.snapshots.popitem(last=False)
