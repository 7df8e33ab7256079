"""Metrics as text: the registry in the format a scraper asks for, and the per-pod resource series in slices."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

RESOURCES_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SLICE = 500
"""Pods rendered between two chances for other work; about three milliseconds."""


def render(registry: CollectorRegistry, accept: str = "") -> tuple[bytes, str]:
    """The registry as (body, content type): OpenMetrics if the Accept header asks for it, Prometheus text otherwise."""
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type


class PodResources(NamedTuple):
    """What one pod asks for. Pods that have ended are left out by whoever makes the rows."""

    namespace: str
    pod: str
    node: str
    """Empty while the pod has none."""
    scheduler: str
    priority: str
    """The number as text; empty if the pod has none."""
    requests: Mapping[str, int]
    """Resource name to amount, in the model's units: milli-CPU, bytes, counts."""
    limits: Mapping[str, int]


ResourceProvider = Callable[[], Sequence[PodResources]]
"""Gives a snapshot of all pods that have not ended; it is read while other work goes on, so it must not change."""


def resource_slices(rows: Sequence[PodResources]) -> Iterator[bytes]:
    """`kube_pod_resource_request` and `kube_pod_resource_limit` as Prometheus text, in slices of `SLICE` pods.

    One series per pod and resource; amounts of zero are left out. Units: cpu in cores, memory, storage and huge pages
    in bytes, everything else as an integer.
    """
    for name, help_text, field in (
        ("kube_pod_resource_request", "Resources that a pod asks for, as the scheduler counts them.", "requests"),
        ("kube_pod_resource_limit", "Resource limits of a pod, as the scheduler counts them.", "limits"),
    ):
        yield f"# HELP {name} {help_text}\n# TYPE {name} gauge\n".encode()
        rest = iter(rows)
        while part := list(islice(rest, SLICE)):
            yield "".join(_series(name, part, field)).encode()


def _series(name: str, rows: Iterable[PodResources], field: str) -> Iterator[str]:
    for row in rows:
        labels = (
            f'{name}{{namespace="{row.namespace}",pod="{row.pod}",node="{row.node}",'
            f'scheduler="{_escape(row.scheduler)}",priority="{row.priority}",'
        )
        amounts: Mapping[str, int] = row.requests if field == "requests" else row.limits
        for resource, amount in amounts.items():
            if amount:
                value = amount / 1000 if resource == "cpu" else amount
                yield f'{labels}resource="{_escape(resource)}",unit="{unit_of(resource)}"}} {value}\n'


def unit_of(resource: str) -> str:
    """The `unit` label for a resource: "cores", "bytes" or "integer"."""
    if resource == "cpu":
        return "cores"
    if resource in ("memory", "storage", "ephemeral-storage") or resource.startswith("hugepages-"):
        return "bytes"
    return "integer"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
