"""A small cluster that a property changes at random, beside a plain record of what is true of it."""

from __future__ import annotations

from typing import Any

from builders import HOSTNAME, ZONE, Builder, NodeBuilder, PodBuilder, a_namespace, a_node, a_pod, a_service, expression
from builders import labels_term as term
from hypothesis import strategies as st
from spread_templates import spread_templates

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.framework.terms import PodSet
from tenantry_core.model.selectors import EVERYTHING, NOTHING, from_labels

GPU = "vendor.example/gpu"
NODES = 5
PODS = 7
CHOSEN = 4
"""Templates in one world: few, so that their pods meet."""

WATCHED = (
    PodSet(("default",), NOTHING, from_labels({"app": "a"}), terminating=False),
    PodSet(("default", "other"), NOTHING, from_labels({"app": "b"})),
    PodSet((), EVERYTHING, from_labels({"app": "a"})),
    PodSet((), from_labels({"team": "red"}), EVERYTHING),
    PodSet(("default",), NOTHING, NOTHING),
)
"""Sets of pods whose counts are compared."""


IN_ZONE_1 = term(expression(ZONE, "In", "z1"))


def templates() -> list[PodBuilder]:
    """Pods of many kinds; the name is filled in later."""
    plain = a_pod().asking(cpu="500m", memory="1Gi")
    a = plain.copy().labelled(app="a")
    b = a_pod().labelled(app="b")
    return [
        plain,
        a,
        b,
        a_pod().asking(cpu="2", memory="8Gi").priority(10).labelled(app="a", tier="x"),
        a_pod().asking({"cpu": "100m", GPU: "1"}),
        a.copy().spread(ZONE, {"app": "a"}),
        a.copy().spread(HOSTNAME, {"app": "a"}, nodeTaintsPolicy="Honor", minDomains=3),
        b.copy().spread(ZONE, {"app": "b"}, whenUnsatisfiable="ScheduleAnyway"),
        b.copy().apart(HOSTNAME, {"app": "b"}),
        a.copy().near(ZONE, {"app": "a"}),
        plain.copy().near(ZONE, {"app": "b"}, weight=10).apart(HOSTNAME, {"app": "a"}, weight=20),
        plain.copy().apart(ZONE, {"tier": "x"}, namespaceSelector={"matchLabels": {"team": "red"}}),
        plain.copy().port(8080),
        plain.copy().port(8080, address="127.0.0.1"),
        plain.copy().tolerating(key="dedicated", operator="Exists").image("registry.example/big:v1"),
        plain.copy().wants_nodes(term(expression("disk", "In", "fast"))),
        plain.copy().prefers_nodes(5, term(expression("disk", "Exists"))).prefers_nodes(3, IN_ZONE_1),
        a.copy().meta(namespace="other"),
        a_pod().asking({"memory": "9E", "cpu": "9E"}),
        b.copy().wants_nodes({"matchFields": [expression("metadata.name", "In", "n1", "n2")]}),
        *spread_templates(),
    ]


TEMPLATES = templates()

node_shapes = st.fixed_dictionaries(
    {
        "zone": st.sampled_from(["", "z0", "z1", "z2"]),
        "disk": st.sampled_from(["", "fast", "slow"]),
        "taint": st.sampled_from(["", "NoSchedule", "PreferNoSchedule"]),
        "cordoned": st.integers(0, 5).map(lambda n: n == 0),
        "cpu": st.sampled_from(["0", "1", "2", "4"]),
        "gpu": st.sampled_from(["", "0", "2"]),
        "pods": st.sampled_from(["2", "5", "110"]),
        "image": st.booleans(),
        "bare": st.integers(0, 9).map(lambda n: n == 0),
    }
)


def shaped_node(number: int, shape: dict[str, Any]) -> NodeBuilder:
    """Node `n<number>` of a shape."""
    node = a_node(f"n{number}").allocating(cpu=shape["cpu"], pods=shape["pods"])
    if shape["bare"]:
        node.body["metadata"]["labels"] = {}
    if shape["zone"]:
        node.zone(shape["zone"])
    if shape["disk"]:
        node.labelled(disk=shape["disk"])
    if shape["taint"]:
        node.taint("dedicated", shape["taint"])
    if shape["cordoned"]:
        node.cordoned()
    if shape["gpu"]:
        node.allocating({GPU: shape["gpu"]})
    if shape["image"]:
        node.image("registry.example/big:v1", 500 << 20)
    return node


