"""A cluster read once through its API, instead of from a dump."""

from __future__ import annotations

from collections.abc import Callable

from tenantry.simulate.inventory import Inventory
from tenantry.simulate.read import Item
from tenantry_core.kube import resources as kinds
from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.credentials import load
from tenantry_core.kube.errors import ApiError
from tenantry_core.kube.http import HttpTransport
from tenantry_core.kube.port import KubeApi
from tenantry_core.kube.resources import Resource
from tenantry_core.watch.translate import FOLLOWED, REQUIRED

DAEMON_SETS = Resource("apps", "v1", "daemonsets", "DaemonSet")
READ = (*FOLLOWED, kinds.PRIORITY_CLASSES, kinds.RESOURCE_QUOTAS, kinds.LIMIT_RANGES, DAEMON_SETS)
"""Everything that a simulation can use."""


async def read_cluster(kubeconfig: str, found: Inventory, step: Callable[[str, int], None]) -> None:
    """List everything into `found`. Raises KubeError where the cluster, its nodes or its pods cannot be read."""
    api = KubeClient(HttpTransport(await load(kubeconfig)))
    try:
        await read_through(api, found, step)
    finally:
        await api.close()


async def read_through(api: KubeApi, found: Inventory, step: Callable[[str, int], None]) -> None:
    """The same through any client."""
    for resource in READ:
        step(f"listing {resource.plural}", 0)
        try:
            listing = await api.list_all(resource)
        except ApiError as error:
            if resource in REQUIRED:
                raise
            found.leave_out(resource.kind, str(error), "")
            continue
        found.take(Item(resource.kind, resource.api_version, raw) for raw in listing.items)
