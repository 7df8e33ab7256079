"""A cluster, read once through its API, as a cache."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.kube.errors import ApiError
from tenantry_core.kube.port import KubeApi
from tenantry_core.model.objects import Node, Pod
from tenantry_core.watch.translate import FOLLOWED, REQUIRED, Unreadable, translate


@dataclass
class LoadedCluster:
    """What was read, and what could not be."""

    cache: ClusterCache = field(default_factory=ClusterCache)
    pods: dict[tuple[str, str], Pod] = field(default_factory=dict)
    """Every pod by (namespace, name)."""
    warnings: list[str] = field(default_factory=list)
    """Kinds that the server refused and objects that could not be read."""


async def load_cluster(api: KubeApi) -> LoadedCluster:
    """List every kind that scheduling reads. Raises ApiError or TransportError where nodes or pods cannot be listed."""
    found = LoadedCluster()
    for resource in FOLLOWED:
        try:
            listing = await api.list_all(resource)
        except ApiError as error:
            if resource in REQUIRED:
                raise
            found.warnings.append(f"{resource.plural}: {error}")
            continue
        take(found, resource.kind, listing.items)
    return found


def take(found: LoadedCluster, kind: str, items: Iterable[msgspec.Raw]) -> None:
    """Put the objects of one kind into the cache; what cannot be read becomes a warning."""
    for raw in items:
        item = translate(kind, raw)
        if isinstance(item, Unreadable):
            name = "/".join(part for part in item.key if part)
            found.warnings.append(f"{kind} {name} left out: {item.field}: {item.rule}")
        elif isinstance(item, Node):
            found.cache.upsert_node(item)
        elif isinstance(item, Pod):
            _take_pod(found, item)
        else:
            found.cache.put(kind, item)


def _take_pod(found: LoadedCluster, pod: Pod) -> None:
    found.pods[pod.metadata.namespace, pod.metadata.name] = pod
    if pod.spec.node_name:
        found.cache.upsert_pod(pod)
    elif pod.status.nominated_node_name:
        found.cache.nominate(pod, pod.status.nominated_node_name)
