"""Objects of a dump to a cluster: what scheduling and admission read of it, and a list of what was left out and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import structs

from tenantry.simulate.objects import ADMISSION_DECODERS, LimitRange, ResourceQuota, quantity_problem
from tenantry.simulate.read import Item, Stray, floats_as_text
from tenantry_core.cache.cluster_cache import TERMINAL, ClusterCache
from tenantry_core.kube.resources import BY_KIND
from tenantry_core.model.decode import DECODERS, DecodeError, Decoder, Identity
from tenantry_core.model.objects import Node, ObjectMeta, Pod
from tenantry_core.model.storage import PriorityClass, StorageClass

EXAMPLES = 3
_GROUPS = {kind: BY_KIND[kind].group for kind in (*DECODERS, *ADMISSION_DECODERS)}
_WORKLOAD_GROUPS = {"Deployment": "apps", "DaemonSet": "apps", "Job": "batch", "CronJob": "batch"}
_SILENT = {"Event", "Endpoints", "EndpointSlice", "Lease"}
"""Kinds that say nothing about room and come in great numbers."""


@dataclass
class LeftOut:
    """Objects of one kind that were not used, for one reason."""

    kind: str
    reason: str
    count: int = 0
    examples: list[str] = field(default_factory=list)
    """At most three, as `namespace/name`."""


@dataclass
class Inventory:
    """A cluster as it was read."""

    cache: ClusterCache = field(default_factory=ClusterCache)
    nodes: dict[str, Node] = field(default_factory=dict)
    pods: dict[tuple[str, str], Pod] = field(default_factory=dict)
    """By namespace and name, finished ones included."""
    priority_classes: dict[str, PriorityClass] = field(default_factory=dict)
    quotas: dict[tuple[str, str], ResourceQuota] = field(default_factory=dict)
    limit_ranges: dict[tuple[str, str], LimitRange] = field(default_factory=dict)
    storage_classes: dict[str, StorageClass] = field(default_factory=dict)
    daemon_sets: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    """As they stand in the dump: they come to every node that is added."""
    added: set[tuple[str, str]] = field(default_factory=set)
    """Namespace and name of pods that added workloads brought."""
    scheduler_name: str = "default-scheduler"
    """What added pods that name no scheduler get."""
    read: dict[str, int] = field(default_factory=dict)
    """Objects used, by kind."""
    _left_out: dict[tuple[str, str], LeftOut] = field(default_factory=dict)
    _uids: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def left_out(self) -> list[LeftOut]:
        """What was not used, most frequent first."""
        return sorted(self._left_out.values(), key=lambda entry: (-entry.count, entry.kind, entry.reason))

    def take(self, items: Iterable[Item | Stray]) -> None:
        """Take objects in; what cannot be used goes to `left_out`."""
        for item in items:
            if isinstance(item, Stray):
                self.leave_out("-", item.reason, "")
            else:
                self.take_one(item)

    def take_one(self, item: Item) -> None:
        """Take one object in."""
        group = item.api_version.rpartition("/")[0]
        kind = item.kind
        decoder = DECODERS.get(kind) or ADMISSION_DECODERS.get(kind)
        if decoder is None or group != _GROUPS[kind]:
            self._take_other(item, group)
            return
        try:
            found = _decoded(decoder, item.raw)
        except DecodeError as error:
            self._broken(kind, error.identity, error.field, error.rule)
            return
        problem = quantity_problem(found) if isinstance(found, ResourceQuota | LimitRange) else None
        if problem is not None:
            meta = found.metadata
            self._broken(kind, Identity(meta.namespace, meta.name), *problem)
            return
        self.add(kind, found)

    def add(self, kind: str, found: Any) -> None:
        """Add a decoded object; a later one of the same name stands."""
        if not found.metadata.name:
            self.leave_out(kind, "metadata.name is empty", "")
            return
        self.read[kind] = self.read.get(kind, 0) + 1
        meta: ObjectMeta = found.metadata
        key = (meta.namespace or "default", meta.name)
        match found:
            case Node():
                self.nodes[meta.name] = found
                self.cache.upsert_node(found)
            case Pod():
                self._add_pod(key, found)
            case PriorityClass():
                self.priority_classes[meta.name] = found
            case ResourceQuota():
                self.quotas[key] = found
            case LimitRange():
                self.limit_ranges[key] = found
            case _:
                if isinstance(found, StorageClass):
                    self.storage_classes[meta.name] = found
                self.cache.put(kind, found)

    def leave_out(self, kind: str, reason: str, name: str) -> None:
        """Note something that is not used."""
        entry = self._left_out.setdefault((kind, reason), LeftOut(kind, reason))
        entry.count += 1
        if name and len(entry.examples) < EXAMPLES:
            entry.examples.append(name)

    def pending(self) -> list[Pod]:
        """Pods without a node that want one."""
        return [
            pod
            for pod in self.pods.values()
            if not pod.spec.node_name and pod.status.phase not in TERMINAL and not pod.metadata.deletion_timestamp
        ]

    def homeless(self) -> dict[str, int]:
        """Nodes that pods name and the dump lacks, with the number of pods on each."""
        found: dict[str, int] = {}
        for pod in self.pods.values():
            name = pod.spec.node_name
            if name and name not in self.nodes and pod.status.phase not in TERMINAL:
                found[name] = found.get(name, 0) + 1
        return found

    def _add_pod(self, key: tuple[str, str], pod: Pod) -> None:
        meta = pod.metadata
        uid = meta.uid
        if not uid or self._uids.get(uid, key) != key:
            uid = f"{key[0]}/{key[1]}"
        if uid != meta.uid or key[0] != meta.namespace:
            pod = structs.replace(pod, metadata=structs.replace(meta, uid=uid, namespace=key[0]))
        known = self.pods.get(key)
        if known is not None and known.metadata.uid != uid:
            self.cache.remove_pod(known.metadata.uid)
        self._uids[uid] = key
        self.pods[key] = pod
        if pod.spec.node_name:
            self.cache.upsert_pod(pod)
        elif pod.status.nominated_node_name:
            self.cache.nominate(pod, pod.status.nominated_node_name)

    def _take_other(self, item: Item, group: str) -> None:
        name = _name_of(item.raw)
        if item.kind == "DaemonSet" and group == "apps":
            found = _identity(item.raw)
            self.daemon_sets[found.namespace or "default", found.name] = msgspec.json.decode(item.raw)
            self.read["DaemonSet"] = self.read.get("DaemonSet", 0) + 1
        elif _WORKLOAD_GROUPS.get(item.kind) == group:
            self.leave_out(item.kind, "its pods stand for it", name)
        elif item.kind in _GROUPS or item.kind in _WORKLOAD_GROUPS:
            self.leave_out(item.kind, f"unknown kind: {item.api_version or 'no apiVersion'} {item.kind}", name)
        elif item.kind not in _SILENT:
            self.leave_out(item.kind, "has no say in placement", name)

    def _broken(self, kind: str, identity: Identity, path: str, rule: str) -> None:
        self.leave_out(kind, f"{path}: {rule}", "/".join(p for p in (identity.namespace, identity.name) if p))


def _decoded(decoder: Decoder[Any], raw: msgspec.Raw) -> Any:
    try:
        return decoder(raw)
    except DecodeError as error:
        if "got `float`" not in error.rule:
            raise
    return decoder(msgspec.json.encode(floats_as_text(msgspec.json.decode(raw))))


class _Named(msgspec.Struct):
    metadata: Identity = Identity()


def _identity(raw: msgspec.Raw) -> Identity:
    try:
        return msgspec.json.decode(raw, type=_Named).metadata
    except msgspec.DecodeError:
        return Identity()


def _name_of(raw: msgspec.Raw) -> str:
    found = _identity(raw)
    return "/".join(part for part in (found.namespace, found.name) if part)
