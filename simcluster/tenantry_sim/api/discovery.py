"""Discovery documents and OpenAPI v3, derived from the resource table and the definitions of custom resources."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from tenantry_sim.api import openapi_v2
from tenantry_sim.api.call import Answer
from tenantry_sim.api.openapi import TITLE, document_v2, schemas
from tenantry_sim.kinds.table import GROUPS, RESOURCES
from tenantry_sim.store.catalog import Catalog
from tenantry_sim.store.records import encode
from tenantry_sim.store.resource import Resource

Served = Sequence[Resource]
VERSION = "v1.36.0-sim"
_PROTOBUF = "/openapi/v2 in protobuf"
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


def _resource_list(served: Served, group: str, version: str) -> dict[str, Any]:
    rows = [row for r in served if r.group == group and r.version == version for row in _resource_rows(r)]
    for kind in _REVIEW_ROWS.get(group, ()):
        name = kind.lower() + "s"
        row = {"name": name, "singularName": kind.lower(), "namespaced": False, "kind": kind, "verbs": ["create"]}
        rows.append(row)
    if not group:
        bindings = {"name": "bindings", "singularName": "binding", "namespaced": True}
        rows.insert(0, {**bindings, "kind": "Binding", "verbs": ["create"]})
    name = f"{group}/{version}" if group else version
    head: dict[str, Any] = {"kind": "APIResourceList", **({"apiVersion": "v1"} if group else {})}
    return {**head, "groupVersion": name, "resources": rows}


def _groups(served: Served) -> dict[str, list[str]]:
    """The versions of each named group, the preferred one first."""
    found: dict[str, list[str]] = {group: [] for group in GROUPS}
    for resource in served:
        if resource.group and resource.version not in found.setdefault(resource.group, []):
            found[resource.group].append(resource.version)
    return {group: sorted(versions or ["v1"], key=_preference) for group, versions in found.items()}


def _preference(version: str) -> tuple[int, list[int], str]:
    """Stable before beta before alpha, newer before older, as Kubernetes orders versions."""
    match = re.fullmatch(r"v(\d+)(?:(alpha|beta)(\d+))?", version)
    if match is None:
        return (3, [], version)
    major, stage, minor = match.groups()
    return (("", "beta", "alpha").index(stage or ""), [-int(major), -int(minor or 0)], version)


def _group(name: str, versions: list[str]) -> dict[str, Any]:
    rows = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": rows, "preferredVersion": rows[0]}


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


def _openapi_v3(served: Served, path: str) -> dict[str, Any] | None:
    info = {"title": TITLE, "version": VERSION}
    roots = {"api/v1": ("", "v1")}
    roots |= {f"apis/{g}/{v}": (g, v) for g, versions in _groups(served).items() for v in versions}
    if path == "/openapi/v3":
        return {"paths": {root: {"serverRelativeURL": f"/openapi/v3/{root}"} for root in roots}}
    found = roots.get(path.removeprefix("/openapi/v3/"))
    if found is None:
        return None
    rows = [r for r in served if (r.group, r.version) == found]
    return {
        "openapi": "3.0.0",
        "info": info,
        "paths": dict(_patch_path(r) for r in rows),
        "components": {"schemas": schemas(rows)},
    }


def _documents(served: Served) -> dict[str, Any]:
    major, minor = VERSION.lstrip("v").split(".")[:2]
    groups = _groups(served)
    found: dict[str, Any] = {
        "/api": {
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1"}],
        },
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(*g) for g in groups.items()]},
        "/api/v1": _resource_list(served, "", "v1"),
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
    for group, versions in groups.items():
        found[f"/apis/{group}"] = {"kind": "APIGroup", "apiVersion": "v1", **_group(group, versions)}
        for version in versions:
            found[f"/apis/{group}/{version}"] = _resource_list(served, group, version)
    return found


class Documents:
    """Discovery, version, health and OpenAPI documents of one cluster; made anew when a definition comes or goes."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._made_at = -1
        self._ready: dict[str, bytes] = {}

    def at(self, path: str, accept: str = "") -> Answer | None:
        """The document at a path; None when there is none."""
        if path in ("/healthz", "/livez", "/readyz"):
            return Answer(200, b"ok", "text/plain; charset=utf-8")
        served = (*RESOURCES, *self._catalog.resources())
        if self._made_at != self._catalog.changes:
            self._ready = {key: encode(value) for key, value in _documents(served).items()}
            self._made_at = self._catalog.changes
        if path == "/openapi/v2" and "proto-openapi.spec.v2" in accept:
            if _PROTOBUF not in self._ready:
                self._ready[_PROTOBUF] = openapi_v2.document(served, schemas(served), TITLE, VERSION)
            return Answer(200, self._ready[_PROTOBUF], openapi_v2.MEDIA_TYPE)
        if path == "/openapi/v2" and path not in self._ready:
            self._ready[path] = encode(document_v2(served, VERSION))
        if path.startswith("/openapi/v3") and path not in self._ready:
            spec = _openapi_v3(served, path)
            if spec is not None:
                self._ready[path] = encode(spec)
        found = self._ready.get(path)
        return None if found is None else Answer(200, found)
