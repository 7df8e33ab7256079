"""Unknown and duplicate fields."""

import json
from typing import Any

from tenantry_sim.schemas.nodes import Node

_TYPE_FIELDS = ("apiVersion", "kind", "metadata")


def drop_unknown(value: Any, node: Node, path: str = "", found: list[str] | None = None) -> list[str]:
    """Remove members that the schema does not know, in place. Returns their paths, as `spec.containers[0].junk`."""
    unknown: list[str] = [] if found is None else found
    if isinstance(value, dict):
        _members(value, node, path, unknown)
    elif isinstance(value, list) and node.element is not None:
        for i, item in enumerate(value):
            if isinstance(item, dict | list):
                drop_unknown(item, node.element, f"{path}[{i}]", unknown)
    return unknown


def _members(value: dict[str, Any], node: Node, path: str, unknown: list[str]) -> None:
    known, prefix = node.fields, f"{path}." if path else ""
    # A map without a schema for its values and a scalar that holds an object (quantities, times) keep what they have.
    open_ended = node.preserve or node.element is not None or (not known and node.kind != "map")
    for key in list(value):
        inner = known.get(key) or node.element
        if inner is not None:
            if isinstance(value[key], dict | list):
                drop_unknown(value[key], inner, prefix + key, unknown)
        elif not open_ended and not (node.embedded and key in _TYPE_FIELDS):
            unknown.append(prefix + key)
            del value[key]


def duplicates(body: bytes) -> list[str]:
    """Paths of members that a JSON text states twice. The text must be valid JSON."""
    marks: dict[int, list[str]] = {}
    keep: list[Any] = []

    def take(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in pairs:
            if key in made:
                marks.setdefault(id(made), []).append(key)
            made[key] = value
        keep.append(made)
        return made

    found: list[str] = []
    document = json.loads(body, object_pairs_hook=take)
    if marks:
        _collect(document, "", marks, found)
    return found


def _collect(value: Any, path: str, marks: dict[int, list[str]], found: list[str]) -> None:
    if isinstance(value, dict):
        prefix = f"{path}." if path else ""
        found += [prefix + key for key in dict.fromkeys(marks.get(id(value), ()))]
        for key, inner in value.items():
            _collect(inner, prefix + key, marks, found)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            _collect(inner, f"{path}[{i}]", marks, found)
