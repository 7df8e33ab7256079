"""Checks of core objects against their published schema: what Go's decoder would refuse."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema_rs

from tenantry_sim.schemas.package import definition_name, definitions
from tenantry_sim.status import bad_request

_REFERENCE = "#/$defs/"
_NOT_DECODING = ("required", "enum", "description", "default")
"""Members of a schema that say nothing about the Go type."""


def path_text(path: list[str | int]) -> str:
    """`spec.containers[0].name`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "$ref" and isinstance(inner, str):
                yield str(inner).removeprefix(_REFERENCE)
            else:
                yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def reachable(name: str) -> dict[str, Any]:
    """A definition and everything that it refers to, by name."""
    known, found, waiting = definitions(), {}, [name]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found[current] = known[current]
            waiting += _references(known[current])
    return found


def _types_only(schema: Any, free: bool = False) -> Any:
    """The schema without demands that decoding does not make. `free`: the members are names, not keywords."""
    if isinstance(schema, Mapping):
        kept = {k: v for k, v in schema.items() if free or k not in _NOT_DECODING}
        return {key: _types_only(inner, key in ("properties", "$defs") and not free) for key, inner in kept.items()}
    return [_types_only(inner) for inner in schema] if isinstance(schema, list) else schema


@cache
def _validator(group: str, version: str, kind: str) -> Any:
    name = definition_name(group, version, kind)
    if name is None:
        return None
    return jsonschema_rs.Draft202012Validator(
        {"$ref": _REFERENCE + name, "$defs": _types_only(reachable(name), free=True)}
    )


def check_types(group: str, version: str, kind: str, document: Mapping[str, Any]) -> None:
    """Refuse members of the wrong JSON type; kinds without a published schema pass. Raises ApiError 400."""
    validator = _validator(group, version, kind)
    if validator is None or validator.is_valid(document):
        return
    error = next(iter(validator.iter_errors(document)))
    path = path_text(error.instance_path)
    text = f"json: cannot unmarshal {type_name(error.instance)} into Go struct field {kind}.{path}"
    raise bad_request(f'{kind} in version "{version}" cannot be handled as a {kind}: {text}')


def type_name(value: Any) -> str:
    """The JSON type of a value."""
    if value is None:
        return "null"
    names = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"))
    return next((name for kind, name in names if isinstance(value, kind)), "object")
