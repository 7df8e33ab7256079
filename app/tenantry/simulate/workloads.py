"""Workloads to the pods that their controllers would make: template, number, names and what differs from pod to pod.

Source: the replica set, stateful set, daemon set and job controllers of Kubernetes 1.36.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from tenantry.simulate.manifest import ClaimTemplate, Spec, read_manifest
from tenantry.simulate.read import floats_as_text
from tenantry_core.model.objects import OwnerReference

Body = dict[str, Any]
HASH = "simulated"
"""Stands for the template hash in names and labels of a Deployment's pods."""
_API = {
    "Pod": "v1",
    "ReplicationController": "v1",
    "Deployment": "apps/v1",
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "Job": "batch/v1",
    "CronJob": "batch/v1",
}
DAEMON_TOLERATIONS: tuple[tuple[str, str], ...] = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
"""What the daemon set controller adds, beside the network's taint for pods of the host network."""


@dataclass(frozen=True)
class Plan:
    """The pods that one workload stands for."""

    kind: str
    namespace: str
    name: str
    template: Body
    """`metadata` and `spec` of the pods, not yet defaulted; the plan's own copy."""
    count: int = 1
    owner: OwnerReference | None = None
    per_node: bool = False
    """One pod on every node that takes it, instead of `count`."""
    first: int = 0
    """Number of the first pod in names."""
    claim_templates: tuple[ClaimTemplate, ...] = ()
    owning: Body = field(default_factory=dict)
    """The object that selects the pods, for spreading; empty where nothing does."""

    @property
    def label(self) -> str:
        """`Deployment shop/web`."""
        return f"{self.kind} {self.namespace}/{self.name}"

    def pod_name(self, number: int) -> str:
        """Name of one pod."""
        if self.owner is None:
            return self.name
        return f"{self.owner.name}-{number}"


def makes_pods(kind: str) -> bool:
    """Whether a kind of this name makes pods, in the API group that it belongs to."""
    return kind in _API


def is_workload(kind: str, api_version: str) -> bool:
    """Whether the kind makes pods. The version within the group does not matter."""
    known = _API.get(kind)
    return known is not None and known.rpartition("/")[0] == api_version.rpartition("/")[0]


def plan_of(kind: str, body: Body) -> Plan | str:
    """The plan of one workload, or why there is none."""
    given = read_manifest(kind, body)
    if isinstance(given, str):
        return given
    meta, inner = given.metadata, given.spec.template
    name, namespace = meta.name or f"{meta.generate_name}0", meta.namespace or "default"
    labels = dict((inner.metadata.labels if inner.metadata else None) or {})
    template: Body = {
        "metadata": {"labels": labels, "namespace": namespace},
        "spec": floats_as_text(copy.deepcopy(inner.spec)),
    }
    if kind == "Pod":
        return Plan(kind, namespace, name, template)
    owner_kind, owner_name = _owner(kind, name)
    if kind == "Deployment":
        labels["pod-template-hash"] = HASH
    if owner_kind == "Job":
        labels.update({"job-name": owner_name, "batch.kubernetes.io/job-name": owner_name})
    if kind == "DaemonSet":
        _tolerate_as_daemon(template["spec"])
    owner = OwnerReference(
        owner_kind, owner_name, f"added/{namespace}/{owner_kind}/{owner_name}", _API[owner_kind], True
    )
    own = kind == "StatefulSet"
    return Plan(
        kind,
        namespace,
        name,
        template,
        _count(kind, given.spec),
        owner,
        kind == "DaemonSet",
        given.spec.ordinals.start if own and given.spec.ordinals else 0,
        given.spec.volume_claim_templates or () if own else (),
        _owning(owner, template, given.spec.selector),
    )


def _owner(kind: str, name: str) -> tuple[str, str]:
    """Kind and name of what owns the pods themselves."""
    between = {"Deployment": "ReplicaSet", "CronJob": "Job"}.get(kind)
    return (between, f"{name}-{HASH}") if between else (kind, name)


def _owning(owner: OwnerReference, template: Body, given: Body | None) -> Body:
    if owner.kind not in ("ReplicaSet", "StatefulSet", "ReplicationController"):
        return {}
    labels = dict(template["metadata"]["labels"])
    selector = dict(given or (labels if owner.kind == "ReplicationController" else {"matchLabels": labels}))
    if "pod-template-hash" in labels and isinstance(selector.get("matchLabels", {}), dict):
        selector["matchLabels"] = {**selector.get("matchLabels", {}), "pod-template-hash": labels["pod-template-hash"]}
    about = {"name": owner.name, "namespace": template["metadata"]["namespace"], "uid": owner.uid}
    return {"kind": owner.kind, "metadata": about, "spec": {"selector": selector}}


def _count(kind: str, spec: Spec) -> int:
    if kind == "DaemonSet":
        return 1
    if kind not in ("Job", "CronJob"):
        return 1 if spec.replicas is None else spec.replicas
    if spec.suspend:
        return 0
    at_once = 1 if spec.parallelism is None else spec.parallelism
    return at_once if spec.completions is None else min(at_once, spec.completions)


def _tolerate_as_daemon(spec: Body) -> None:
    wanted = [{"key": key, "operator": "Exists", "effect": effect} for key, effect in DAEMON_TOLERATIONS]
    if spec.get("hostNetwork"):
        key = "node.kubernetes.io/network-unavailable"
        wanted.append({"key": key, "operator": "Exists", "effect": "NoSchedule"})
    given = spec.get("tolerations") or []
    if isinstance(given, list):
        spec["tolerations"] = [*given, *wanted]
