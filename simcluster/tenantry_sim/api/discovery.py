"""Discovery documents and the least OpenAPI that lets kubectl validate on the server's side.

All of it is derived from the resource table.
"""

import hashlib
from typing import Any

from tenantry_sim.api.call import Answer
from tenantry_sim.kinds.table import GROUPS, RESOURCES
from tenantry_sim.store.records import encode
from tenantry_sim.store.resource import Resource

VERSION = "v1.36.0-sim"
_REVIEW_ROWS = {
    "authorization.k8s.io": ("SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"),
    "authentication.k8s.io": ("SelfSubjectReview", "TokenReview"),
}
_SUB_KINDS: dict[str, dict[str, Any]] = {
    "binding": {"kind": "Binding", "verbs": ["create"]},
    "eviction": {"group": "policy", "version": "v1", "kind": "Eviction", "verbs": ["create"]},
    "scale": {"group": "autoscaling", "version": "v1", "kind": "Scale", "verbs": ["get", "patch", "update"]},
    "finalize": {"verbs": ["update"]},
}


def _resource_rows(resource: Resource) -> list[dict[str, Any]]:
    row: dict[str, Any] = {
        "name": resource.plural,
        "singularName": resource.single,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short:
        row["shortNames"] = list(resource.short)
    if resource.categories:
        row["categories"] = list(resource.categories)
    row["storageVersionHash"] = hashlib.sha256(resource.key.encode()).hexdigest()[:12]
    rows = [row]
    for name in resource.subresources:
        base = {
            "name": f"{resource.plural}/{name}",
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": resource.kind,
            "verbs": ["get", "patch", "update"],
        }
        rows.append({**base, **_SUB_KINDS.get(name, {})})
    return rows


def _resource_list(group: str) -> dict[str, Any]:
    rows = [row for r in RESOURCES if r.group == group for row in _resource_rows(r)]
    for kind in _REVIEW_ROWS.get(group, ()):
        name = kind.lower() + "s"
        row = {"name": name, "singularName": kind.lower(), "namespaced": False, "kind": kind, "verbs": ["create"]}
        rows.append(row)
    if not group:
        bindings = {"name": "bindings", "singularName": "binding", "namespaced": True}
        rows.insert(0, {**bindings, "kind": "Binding", "verbs": ["create"]})
    version = f"{group}/v1" if group else "v1"
    head: dict[str, Any] = {"kind": "APIResourceList", **({"apiVersion": "v1"} if group else {})}
    return {**head, "groupVersion": version, "resources": rows}


def _group(name: str) -> dict[str, Any]:
    version = {"groupVersion": f"{name}/v1", "version": "v1"}
    return {"name": name, "versions": [version], "preferredVersion": version}


def _patch_path(resource: Resource) -> tuple[str, dict[str, Any]]:
    """The path of one object with its PATCH operation, which is where kubectl looks for field validation."""
    root = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    middle = "/namespaces/{namespace}" if resource.namespaced else ""
    query = {"name": "fieldValidation", "in": "query", "schema": {"type": "string", "uniqueItems": True}}
    operation = {
        "operationId": f"patch{resource.group.title().replace('.', '')}{resource.kind}",
        "parameters": [query],
        "responses": {"200": {"description": "OK"}},
        "x-kubernetes-action": "patch",
        "x-kubernetes-group-version-kind": {
            "group": resource.group,
            "version": resource.version,
            "kind": resource.kind,
        },
    }
    return f"{root}{middle}/{resource.plural}/{{name}}", {"patch": operation}


def _openapi_v3(path: str) -> dict[str, Any] | None:
    info = {"title": "Tenantry embedded cluster", "version": VERSION}
    if path == "/openapi/v3":
        roots = ["api/v1", *(f"apis/{g}/v1" for g in GROUPS)]
        return {"paths": {root: {"serverRelativeURL": f"/openapi/v3/{root}"} for root in roots}}
    root = path.removeprefix("/openapi/v3/")
    group = "" if root == "api/v1" else root.removeprefix("apis/").removesuffix("/v1")
    if group and group not in GROUPS:
        return None
    paths = dict(_patch_path(r) for r in RESOURCES if r.group == group)
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": {}}}


def _documents() -> dict[str, Any]:
    major, minor = VERSION.lstrip("v").split(".")[:2]
    found: dict[str, Any] = {
        "/api": {
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1"}],
        },
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(g) for g in GROUPS]},
        "/api/v1": _resource_list(""),
        "/version": {
            "major": major,
            "minor": minor,
            "gitVersion": VERSION,
            "gitCommit": "",
            "gitTreeState": "clean",
            "buildDate": "1970-01-01T00:00:00Z",
            "goVersion": "",
            "compiler": "",
            "platform": "linux/amd64",
        },
    }
    for group in GROUPS:
        found[f"/apis/{group}"] = {"kind": "APIGroup", "apiVersion": "v1", **_group(group)}
        found[f"/apis/{group}/v1"] = _resource_list(group)
    return found


_CACHE: dict[str, bytes] = {}


def document(path: str) -> Answer | None:
    """The discovery, version, health or OpenAPI document at a path; None when there is none."""
    if path in ("/healthz", "/livez", "/readyz"):
        return Answer(200, b"ok", "text/plain; charset=utf-8")
    if not _CACHE:
        _CACHE.update({key: encode(value) for key, value in _documents().items()})
    if path.startswith("/openapi/v3") and path not in _CACHE:
        spec = _openapi_v3(path)
        if spec is not None:
            _CACHE[path] = encode(spec)
    found = _CACHE.get(path)
    return None if found is None else Answer(200, found)
