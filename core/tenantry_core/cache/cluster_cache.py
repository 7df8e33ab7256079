"""The cluster as we know it: what the API server said, and what we assume while binds are under way.

State of a pod, by UID::

                  upsert_pod (bound)
       (none) ────────────────────────────▶ CONFIRMED ──upsert_pod (bound elsewhere)──▶ CONFIRMED on the other node
         │  ▲                                   ▲ │
  assume │  │ forget / drop                     │ │ remove_pod, or upsert_pod with a terminal phase
         ▼  │            upsert_pod (bound)     │ ▼
       ASSUMED ─────────────────────────────────┘ (none)

A terminal pod (Succeeded, Failed) holds nothing. A terminating one holds its room until it is gone or terminal. An
assumed pod whose bind ended without news is listed by `overdue`; the caller reads its state before it forgets anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import structs

from tenantry_core.cache.class_table import ClassTable
from tenantry_core.cache.counts import SelectorCounts
from tenantry_core.cache.held_terms import HeldTerms
from tenantry_core.cache.node_table import NodeTable
from tenantry_core.cache.pod_table import PodTable
from tenantry_core.cache.ports import PortUsage
from tenantry_core.cache.simulation import CacheSimulation
from tenantry_core.cache.storage import StorageStore
from tenantry_core.cache.workloads import WorkloadStore
from tenantry_core.framework.columns import IntArray
from tenantry_core.framework.placed import PlacedPod
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.snapshot import MetTerm, Nomination, Simulation
from tenantry_core.framework.terms import PodSet
from tenantry_core.model.events import Action
from tenantry_core.model.objects import Labels, Namespace, Node, Pod
from tenantry_core.model.requests import Amounts, effective_request, scoring_request
from tenantry_core.model.selectors import Selector
from tenantry_core.model.storage import PodDisruptionBudget, ReplicationController, Service, Workload

TERMINAL = ("Succeeded", "Failed")


class ClusterCache:
    """Implements framework.snapshot.Snapshot; one thread, never changed during a decision."""

    def __init__(self) -> None:
        self.nodes = NodeTable()
        self.storage = StorageStore()
        self.workloads = WorkloadStore()
        self.nominations: dict[str, Nomination] = {}
        self._nominees: dict[str, Pod] = {}
        self._namespaces: dict[str, Labels] = {}
        self._budgets: dict[tuple[str, str], PodDisruptionBudget] = {}
        self._pod_table = PodTable()
        self._counts = SelectorCounts(self.nodes, self._pod_table, self._namespaces)
        self._terms = HeldTerms(self.nodes, self._namespaces)
        self.classes = ClassTable(self._counts, self._classes_changed)
        self._pods: dict[str, PlacedPod] = {}
        self._on_row: dict[int, dict[str, PlacedPod]] = {}
        self._ports = PortUsage(self.nodes)
        self._deadlines: dict[str, float] = {}

    # Nodes

    def upsert_node(self, node: Node) -> Action:
        """Add or change a node. Returns the parts that changed, ADD for a new one."""
        return self.nodes.upsert(node)

    def remove_node(self, name: str) -> None:
        """Remove a node; its pods stay and count again should the node return."""
        row = self.nodes.remove(name)
        if row >= 0 and not self._on_row.get(row):
            self.nodes.recycle(row)

    # Pods

    def upsert_pod(self, pod: Pod) -> PlacedPod | None:
        """Learn of a bound pod, new or changed; confirms an assumed one. None where it holds nothing (terminal)."""
        uid = pod.metadata.uid
        known = self._pods.get(uid)
        self.clear_nomination(uid)
        if pod.status.phase in TERMINAL:
            self.remove_pod(uid)
            return None
        if known is not None:
            if self.nodes.names[known.row] == pod.spec.node_name and self._same_weight(known, pod):
                known.pod, known.assumed = pod, False
                self._pod_table.pods[known.slot] = pod
                self._deadlines.pop(uid, None)
                return known
            self._detach(known)
        self._deadlines.pop(uid, None)
        return self._attach(pod, self.classes.class_of(pod), self.nodes.ensure_row(pod.spec.node_name), False)

    def remove_pod(self, uid: str) -> PlacedPod | None:
        """Forget a pod that is gone or terminal. Unknown UIDs are no fault: releasing twice releases once."""
        placed = self._pods.get(uid)
        self.clear_nomination(uid)
        if placed is not None:
            self._deadlines.pop(uid, None)
            self._detach(placed)
        return placed

    def assume(self, pod: Pod, cls: PodClass, row: int) -> PlacedPod:
        """Hold room for a pod whose bind begins. Raises ValueError where the pod already holds room."""
        if pod.metadata.uid in self._pods:
            raise ValueError(f"pod {pod.metadata.uid} already holds room")
        return self._attach(pod, cls, row, True)

    def finish_binding(self, uid: str, deadline: float) -> None:
        """The bind call returned; news of the pod is due before `deadline` (monotonic seconds)."""
        placed = self._pods.get(uid)
        if placed is not None and placed.assumed:
            self._deadlines[uid] = deadline

    def forget(self, uid: str) -> bool:
        """Give back what an assumed pod holds; False where it is not assumed (confirmed, or unknown)."""
        placed = self._pods.get(uid)
        if placed is None or not placed.assumed:
            return False
        self._deadlines.pop(uid, None)
        self._detach(placed)
        return True

    def overdue(self, now: float) -> list[PlacedPod]:
        """Assumed pods whose bind returned and of which no news came in time."""
        return [self._pods[uid] for uid, deadline in self._deadlines.items() if deadline <= now]

    def placed(self, uid: str) -> PlacedPod | None:
        """The pod, where it holds room."""
        return self._pods.get(uid)

    def placed_pods(self) -> Sequence[PlacedPod]:
        """All pods that hold room."""
        return list(self._pods.values())

    def sizes(self) -> dict[str, int]:
        """Nodes, pods and assumed pods, as the cache size metric names them."""
        assumed = sum(p.assumed for p in self._pods.values())
        return {"nodes": self.nodes.alive_count, "pods": len(self._pods), "assumed_pods": assumed}

    # Everything else

    def put(self, kind: str, item: object) -> None:
        """Store an object of any other kind that scheduling reads; kinds we do not know are no fault."""
        match item:
            case Namespace():
                self._set_namespace(item.metadata.name, item.metadata.labels or {})
            case PodDisruptionBudget():
                self._budgets[item.metadata.namespace, item.metadata.name] = item
            case Service() | ReplicationController() | Workload():
                selector = self.workloads.put(kind, item)
                for key in selector.keys:
                    self._counts.track_key(key)
            case _:
                self.storage.put(item)

    def drop(self, kind: str, item: object) -> None:
        """Remove an object of any other kind."""
        match item:
            case Namespace():
                self._namespaces.pop(item.metadata.name, None)
                self._namespaces_changed()
            case PodDisruptionBudget():
                self._budgets.pop((item.metadata.namespace, item.metadata.name), None)
            case Service() | ReplicationController() | Workload():
                self.workloads.drop(kind, item.metadata.namespace, item.metadata.name)
            case _:
                self.storage.drop(item)

    def nominate(self, pod: Pod, node: str) -> None:
        """Note that preemption promised `node` to a pending pod."""
        uid = pod.metadata.uid
        self.nominations[uid] = Nomination(uid, node, self.classes.class_of(pod))
        self._nominees[uid] = pod

    def clear_nomination(self, uid: str) -> bool:
        """Take a promise back; False where there was none."""
        self._nominees.pop(uid, None)
        return self.nominations.pop(uid, None) is not None

    # Snapshot

    @property
    def budgets(self) -> Sequence[PodDisruptionBudget]:
        """All disruption budgets."""
        return list(self._budgets.values())

    @property
    def log_end(self) -> int:
        """The newest position of the change log."""
        return self.nodes.log_end

    def changes_since(self, position: int) -> list[int] | None:
        """Rows touched since a position of the change log."""
        return self.nodes.changes_since(position)

    def count(self, pods: PodSet) -> IntArray:
        """int64[N]: placed pods of the set per row."""
        return self._counts.count(pods)

    def met_terms(self, cls: PodClass) -> Sequence[MetTerm]:
        """Rules of placed pods that concern pods of `cls`."""
        return self._terms.met(cls)

    def pods_on(self, row: int) -> Sequence[PlacedPod]:
        """Pods that hold room on a row."""
        return list(self._on_row.get(row, {}).values())

    def ports_in_use(self, protocol: str, port: int) -> Iterable[tuple[str, IntArray]]:
        """Per address: int64[N], pods that hold the host port on each row."""
        return self._ports.in_use(protocol, port)

    def namespaces(self) -> Mapping[str, Labels]:
        """Labels of every known namespace."""
        return self._namespaces

    def namespace_labels(self, namespace: str) -> Mapping[str, str]:
        """Labels of a namespace."""
        return self._namespaces.get(namespace, {})

    def service_selector(self, cls: PodClass) -> Selector | None:
        """What Services and the owner select of such a pod."""
        return self.workloads.selector_for(cls)

    @contextmanager
    def simulate(self) -> Iterator[Simulation]:
        """Tentative changes, put back on exit whatever happens."""
        simulation = CacheSimulation(self._insert, self._take_off)
        try:
            yield simulation
        finally:
            simulation.end()

    # The one way in and the one way out

    def _attach(self, pod: Pod, cls: PodClass, row: int, assumed: bool) -> PlacedPod:
        request, scoring = _weight(pod, cls)
        return self._insert(PlacedPod(pod, cls, row, -1, request, scoring, assumed))

    def _insert(self, placed: PlacedPod) -> PlacedPod:
        pod, cls, row, uid = placed.pod, placed.cls, placed.row, placed.pod.metadata.uid
        placed.slot = self._pod_table.add(pod, row)
        self.nodes.take(row, self._items(cls, placed.request), placed.scoring)
        self._pods[uid] = placed
        on_row = self._on_row.get(row)
        if on_row is None:
            self._on_row[row] = {uid: placed}
        else:
            on_row[uid] = placed
        self._counts.change(pod, row, 1)
        if any(cls.terms):
            self._terms.change(cls, row, 1)
        if cls.ports:
            self._ports.change(cls.ports, row, 1)
        if cls.volumes:
            self.storage.use(placed)
        return placed

    def _detach(self, placed: PlacedPod) -> None:
        self._take_off(placed)
        if not self._on_row[placed.row]:
            del self._on_row[placed.row]
            self.nodes.recycle(placed.row)

    def _take_off(self, placed: PlacedPod) -> None:
        """Everything but giving back the row, which a simulation must find again."""
        pod, cls, row = placed.pod, placed.cls, placed.row
        del self._pods[placed.uid]
        del self._on_row[row][placed.uid]
        self._pod_table.remove(placed.slot)
        self._counts.change(pod, row, -1)
        if any(cls.terms):
            self._terms.change(cls, row, -1)
        if cls.ports:
            self._ports.change(cls.ports, row, -1)
        if cls.volumes:
            self.storage.release(placed)
        if not self.nodes.give_back(row, self._items(cls, placed.request), placed.scoring):
            self._recount(row)

    def _same_weight(self, known: PlacedPod, new: Pod) -> bool:
        """Whether nothing that the tables count differs between the pod as placed and its new version."""
        old = known.pod
        return (
            old.metadata.deletion_timestamp == new.metadata.deletion_timestamp
            and old.spec == structs.replace(new.spec, node_name=old.spec.node_name)
            and (
                old.metadata.labels == new.metadata.labels or self._counts.label_key(old) == self._counts.label_key(new)
            )
            and _weight(new, known.cls) == (known.request, known.scoring)
        )

    def _recount(self, row: int) -> None:
        used: Amounts = {}
        scoring = [0, 0]
        for placed in self.pods_on(row):
            for name, amount in placed.request.items():
                used[name] = used.get(name, 0) + amount
            scoring = [scoring[0] + placed.scoring[0], scoring[1] + placed.scoring[1]]
        self.nodes.set_usage(row, used, (scoring[0], scoring[1]))

    def _items(self, cls: PodClass, request: Amounts) -> Sequence[tuple[int, int]]:
        if request is cls.request:
            items: Sequence[tuple[int, int]] | None = cls.memo.get(NodeTable)
            if items is None:
                items = cls.memo[NodeTable] = tuple((self.nodes.resource_id(n), a) for n, a in request.items())
            return items
        return [(self.nodes.resource_id(n), a) for n, a in request.items()]

    def _set_namespace(self, name: str, labels: Labels) -> None:
        if self._namespaces.get(name) != labels:
            self._namespaces[name] = labels
            self._namespaces_changed()

    def _classes_changed(self) -> None:
        for uid, pod in self._nominees.items():
            self.nominations[uid] = self.nominations[uid]._replace(cls=self.classes.class_of(pod))

    def _namespaces_changed(self) -> None:
        self._counts.namespaces_changed()
        self._terms.namespaces_changed()


def _weight(pod: Pod, cls: PodClass) -> tuple[Amounts, tuple[int, int]]:
    """Request and scoring request, apart from the class's only while a status says more (in-place resize)."""
    status = pod.status
    if not (
        status.container_statuses or status.init_container_statuses or status.allocated_resources or status.resources
    ):
        return cls.request, cls.scoring
    request = {name: value for name, value in effective_request(pod).items() if value}
    scoring = scoring_request(pod)
    found = (scoring["cpu"], scoring["memory"])
    if request == cls.request and found == cls.scoring:
        return cls.request, cls.scoring
    return request, found