numbers, pod_numbers = st.integers(0, NODES - 1), st.integers(0, PODS - 1)
kinds = st.integers(0, CHOSEN - 1)
changes = st.one_of(
    st.tuples(st.just("node"), numbers, node_shapes),
    st.tuples(st.just("remove_node"), numbers),
    st.tuples(st.just("place"), pod_numbers, kinds, numbers),
    st.tuples(st.just("place"), pod_numbers, kinds, numbers),
    st.tuples(st.just("assume"), pod_numbers, kinds, numbers),
    st.tuples(st.just("confirm"), pod_numbers),
    st.tuples(st.just("forget"), pod_numbers),
    st.tuples(st.just("remove"), pod_numbers),
    st.tuples(st.just("end"), pod_numbers, st.sampled_from(["Succeeded", "Failed"])),
    st.tuples(st.just("terminate"), pod_numbers),
    st.tuples(st.just("relabel"), pod_numbers, st.sampled_from([{"app": "a"}, {"app": "b", "tier": "x"}, {}])),
    st.tuples(st.just("resize"), pod_numbers, st.sampled_from(["100m", "1", "3"])),
    st.tuples(st.just("namespace"), st.sampled_from(["default", "other"]), st.sampled_from(["red", "blue", ""])),
    st.tuples(st.just("service"), st.booleans()),
    st.tuples(st.just("look"), kinds),
)
"""One change of the world: a name and its arguments, for `World.apply`."""

pod_changes = st.one_of(
    st.tuples(st.just("place"), pod_numbers, kinds, numbers),
    st.tuples(st.just("assume"), pod_numbers, kinds, numbers),
    st.tuples(st.just("remove"), pod_numbers),
    st.tuples(st.just("forget"), pod_numbers),
)
"""Changes that leave all nodes of a full start as they are."""

starts = st.tuples(
    st.lists(node_shapes, min_size=2, max_size=NODES),
    st.lists(st.integers(0, len(TEMPLATES) - 1), min_size=CHOSEN, max_size=CHOSEN),
)
"""Nodes to begin with, and the numbers of the templates that the world uses."""

ROW_BY_ROW = (0, 3, 4, 12, 14, 16)
"""Templates whose filters and scores look at one row at a time, so that kept answers are used most."""
tight_shapes = st.fixed_dictionaries(
    {
        "zone": st.just("z1"),
        "disk": st.sampled_from(["", "fast"]),
        "taint": st.sampled_from(["", "PreferNoSchedule"]),
        "cordoned": st.just(False),
        "cpu": st.sampled_from(["1", "2"]),
        "gpu": st.sampled_from(["", "1"]),
        "pods": st.sampled_from(["1", "2", "5"]),
        "image": st.booleans(),
        "bare": st.just(False),
    }
)
full_starts = st.tuples(
    st.lists(tight_shapes, min_size=NODES, max_size=NODES),
    st.lists(st.sampled_from(ROW_BY_ROW), min_size=CHOSEN, max_size=CHOSEN),
)
"""All nodes are there, small and alike, so that they fill up and empty again."""


