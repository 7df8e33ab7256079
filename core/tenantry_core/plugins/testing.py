"""For plugin authors' tests: a `Task` and a `NodeView` made from a few words, on a cluster cache of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.views import NodeView, Task
from tenantry_core.model.decode import from_builtins
from tenantry_core.model.objects import Pod

ROOMY = {"cpu": "4", "memory": "16Gi", "ephemeral-storage": "100Gi", "pods": "110"}


def task(
    name: str = "pod",
    labels: Mapping[str, str] | None = None,
    requests: Mapping[str, str] | None = None,
    priority: int = 0,
) -> Task:
    """A pod in namespace `default` with one container; quantities as in a manifest."""
    pod = _pod(name, labels or {}, requests or {}, priority)
    ctx = CycleContext(cache := ClusterCache(), cache.classes.class_of(pod), pod)
    return Task(ctx.pod, ctx.cls)


def node_view(
    name: str = "node",
    labels: Mapping[str, str] | None = None,
    taints: Sequence[Mapping[str, str]] = (),
    allocatable: Mapping[str, str] = ROOMY,
    pods: Sequence[Mapping[str, str]] = (),
) -> NodeView:
    """A node that carries one pod for each entry of `pods`, which holds its requests; quantities as in a manifest."""
    cache = ClusterCache()
    raw = {
        "metadata": {"name": name, "labels": dict(labels or {})},
        "spec": {"taints": [dict(t) for t in taints]},
        "status": {"allocatable": dict(allocatable)},
    }
    cache.upsert_node(from_builtins("Node", raw))
    for i, requests in enumerate(pods):
        pod = _pod(f"placed-{i}", {}, requests, 0)
        cache.assume(pod, cache.classes.class_of(pod), 0)
    return NodeView(cache.nodes, 0)


def _pod(name: str, labels: Mapping[str, str], requests: Mapping[str, str], priority: int) -> Pod:
    raw = {
        "metadata": {"name": name, "namespace": "default", "uid": name, "labels": dict(labels)},
        "spec": {
            "priority": priority,
            "containers": [{"name": "c", "image": "sample", "resources": {"requests": dict(requests)}}],
        },
    }
    found: Pod = from_builtins("Pod", raw)
    return found


__all__ = ["node_view", "task"]
