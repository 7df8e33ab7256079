"""Clusters and manifests for tests of `simulate`, as kubectl prints them."""

from __future__ import annotations

import json
from typing import Any

from tenantry.simulate.answer import Answer
from tenantry.simulate.inventory import Inventory
from tenantry.simulate.read import read_items
from tenantry.simulate.run import simulate
from tenantry.simulate.state import Scenario
from tenantry_core.framework.profile import Profile
from tenantry_core.plugins.profiles import default_profile

Body = dict[str, Any]


def node(name: str, cpu: str = "4", zone: str = "a", **spec: Any) -> Body:
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone}
    room = {"cpu": cpu, "memory": "16Gi", "pods": "20"}
    meta = {"name": name, "uid": f"uid-{name}", "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec, "status": {"allocatable": room}}


def pod(name: str, on: str = "", cpu: str = "1", owner: str = "", namespace: str = "shop", **spec: Any) -> Body:
    """A pod, pending unless it is on a node; `owner` is `Kind/name`."""
    meta: Body = {"name": name, "namespace": namespace, "uid": f"uid-{name}", "labels": {"app": name.split("-")[0]}}
    if owner:
        kind, _, owner_name = owner.partition("/")
        meta["ownerReferences"] = [{"kind": kind, "name": owner_name, "uid": "o", "controller": True}]
    body: Body = {"containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}}}], **spec}
    status = {"phase": "Pending"}
    if on:
        body["nodeName"], status = on, {"phase": "Running"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": body, "status": status}


def template(cpu: str = "1", labels: Body | None = None, **spec: Any) -> Body:
    container = {"name": "main", "image": "app:1", "resources": {"requests": {"cpu": cpu}}}
    return {"metadata": {"labels": labels or {"app": "added"}}, "spec": {"containers": [container], **spec}}


def workload(kind: str = "Deployment", name: str = "added", given: Body | None = None, **spec: Any) -> Body:
    """A workload in namespace shop; its pods ask for one CPU unless `given` is their template."""
    version = {"Job": "batch/v1", "CronJob": "batch/v1", "ReplicationController": "v1"}.get(kind, "apps/v1")
    selector: Body = {"app": "added"} if kind == "ReplicationController" else {"matchLabels": {"app": "added"}}
    inner: Body = {"selector": selector, "template": given or template(), **spec}
    if kind == "CronJob":
        inner = {"schedule": "* * * * *", "jobTemplate": {"spec": inner}}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "shop"}, "spec": inner}


def quota(hard: Body, used: Body | None = None, **spec: Any) -> Body:
    status = {} if used is None else {"hard": hard, "used": used}
    meta = {"name": "compute", "namespace": "shop"}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": meta,
        "spec": {"hard": hard, **spec},
        "status": status,
    }


def limit_range(**limit: Any) -> Body:
    meta = {"name": "limits", "namespace": "shop"}
    spec = {"limits": [{"type": "Container", **limit}]}
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": meta, "spec": spec}


def as_list(*items: Body) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}).encode()


def loaded(*items: Body) -> Inventory:
    found = Inventory()
    found.take(read_items(as_list(*items), "test"))
    return found


def played(*items: Body, profiles: dict[str, Profile] | None = None, **scenario: Any) -> Answer:
    """The answer for a cluster of `items`; `add` takes bodies."""
    scenario["add"] = read_items(as_list(*scenario.pop("add", ())), "added")
    given = profiles or {"default-scheduler": default_profile()}
    return simulate(loaded(*items), Scenario(**scenario), given)


def outcomes(answer: Answer) -> list[tuple[str, str, str, str]]:
    """(pod, cause, outcome, node), sorted."""
    return sorted((p.pod, p.cause, p.outcome, p.node) for p in answer.pods)
