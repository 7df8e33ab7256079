"""Workloads to the pods that their controllers would make: template, number, names and what differs from pod to pod.

Source: the replica set, stateful set, daemon set and job controllers of Kubernetes 1.36.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from tenantry_core.model.objects import OwnerReference

Body = dict[str, Any]
MOST = 200_000
"""Pods of one workload at most."""
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
    claim_templates: tuple[Body, ...] = ()
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


def is_workload(kind: str, api_version: str) -> bool:
    """Whether the kind makes pods. The version within the group does not matter."""
    known = _API.get(kind)
    return known is not None and known.rpartition("/")[0] == api_version.rpartition("/")[0]


def plan_of(kind: str, body: Body) -> Plan | str:
    """The plan of one workload, or why there is none."""
    meta, spec = body.get("metadata"), body.get("spec")
    if not isinstance(meta, dict) or not isinstance(meta.get("name") or meta.get("generateName"), str):
        return "metadata.name is missing"
    if not isinstance(spec, dict):
        return "spec is missing"
    if kind == "CronJob":
        inner = spec.get("jobTemplate")
        spec = inner.get("spec") if isinstance(inner, dict) else None
        if not isinstance(spec, dict):
            return "spec.jobTemplate.spec is missing"
    template = body if kind == "Pod" else spec.get("template")
    if not isinstance(template, dict) or not isinstance(template.get("spec"), dict):
        return "spec.template.spec is missing"
    count = _count(kind, spec)
    if isinstance(count, str):
        return count
    given = template.get("metadata")
    labels = dict((given.get("labels") if isinstance(given, dict) else None) or {})
    own = copy.deepcopy({"metadata": {"labels": labels}, "spec": template["spec"]})
    return _plan(kind, (meta, spec), own, count)


def _plan(kind: str, given: tuple[Body, Body], template: Body, count: int) -> Plan:
    meta, spec = given
    name = str(meta.get("name") or f"{meta['generateName']}0")
    namespace = str(meta.get("namespace") or "default")
    template["metadata"]["namespace"] = namespace
    if kind == "Pod":
        return Plan(kind, namespace, name, template)
    owner_kind, owner_name = kind, name
    selector = copy.deepcopy(spec.get("selector")) or {"matchLabels": dict(template["metadata"]["labels"])}
    if kind == "Deployment":
        owner_kind, owner_name = "ReplicaSet", f"{name}-{HASH}"
        template["metadata"]["labels"]["pod-template-hash"] = HASH
        selector = {**selector, "matchLabels": {**(selector.get("matchLabels") or {}), "pod-template-hash": HASH}}
    if kind == "CronJob":
        owner_kind, owner_name = "Job", f"{name}-{HASH}"
    if owner_kind == "Job":
        labels = {"job-name": owner_name, "batch.kubernetes.io/job-name": owner_name}
        template["metadata"]["labels"].update(labels)
    if kind == "DaemonSet":
        _tolerate_as_daemon(template["spec"])
    uid = f"added/{namespace}/{owner_kind}/{owner_name}"
    owner = OwnerReference(owner_kind, owner_name, uid, _API[owner_kind], True)
    owning: Body = {}
    if owner_kind in ("ReplicaSet", "StatefulSet", "ReplicationController"):
        about = {"name": owner_name, "namespace": namespace, "uid": uid}
        if owner_kind == "ReplicationController":
            selector = spec.get("selector") or dict(template["metadata"]["labels"])
        owning = {"kind": owner_kind, "metadata": about, "spec": {"selector": selector}}
    first = (spec.get("ordinals") or {}).get("start", 0) if kind == "StatefulSet" else 0
    claims = tuple(spec.get("volumeClaimTemplates") or ()) if kind == "StatefulSet" else ()
    return Plan(kind, namespace, name, template, count, owner, kind == "DaemonSet", first, claims, owning)


def _count(kind: str, spec: Body) -> int | str:
    if kind in ("Pod", "DaemonSet"):
        return 1
    path, given = "spec.replicas", [spec.get("replicas")]
    if kind in ("Job", "CronJob"):
        if spec.get("suspend"):
            return "spec.suspend is true: it makes no pods"
        path, given = "spec.parallelism, spec.completions", [spec.get("parallelism"), spec.get("completions")]
    numbers = [1 if n is None else n for n in (given if given[-1] is not None else given[:1])]
    if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= MOST for n in numbers):
        return f"{path}: {numbers} is no number from 0 to {MOST}"
    return min(int(n) for n in numbers)


def _tolerate_as_daemon(spec: Body) -> None:
    wanted = [{"key": key, "operator": "Exists", "effect": effect} for key, effect in DAEMON_TOLERATIONS]
    if spec.get("hostNetwork"):
        key = "node.kubernetes.io/network-unavailable"
        wanted.append({"key": key, "operator": "Exists", "effect": "NoSchedule"})
    spec["tolerations"] = [*(spec.get("tolerations") or ()), *wanted]
