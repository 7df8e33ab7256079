"""Objects for tests, made the way the API server sends them: `a_pod().asking(cpu="1").on("n1").build()`.

A builder starts from an object that schedules and collects changes; `build` decodes it into the model's struct.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.model.decode import from_builtins

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
DELETED_AT = "2026-01-01T00:00:00Z"


class Builder:
    """Common part: metadata, and `build`."""

    kind = ""

    def __init__(self, name: str, **metadata: Any) -> None:
        self.body: dict[str, Any] = {"metadata": {"name": name, **metadata}, "spec": {}, "status": {}}

    def labelled(self, labels: Mapping[str, str] | None = None, **more: str) -> Self:
        self.body["metadata"].setdefault("labels", {}).update({**(labels or {}), **more})
        return self

    def meta(self, **fields: Any) -> Self:
        self.body["metadata"].update(fields)
        return self

    def spec(self, **fields: Any) -> Self:
        self.body["spec"].update(fields)
        return self

    def status(self, **fields: Any) -> Self:
        self.body["status"].update(fields)
        return self

    def copy(self) -> Self:
        return copy.deepcopy(self)

    def build(self) -> Any:
        return from_builtins(self.kind, self.body)


class PodBuilder(Builder):
    """A pending pod with one container that asks for nothing."""

    kind = "Pod"

    def __init__(self, name: str = "pod", namespace: str = "default") -> None:
        super().__init__(name, namespace=namespace, uid=f"{namespace}/{name}")
        self.body["spec"]["containers"] = [{"name": "main", "image": "registry.example/app:v1"}]

    def asking(self, requests: Mapping[str, str] | None = None, **more: str) -> Self:
        """Requests of the first container; `-` in resource names goes through the mapping."""
        wanted = {**(requests or {}), **more}
        self.body["spec"]["containers"][0].setdefault("resources", {}).setdefault("requests", {}).update(wanted)
        return self

    def container(self, name: str, init: bool = False, **fields: Any) -> Self:
        """One more container; give `requests=...` for short."""
        if "requests" in fields:
            fields["resources"] = {"requests": fields.pop("requests")}
        self.body["spec"].setdefault("initContainers" if init else "containers", []).append({"name": name, **fields})
        return self

    def on(self, node: str) -> Self:
        return self.spec(nodeName=node)

    def phase(self, phase: str) -> Self:
        return self.status(phase=phase)

    def terminating(self) -> Self:
        return self.meta(deletionTimestamp=DELETED_AT)

    def priority(self, value: int) -> Self:
        return self.spec(priority=value)

    def port(self, port: int, protocol: str | None = None, address: str | None = None) -> Self:
        given: dict[str, Any] = {"containerPort": port, "hostPort": port}
        given |= {"protocol": protocol} if protocol is not None else {}
        given |= {"hostIP": address} if address is not None else {}
        self.body["spec"]["containers"][0].setdefault("ports", []).append(given)
        return self

    def image(self, name: str) -> Self:
        self.body["spec"]["containers"][0]["image"] = name
        return self

    def tolerating(self, **toleration: Any) -> Self:
        self.body["spec"].setdefault("tolerations", []).append(toleration)
        return self

    def selecting(self, **labels: str) -> Self:
        return self.spec(nodeSelector=labels)

    def spread(self, key: str, selector: Mapping[str, str] | None, **fields: Any) -> Self:
        """A spread constraint, hard and with skew 1 unless told otherwise."""
        constraint = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", **fields}
        if selector is not None:
            constraint["labelSelector"] = {"matchLabels": dict(selector)}
        self.body["spec"].setdefault("topologySpreadConstraints", []).append(constraint)
        return self

    def near(self, key: str, selector: Mapping[str, str] | None, weight: int = 0, **fields: Any) -> Self:
        """A pod affinity term, required unless it has a weight."""
        return self._term("podAffinity", _term(key, selector, fields), weight)

    def apart(self, key: str, selector: Mapping[str, str] | None, weight: int = 0, **fields: Any) -> Self:
        """A pod anti-affinity term, required unless it has a weight."""
        return self._term("podAntiAffinity", _term(key, selector, fields), weight)

    def wants_nodes(self, *terms: Mapping[str, Any]) -> Self:
        """Required node affinity: any of the terms."""
        affinity = self.body["spec"].setdefault("affinity", {}).setdefault("nodeAffinity", {})
        affinity.setdefault(REQUIRED, {"nodeSelectorTerms": []})["nodeSelectorTerms"] += list(terms)
        return self

    def prefers_nodes(self, weight: int, term: Mapping[str, Any]) -> Self:
        affinity = self.body["spec"].setdefault("affinity", {}).setdefault("nodeAffinity", {})
        affinity.setdefault(PREFERRED, []).append({"weight": weight, "preference": term})
        return self

    def _term(self, side: str, term: dict[str, Any], weight: int) -> Self:
        terms = self.body["spec"].setdefault("affinity", {}).setdefault(side, {})
        if weight:
            terms.setdefault(PREFERRED, []).append({"weight": weight, "podAffinityTerm": term})
        else:
            terms.setdefault(REQUIRED, []).append(term)
        return self


class NodeBuilder(Builder):
    """A node of 4 CPU, 32Gi and 110 pods that carries its hostname label."""

    kind = "Node"

    def __init__(self, name: str = "node") -> None:
        super().__init__(name, labels={HOSTNAME: name})
        self.body["status"]["allocatable"] = {"cpu": "4", "memory": "32Gi", "pods": "110"}

    def zone(self, name: str) -> Self:
        return self.labelled({ZONE: name})

    def allocating(self, amounts: Mapping[str, str] | None = None, **more: str) -> Self:
        self.body["status"]["allocatable"].update({**(amounts or {}), **more})
        return self

    def taint(self, key: str, effect: str = "NoSchedule", value: str = "") -> Self:
        self.body["spec"].setdefault("taints", []).append({"key": key, "effect": effect, "value": value})
        return self

    def cordoned(self) -> Self:
        return self.spec(unschedulable=True)

    def image(self, name: str, size: int) -> Self:
        self.body["status"].setdefault("images", []).append({"names": [name], "sizeBytes": size})
        return self


class ClaimBuilder(Builder):
    """A pending claim of 1Gi, ReadWriteOnce."""

    kind = "PersistentVolumeClaim"

    def __init__(self, name: str = "claim", namespace: str = "default") -> None:
        super().__init__(name, namespace=namespace, uid=f"claim/{namespace}/{name}")
        self.spec(accessModes=["ReadWriteOnce"], resources={"requests": {"storage": "1Gi"}})
        self.status(phase="Pending")


class PlainBuilder(Builder):
    """Any other kind, without defaults."""

    def __init__(self, kind: str, name: str, **metadata: Any) -> None:
        super().__init__(name, **metadata)
        self.kind = kind


def a_pod(name: str = "pod", namespace: str = "default") -> PodBuilder:
    """A pending pod."""
    return PodBuilder(name, namespace)


def a_node(name: str = "node") -> NodeBuilder:
    """A node with room."""
    return NodeBuilder(name)


def a_claim(name: str = "claim", namespace: str = "default") -> ClaimBuilder:
    """An unbound claim."""
    return ClaimBuilder(name, namespace)


def a_service(name: str, selector: Mapping[str, str], namespace: str = "default") -> PlainBuilder:
    """A Service with a selector."""
    return PlainBuilder("Service", name, namespace=namespace).spec(selector=dict(selector))


def a_namespace(name: str, **labels: str) -> PlainBuilder:
    """A Namespace with labels."""
    return PlainBuilder("Namespace", name, labels=labels)


def a_cluster(*objects: Builder) -> ClusterCache:
    """A cache that has seen these nodes, placed pods and other objects, in this order."""
    cache = ClusterCache()
    for builder in objects:
        if isinstance(builder, NodeBuilder):
            cache.upsert_node(builder.build())
        elif isinstance(builder, PodBuilder):
            cache.upsert_pod(builder.build())
        else:
            cache.put(builder.kind, builder.build())
    return cache


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    """A selector requirement."""
    return {"key": key, "operator": operator, "values": list(values)}


def labels_term(*expressions: Mapping[str, Any]) -> dict[str, Any]:
    """A node selector term over labels."""
    return {"matchExpressions": list(expressions)}


def named_term(*names: str) -> dict[str, Any]:
    """A node selector term over names, as daemon pods have it."""
    return {"matchFields": [expression("metadata.name", "In", *names)]}


def _term(key: str, selector: Mapping[str, str] | None, fields: Mapping[str, Any]) -> dict[str, Any]:
    term: dict[str, Any] = {"topologyKey": key, **fields}
    if selector is not None:
        term["labelSelector"] = {"matchLabels": dict(selector)}
    return term
