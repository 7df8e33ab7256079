"""Planned workloads to pods that the API server would let in, and the refusals of those that it would not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from tenantry.simulate.claims import make_claim
from tenantry.simulate.defaults import admit_limits, admit_priority, admit_tolerations, default_pod
from tenantry.simulate.inventory import Inventory
from tenantry.simulate.limits import refusal_by_limits, request_over_limit
from tenantry.simulate.quota import Quotas, charge_of, scoped
from tenantry.simulate.workloads import Plan
from tenantry_core.framework.context import CycleContext
from tenantry_core.model.decode import DecodeError, from_builtins
from tenantry_core.model.objects import (
    Affinity,
    ClaimVolume,
    NodeAffinity,
    NodeSelector,
    NodeSelectorTerm,
    OwnerReference,
    Pod,
    SelectorRequirement,
    Volume,
)
from tenantry_core.plugins.masks import affinity_mask, toleration_mask


@dataclass
class Admitted:
    """What became of one workload's pods on their way in."""

    plan: Plan
    pods: list[Pod] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """(pod as `namespace/name`, reason)."""
    shape: Pod | None = None
    """The pods' common shape; None where the template cannot be read."""


def admit(plan: Plan, found: Inventory, quotas: Quotas, nodes: frozenset[str] | None = None) -> Admitted:
    """Default, check and charge the plan's pods. `nodes` narrows a daemon set to these nodes; None means all."""
    answer = Admitted(plan)
    base = base_pod(plan, found)
    if not isinstance(base, str):
        base = _selected(plan, found) or base
    if isinstance(base, str):
        answer.refused = [
            (f"{plan.namespace}/{plan.pod_name(n)}", base) for n in range(plan.first, plan.first + plan.count)
        ]
        return answer
    answer.shape = base
    ranges = [r for (namespace, _), r in found.limit_ranges.items() if namespace == plan.namespace]
    about = scoped(base, "activeDeadlineSeconds" in plan.template["spec"])
    lasting = request_over_limit(base) or refusal_by_limits(base, ranges) or quotas.missing(base, about)
    charge = charge_of(base)
    for pod in _stamped(plan, base, found, nodes):
        why = lasting or quotas.take(plan.namespace, charge, about) or _claims(plan, pod, found)
        if why:
            answer.refused.append((f"{plan.namespace}/{pod.metadata.name}", why))
        else:
            answer.pods.append(pod)
    return answer


def _selected(plan: Plan, found: Inventory) -> str:
    """Let the cluster know the owner, whose selector spreads the pods. Returns what is wrong with it, or ""."""
    if plan.owning:
        kind = plan.owning["kind"]
        try:
            found.cache.put(kind, from_builtins(kind, plan.owning))
        except DecodeError as error:
            return f"{error.field}: {error.rule}"
    return ""


def base_pod(plan: Plan, found: Inventory) -> Pod | str:
    """The pod that the template gives, or what is wrong with it."""
    spec = plan.template["spec"]
    try:
        default_pod(plan.template, found.scheduler_name)
        ranges = [r for (namespace, _), r in found.limit_ranges.items() if namespace == plan.namespace]
        admit_limits(spec, ranges)
        admit_tolerations(spec)
        why = admit_priority(spec, found.priority_classes, found.pods.values())
    except (TypeError, AttributeError, KeyError, ValueError) as error:
        return f"template: not a pod template: {error}"
    if why:
        return why
    if not spec.get("containers"):
        return "spec.containers: at least one is required"
    meta = {**plan.template["metadata"], "name": plan.name, "uid": f"added/{plan.label}"}
    try:
        pod: Pod = from_builtins("Pod", {"metadata": meta, "spec": spec})
    except DecodeError as error:
        return f"{error.field}: {error.rule}"
    owners = (plan.owner,) if plan.owner is not None else ()
    return structs.replace(pod, metadata=structs.replace(pod.metadata, owner_references=owners))


