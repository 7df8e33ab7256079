"""OpenAPI: schemas for version 3, which `kubectl explain` reads, and the version 2 that old clients ask for."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tenantry_sim.schemas.checks import reachable
from tenantry_sim.schemas.package import definition_name
from tenantry_sim.store.records import encode
from tenantry_sim.store.resource import Resource

TITLE = "Tenantry embedded cluster"
_FROM, _TO = "#/$defs/", "#/components/schemas/"


def _translated(schema: Any, free: bool = False) -> Any:
    """JSON schema as OpenAPI: no null types, no prose. `free`: the members are names, not keywords."""
    if isinstance(schema, list):
        return [_translated(inner) for inner in schema]
    if not isinstance(schema, Mapping):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if free:
            out[key] = _translated(value)
        elif key == "$ref" and isinstance(value, str):
            return {"allOf": [{"$ref": value.replace(_FROM, _TO)}], "default": {}}
        elif key == "type" and isinstance(value, list):
            out[key] = next(t for t in value if t != "null")
        elif key != "description":
            out[key] = _translated(value, key == "properties")
    return out


def _group_name(resource: Resource) -> str:
    return ".".join(reversed(resource.group.split(".")))


def _custom(resource: Resource) -> tuple[str, dict[str, Any]]:
    kind = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    name = f"{_group_name(resource)}.{resource.version}.{resource.kind}"
    schema = {"type": "object", **resource.custom.schema, "x-kubernetes-group-version-kind": [kind]}
    properties = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
    return name, {**schema, "properties": {**properties, **schema.get("properties", {})}}


def schemas(rows: Sequence[Resource]) -> dict[str, Any]:
    """Schemas of some resources and of all that they refer to, by full name."""
    found: dict[str, Any] = {}
    for resource in rows:
        if resource.custom is not None:
            name, schema = _custom(resource)
            found[name] = schema
            continue
        known = definition_name(resource.group, resource.version, resource.kind)
        for inner, schema in reachable(known).items() if known is not None else ():
            if inner not in found:
                found[inner] = _translated(schema)
    return found


def document_v2(rows: Sequence[Resource], version: str) -> dict[str, Any]:
    """Version 2 in JSON: every schema, no paths."""
    info = {"title": TITLE, "version": version}
    text = encode(schemas(rows)).replace(_TO.encode(), b"#/definitions/")
    return {"swagger": "2.0", "info": info, "paths": {}, "definitions": msgspec.json.decode(text)}
