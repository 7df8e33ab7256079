"""OpenAPI version 2 in protobuf: kubectl before 1.27 reads it for `explain`, validation, and what can be a dry run.

Field numbers come from `OpenAPIv2.proto` of the gnostic project.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tenantry_sim.store.records import encode
from tenantry_sim.store.resource import Resource

MEDIA_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
"""Media type of the answer. Clients ask with an `@` before the version, which no answer may carry."""
_DEFINITIONS = "#/definitions/"
_QUERY = ("dryRun", "fieldValidation")
"""Parameters of every PATCH, which is where kubectl looks for what a kind supports."""


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number: int, content: bytes | str) -> bytes:
    """One length-delimited field of a message."""
    raw = content.encode() if isinstance(content, str) else content
    return _number(number << 3 | 2) + _number(len(raw)) + raw


def _named(number: int, entries: Iterable[tuple[str, bytes]]) -> bytes:
    """A repeated field of messages with a name (1) and a value (2)."""
    return b"".join(_field(number, _field(1, name) + _field(2, value)) for name, value in entries)


def _extension(number: int, name: str, value: Any) -> bytes:
    """A member that starts with `x-`; its value is YAML, of which JSON is a part."""
    return _named(number, [(name, _field(2, encode(value)))])


def _schema(schema: Mapping[str, Any]) -> bytes:
    inner = schema.get("allOf")
    target = schema.get("$ref") or (inner[0].get("$ref") if inner and len(inner) == 1 else None)
    if target:
        return _field(1, _DEFINITIONS + target.rsplit("/", 1)[1])
    if "oneOf" in schema:
        # Version 2 has no alternatives; a text is what takes numbers as well.
        return _field(2, "int-or-string") + _field(22, _field(1, "string"))
    out = [_field(2, schema["format"])] if "format" in schema else []
    out += [_field(19, name) for name in schema.get("required") or ()]
    rest = schema.get("additionalProperties")
    if rest:
        out.append(_field(21, _field(1, _schema(rest)) if isinstance(rest, Mapping) else b"\x10\x01"))
    if isinstance(schema.get("type"), str):
        out.append(_field(22, _field(1, schema["type"])))
    if isinstance(schema.get("items"), Mapping):
        out.append(_field(23, _field(1, _schema(schema["items"]))))
    if schema.get("properties"):
        out.append(_field(25, _named(1, ((name, _schema(inner)) for name, inner in schema["properties"].items()))))
    out += [_extension(31, name, value) for name, value in schema.items() if name.startswith("x-kubernetes-")]
    return b"".join(out)


def _path(resource: Resource) -> tuple[str, bytes]:
    """The path of one object, with its PATCH operation alone."""
    root = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    middle = "/namespaces/{namespace}" if resource.namespaced else ""
    queries = (_field(2, "query") + _field(4, name) + _field(6, "string") for name in _QUERY)
    # A parameter that is not a body, and that is a query.
    operation = b"".join(_field(8, _field(1, _field(2, _field(3, query)))) for query in queries)
    kind = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    operation += _extension(13, "x-kubernetes-group-version-kind", kind)
    return f"{root}{middle}/{resource.plural}/{{name}}", _field(8, operation)


def document(rows: Sequence[Resource], schemas: Mapping[str, Any], title: str, version: str) -> bytes:
    """The document of some resources and their schemas (as version 3 has them)."""
    info = _field(1, title) + _field(2, version)
    paths = _named(2, (_path(resource) for resource in rows if resource.custom is None))
    definitions = _named(1, ((name, _schema(schema)) for name, schema in schemas.items()))
    return _field(1, "2.0") + _field(2, info) + _field(8, paths) + _field(9, definitions)
