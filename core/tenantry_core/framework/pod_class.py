"""Pods that scheduling cannot tell apart share one PodClass, which holds everything worth working out once.

The cache interns classes (`cache/class_table.py`); plugins read them. Two pods of one class differ only in name, UID,
times and in labels that no selector in use looks at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msgspec import structs

from tenantry_core.framework.terms import (
    AffinityTerms,
    SpreadConstraint,
    compile_affinity,
    compile_constraint,
)
from tenantry_core.model.objects import Container, Labels, Pod, PodStatus, Toleration, Volume
from tenantry_core.model.requests import Amounts, effective_request, scoring_request
from tenantry_core.model.selectors import NodeTerm, Selector, compile_node_term, from_labels

NO_STATUS = PodStatus()
HostPort = tuple[str, str, int]
"""Address, protocol and port; the address is 0.0.0.0 where none is given."""


@dataclass(slots=True, eq=False)
class PodClass:
    """What the pods of one class ask for. Compare by identity."""

    ident: int
    """Number of the class, rising with first use."""
    namespace: str
    labels: Labels
    """Labels of the first pod seen; equal for all on every key that a selector in use looks at."""
    pod: Pod
    """The first pod seen, for what is not compiled below."""
    priority: int
    scheduler_name: str
    request: Amounts
    """Canonical amounts by resource name, without the pod slot."""
    scoring: tuple[int, int]
    """Milli-CPU and bytes of memory with scoring defaults."""
    node_selector: Selector | None
    node_terms: tuple[NodeTerm, ...] | None
    """Required node affinity: any of these; None where there is none, empty where nothing can match."""
    preferred_nodes: tuple[tuple[int, NodeTerm], ...]
    tolerations: tuple[Toleration, ...]
    ports: tuple[HostPort, ...]
    images: tuple[str, ...]
    image_containers: int
    """Containers whose images count towards image locality."""
    hard_spread: tuple[SpreadConstraint, ...]
    soft_spread: tuple[SpreadConstraint, ...]
    terms: AffinityTerms
    volumes: tuple[Volume, ...]
    """Only volumes that a volume plugin looks at."""
    owner: tuple[str, str]
    """Kind and name of the controlling owner, empty strings where there is none."""
    memo: dict[Any, Any] = field(default_factory=dict)
    """Scratch space of plugins, keyed by plugin and by what the entry depends on."""

    @property
    def never_preempts(self) -> bool:
        """Whether preemptionPolicy forbids taking room from others."""
        return self.pod.spec.preemption_policy == "Never"


def compile_class(ident: int, pod: Pod) -> PodClass:
    """Work out the class of `pod`. Raises QuantityError or SelectorError, which decoding has already excluded.

    The status is left aside: it tells of one pod (an in-place resize), not of all that are like it.
    """
    if pod.status != NO_STATUS:
        pod = structs.replace(pod, status=NO_STATUS)
    spec, labels, namespace = pod.spec, pod.metadata.labels or {}, pod.metadata.namespace
    node_affinity = spec.affinity.node_affinity if spec.affinity else None
    required = node_affinity.required if node_affinity else None
    preferred = (node_affinity.preferred or ()) if node_affinity else ()
    spread = [
        (c.when_unsatisfiable, compile_constraint(c, namespace, labels)) for c in spec.topology_spread_constraints or ()
    ]
    scoring = scoring_request(pod)
    return PodClass(
        ident=ident,
        namespace=namespace,
        labels=labels,
        pod=pod,
        priority=spec.priority,
        scheduler_name=spec.scheduler_name,
        request={name: value for name, value in effective_request(pod).items() if value},
        scoring=(scoring["cpu"], scoring["memory"]),
        node_selector=from_labels(spec.node_selector) if spec.node_selector else None,
        node_terms=None if required is None else tuple(compile_node_term(t) for t in required.node_selector_terms),
        preferred_nodes=tuple((p.weight, compile_node_term(p.preference)) for p in preferred),
        tolerations=spec.tolerations or (),
        ports=host_ports(pod),
        images=_images(pod),
        image_containers=len(spec.containers) + len(spec.init_containers or ()),
        hard_spread=tuple(c for when, c in spread if when == "DoNotSchedule"),
        soft_spread=tuple(c for when, c in spread if when == "ScheduleAnyway"),
        terms=compile_affinity(spec.affinity, namespace),
        volumes=relevant_volumes(pod),
        owner=controlling_owner(pod),
    )


def host_ports(pod: Pod) -> tuple[HostPort, ...]:
    """Host ports that the pod takes on its node: containers' and sidecars', not those of plain init containers."""
    sidecars = tuple(c for c in pod.spec.init_containers or () if c.restart_policy == "Always")
    found: set[HostPort] = set()
    for container in (*pod.spec.containers, *sidecars):
        for port in container.ports or ():
            if port.host_port > 0:
                found.add((port.host_ip or "0.0.0.0", port.protocol or "TCP", port.host_port))
    return tuple(sorted(found))


def relevant_volumes(pod: Pod) -> tuple[Volume, ...]:
    """Volumes that have a say in placement: claims, inline CSI, single-attach disks."""
    return tuple(
        v
        for v in pod.spec.volumes or ()
        if v.persistent_volume_claim or v.ephemeral or v.csi or v.gce_persistent_disk or v.aws_elastic_block_store
        or v.iscsi or v.rbd
    )  # fmt: skip


def controlling_owner(pod: Pod) -> tuple[str, str]:
    """Kind and name of the controller that owns the pod."""
    owner = next((o for o in pod.metadata.owner_references if o.controller), None)
    return (owner.kind, owner.name) if owner else ("", "")


def _images(pod: Pod) -> tuple[str, ...]:
    containers: tuple[Container, ...] = (*(pod.spec.init_containers or ()), *pod.spec.containers)
    mounted = [v.image.reference for v in pod.spec.volumes or () if v.image and v.image.reference]
    return tuple(normalized_image(name) for name in (*(c.image for c in containers), *mounted))


def normalized_image(name: str) -> str:
    """The name with `:latest` where it has neither tag nor digest."""
    return name if name.rfind(":") > name.rfind("/") else f"{name}:latest"