def _stamped(plan: Plan, base: Pod, found: Inventory, nodes: frozenset[str] | None) -> Iterator[Pod]:
    """The plan's pods, each with what is its own."""
    targets = _daemon_nodes(base, found, nodes) if plan.per_node else [""] * plan.count
    for number, target in enumerate(targets, plan.first):
        pod = _named(plan, base, found, number)
        if target:
            pod = structs.replace(pod, spec=structs.replace(pod.spec, affinity=_pinned(base.spec.affinity, target)))
        elif plan.kind == "StatefulSet":
            pod = _with_identity(plan, pod, number)
        yield pod


def _named(plan: Plan, base: Pod, found: Inventory, number: int) -> Pod:
    name = plan.pod_name(number)
    while (plan.namespace, name) in found.pods or (plan.namespace, name) in found.added:
        name += "-added"
    found.added.add((plan.namespace, name))
    uid = f"added/{plan.namespace}/{name}"
    return structs.replace(base, metadata=structs.replace(base.metadata, name=name, uid=uid))


def _with_identity(plan: Plan, pod: Pod, number: int) -> Pod:
    labels = {
        **(pod.metadata.labels or {}),
        "statefulset.kubernetes.io/pod-name": pod.metadata.name,
        "apps.kubernetes.io/pod-index": str(number),
    }
    names = [t.metadata.name for t in plan.claim_templates]
    own = tuple(Volume(n, persistent_volume_claim=ClaimVolume(f"{n}-{plan.name}-{number}")) for n in names)
    volumes = own + tuple(v for v in pod.spec.volumes or () if v.name not in names)
    meta = structs.replace(pod.metadata, labels=labels)
    return structs.replace(pod, metadata=meta, spec=structs.replace(pod.spec, volumes=volumes))


def _daemon_nodes(base: Pod, found: Inventory, nodes: frozenset[str] | None) -> list[str]:
    """Names of nodes whose labels and taints let the daemon in; room is the scheduler's business."""
    ctx = CycleContext(found.cache, found.cache.classes.class_of(base), base)
    columns = found.cache.nodes
    rows = np.flatnonzero(columns.alive & affinity_mask(ctx) & toleration_mask(ctx))
    names = [columns.names[int(row)] for row in rows]
    return names if nodes is None else [name for name in names if name in nodes]


def _pinned(affinity: Affinity | None, node: str) -> Affinity:
    """Required node affinity replaced by the node's name, as the controller does."""
    term = NodeSelectorTerm(match_fields=(SelectorRequirement("metadata.name", "In", (node,)),))
    given = affinity or Affinity()
    preferred = given.node_affinity.preferred if given.node_affinity else ()
    return structs.replace(given, node_affinity=NodeAffinity(NodeSelector((term,)), preferred))


def _claims(plan: Plan, pod: Pod, found: Inventory) -> str:
    """Make the claims that come with a pod. Returns what is wrong with them, or ""."""
    for volume in pod.spec.volumes or ():
        name = volume.persistent_volume_claim.claim_name if volume.persistent_volume_claim else ""
        template = next((t.spec or {} for t in plan.claim_templates if t.metadata.name == volume.name), None)
        meta: dict[str, Any] = {"namespace": plan.namespace, "name": name}
        if volume.ephemeral is not None:
            template = _ephemeral_template(plan, volume.name)
            owner = OwnerReference("Pod", pod.metadata.name, pod.metadata.uid, "v1", True)
            meta |= {"name": f"{pod.metadata.name}-{volume.name}", "ownerReferences": [msgspec.to_builtins(owner)]}
        if template is not None:
            why = make_claim(found, template, meta)
            if why:
                return why
    return ""


def _ephemeral_template(plan: Plan, volume: str) -> dict[str, Any] | None:
    for given in plan.template["spec"].get("volumes") or ():
        if given.get("name") == volume:
            spec: dict[str, Any] | None = ((given.get("ephemeral") or {}).get("volumeClaimTemplate") or {}).get("spec")
            return spec if isinstance(spec, dict) else {}
    return None