class World:
    """A cache and the truth it must show."""

    def __init__(self, start: tuple[list[dict[str, Any]], list[int]]) -> None:
        shapes, self.kinds = start
        self.cache = ClusterCache()
        self.nodes: dict[str, Builder] = {}
        self.pods: dict[str, PodBuilder] = {}
        self.assumed: set[str] = set()
        self.others: dict[str, Builder] = {}
        for number, shape in enumerate(shapes):
            self.apply(("node", number, shape))

    def apply(self, change: tuple[Any, ...]) -> None:
        """Make one change, where it makes sense."""
        name, *given = change
        getattr(self, f"_{name}")(*given)

    def rebuilt(self) -> ClusterCache:
        """A cache that has only ever seen the present state."""
        fresh = ClusterCache()
        for other in self.others.values():
            fresh.put(other.kind, other.build())
        for node in self.nodes.values():
            fresh.upsert_node(node.build())
        for uid, pod in self.pods.items():
            if uid in self.assumed:
                built = pod.build()
                fresh.assume(built, fresh.classes.class_of(built), fresh.nodes.ensure_row(self._node_of(pod)))
            else:
                fresh.upsert_pod(pod.build())
        return fresh

    def pod(self, kind: int, number: int) -> PodBuilder:
        """Pod `p<number>` of one of the world's templates, not placed."""
        return named(self.kinds[kind], number)

    def hold(self, pod: PodBuilder, node: str) -> None:
        """Note that a decided pod is assumed on a node; the cache already holds it."""
        uid = pod.body["metadata"]["uid"]
        self.pods[uid] = pod.copy().meta(annotations={"assumed-on": node})
        self.assumed.add(uid)

    def _node(self, number: int, shape: dict[str, Any]) -> None:
        node = shaped_node(number, shape)
        self.nodes[f"n{number}"] = node
        self.cache.upsert_node(node.build())

    def _remove_node(self, number: int) -> None:
        self.nodes.pop(f"n{number}", None)
        self.cache.remove_node(f"n{number}")

    def _place(self, number: int, kind: int, node: int) -> None:
        pod = self.pod(kind, number).on(f"n{node}").phase("Running")
        self._store(pod)

    def _assume(self, number: int, kind: int, node: int) -> None:
        pod = self.pod(kind, number)
        uid, row = pod.body["metadata"]["uid"], self.cache.nodes.row_of(f"n{node}")
        if uid in self.pods or row < 0:
            return
        built = pod.build()
        self.cache.assume(built, self.cache.classes.class_of(built), row)
        self.hold(pod, f"n{node}")

    def _confirm(self, number: int) -> None:
        for uid in self._uids(number) & self.assumed:
            pod = self.pods[uid].on(self._node_of(self.pods[uid]))
            self._store(pod)

    def _forget(self, number: int) -> None:
        for uid in self._uids(number):
            assert self.cache.forget(uid) == (uid in self.assumed)
            if uid in self.assumed:
                self.assumed.discard(uid)
                del self.pods[uid]

    def _remove(self, number: int) -> None:
        for uid in self._uids(number) or {f"default/p{number}"}:
            assert (self.cache.remove_pod(uid) is not None) == (uid in self.pods)
            self.pods.pop(uid, None)
            self.assumed.discard(uid)

    def _end(self, number: int, phase: str) -> None:
        for uid in self._uids(number) - self.assumed:
            assert self.cache.upsert_pod(self.pods.pop(uid).phase(phase).build()) is None

    def _terminate(self, number: int) -> None:
        for uid in self._uids(number) - self.assumed:
            self._store(self.pods[uid].terminating())

    def _relabel(self, number: int, labels: dict[str, str]) -> None:
        for uid in self._uids(number) - self.assumed:
            self._store(self.pods[uid].meta(labels=labels))

    def _resize(self, number: int, cpu: str) -> None:
        for uid in self._uids(number) - self.assumed:
            status = {"name": "main", "allocatedResources": {"cpu": cpu}}
            self._store(self.pods[uid].status(containerStatuses=[status]))

    def _namespace(self, name: str, team: str) -> None:
        self.others[name] = a_namespace(name, **({"team": team} if team else {}))
        self.cache.put("Namespace", self.others[name].build())

    def _service(self, there: bool) -> None:
        service = a_service("front", {"app": "b"})
        (self.cache.put if there else self.cache.drop)("Service", service.build())
        self.others.pop("front", None)
        if there:
            self.others["front"] = service

    def _look(self, kind: int) -> None:
        """Ask for a class and for counts, which makes the cache keep more columns; changes nothing else."""
        self.cache.classes.class_of(self.pod(kind, 99).build())
        self.cache.count(WATCHED[kind])

    def _store(self, pod: PodBuilder) -> None:
        uid = pod.body["metadata"]["uid"]
        self.pods[uid] = pod
        self.assumed.discard(uid)
        self.cache.upsert_pod(pod.build())

    def _uids(self, number: int) -> set[str]:
        return {f"default/p{number}", f"other/p{number}"} & self.pods.keys()

    def _node_of(self, pod: PodBuilder) -> str:
        found: str = pod.body["metadata"]["annotations"]["assumed-on"]
        return found


def named(kind: int, number: int) -> PodBuilder:
    """Pod `p<number>` from a template, with its own UID."""
    pod = TEMPLATES[kind].copy()
    meta = pod.body["metadata"]
    return pod.meta(name=f"p{number}", uid=f"{meta['namespace']}/p{number}").labelled({"unique": str(number)})


def shown(cache: ClusterCache) -> dict[str, Any]:
    """Everything a cache says of nodes and pods, free of row numbers and of what it does not hold."""
    nodes = cache.nodes
    rows = [r for r in range(nodes.size) if nodes.alive[r] or nodes.pod_count[r]]
    labels = {k for r in rows if (o := nodes.objects[r]) is not None for k in o.metadata.labels or {}}
    found: dict[str, Any] = {}
    for row in rows:
        found[nodes.names[row]] = {
            "alive": bool(nodes.alive[row]),
            "allocatable": _amounts(cache, nodes.allocatable[:, row]),
            "requested": _amounts(cache, nodes.requested[:, row]),
            "nonzero": nodes.nonzero[:, row].tolist(),
            "pods": int(nodes.pod_count[row]),
            "on": {p.uid: (p.assumed, p.terminating) for p in cache.pods_on(row)},
            "cordoned": bool(nodes.unschedulable[row]),
            "taints": nodes.taint_sets.values[nodes.taint_set[row]],
            "images": nodes.image_sets.values[nodes.image_set[row]],
            "labels": {k: nodes.label_value(k, i) for k in labels if (i := int(nodes.label_ids(k)[row])) >= 0},
            "ports": sorted((a, int(c[row])) for a, c in cache.ports_in_use("TCP", 8080) if c[row]),
            "counts": [int(cache.count(pods)[row]) for pods in WATCHED],
            "met": _met(cache, row),
        }
    return found


def _met(cache: ClusterCache, row: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for kind in range(len(TEMPLATES)):
        for held, holders in cache.met_terms(cache.classes.class_of(named(kind, 99).build())):
            if holders[row]:
                found[f"{kind}: {held}"] = int(holders[row])
    return found


def _amounts(cache: ClusterCache, column: Any) -> dict[str, int]:
    return {cache.nodes.resources.values[i]: int(v) for i, v in enumerate(column) if v}
