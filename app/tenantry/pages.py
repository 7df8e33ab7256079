"""Pages and rows about the running scheduler, for the HTTP server: queue, explanations, promises, what pods ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import msgspec
from aiohttp import web

from tenantry.http.server import Route
from tenantry.wiring import Scheduler
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.model.objects import Container, Pod, ResourceRequirements
from tenantry_core.model.requests import Amounts, effective_request
from tenantry_core.plugins.loader import Catalog
from tenantry_telemetry.exposition import PodResources

LIMITS = "pages/limits"
"""Key under which a pod class remembers its limits."""


def pages(scheduler: Scheduler, catalog: Catalog) -> Sequence[Route]:
    """Routes that answer with JSON: the queue, one pod's place in it, why a pod is where it is, promises, plugins."""
    control = scheduler.control

    async def lengths(request: web.Request) -> web.Response:
        """Lengths of the queues; every pending pod with `?pods`."""
        found: dict[str, object] = {str(place): count for place, count in scheduler.queue.lengths().items()}
        found["in-flight"] = scheduler.queue.in_flight
        if "pods" in request.query:
            found["pods"] = control.queue_dump()
        return _json(found)

    async def place(request: web.Request) -> web.Response:
        """Where one pod stands in the queue."""
        found = control.place(request.match_info["namespace"], request.match_info["name"])
        return _json({"error": "the queue has no such pod"}, 404) if found is None else _json(found)

    async def explanation(request: web.Request) -> web.Response:
        """Why one pod is where it is."""
        found = control.explain(request.match_info["namespace"], request.match_info["name"])
        return _json({"error": "no such pod"}, 404) if found is None else _json(asdict(found))

    async def nominations(request: web.Request) -> web.Response:
        """Pods that were promised a node."""
        return _json(control.nominations())

    async def plugins(request: web.Request) -> web.Response:
        """Every plugin that could run, with what its guard counted."""
        return _json([line._asdict() for line in catalog.listing()])

    return (
        ("/plugins", plugins),
        ("/queue", lengths),
        ("/queue/{namespace}/{name}", place),
        ("/explain/{namespace}/{name}", explanation),
        ("/nominations", nominations),
    )


def resource_rows(scheduler: Scheduler) -> Sequence[PodResources]:
    """What every pod that has not ended asks for; behind `/metrics/resources`. Some microseconds a pod."""
    return list(_rows(scheduler))


def _rows(scheduler: Scheduler) -> Iterator[PodResources]:
    for uid, pod in scheduler.writer.pods.items():
        placed = scheduler.cache.placed(uid)
        cls = placed.cls if placed is not None else scheduler.cache.classes.class_of(pod)
        yield PodResources(
            namespace=pod.metadata.namespace,
            pod=pod.metadata.name,
            node=pod.spec.node_name,
            scheduler=pod.spec.scheduler_name,
            priority=str(pod.spec.priority),
            requests=placed.request if placed is not None else cls.request,
            limits=_limits(cls),
        )


def _limits(cls: PodClass) -> Amounts:
    """Limits of the class's pods, summed as requests are."""
    known: Amounts | None = cls.memo.get(LIMITS)
    if known is None:
        known = cls.memo[LIMITS] = effective_request(_limits_as_requests(cls.pod))
    return known


def _limits_as_requests(pod: Pod) -> Pod:
    def turned(containers: tuple[Container, ...] | None) -> tuple[Container, ...]:
        return tuple(
            msgspec.structs.replace(c, resources=ResourceRequirements(requests=c.resources.limits))
            for c in containers or ()
        )

    spec = pod.spec
    whole = ResourceRequirements(requests=spec.resources.limits) if spec.resources is not None else None
    changed = msgspec.structs.replace(
        spec,
        containers=turned(spec.containers),
        init_containers=turned(spec.init_containers),
        resources=whole,
        overhead=None,
    )
    return msgspec.structs.replace(pod, spec=changed, status=type(pod.status)())


def _json(body: object, status: int = 200) -> web.Response:
    return web.Response(body=msgspec.json.encode(body), status=status, content_type="application/json")
