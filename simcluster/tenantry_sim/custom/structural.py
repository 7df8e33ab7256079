"""Structural schemas over values: nulls, defaults, lists that are sets or maps."""

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from tenantry_sim.status import Cause

Schema = Mapping[str, Any]


def _inner(schema: Schema, key: str) -> Schema | None:
    properties = schema.get("properties") or {}
    if key in properties:
        return properties[key]  # type: ignore[no-any-return]
    free = schema.get("additionalProperties")
    return free if isinstance(free, Mapping) else None


def set_defaults(value: Any, schema: Schema) -> None:
    """Drop nulls that the schema does not allow where a default stands ready, then put the defaults in, in place."""
    if isinstance(value, dict):
        for key, inner in (schema.get("properties") or {}).items():
            if "default" not in inner:
                continue
            if key not in value or (value[key] is None and not inner.get("nullable")):
                value[key] = deepcopy(inner["default"])
        for key in list(value):
            found = _inner(schema, key)
            if found is None:
                continue
            set_defaults(value[key], found)
    elif isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        for item in value:
            set_defaults(item, schema["items"])


def list_causes(value: Any, schema: Schema, path: str = "") -> list[Cause]:
    """Entries that a set or a map states twice."""
    found: list[Cause] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            below = _inner(schema, key)
            if below is not None and isinstance(inner, dict | list):
                found += list_causes(inner, below, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        found += _duplicates(value, schema, path)
        items = schema.get("items")
        for i, item in enumerate(value if isinstance(items, Mapping) else ()):
            if isinstance(item, dict | list):
                found += list_causes(item, schema["items"], f"{path}[{i}]")
    return found


def _duplicates(items: list[Any], schema: Schema, path: str) -> list[Cause]:
    style, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys") or ()
    found, seen = [], set()
    for i, item in enumerate(items if style in ("set", "map") else ()):
        if style == "map":
            if not isinstance(item, dict):
                continue
            item = {key: item.get(key) for key in keys}
        text = json.dumps(item, sort_keys=True, separators=(",", ":"))
        if text in seen:
            found.append(Cause("FieldValueDuplicate", f"Duplicate value: {text}", f"{path}[{i}]"))
        seen.add(text)
    return found


def embedded_causes(value: Any, schema: Schema, path: str = "") -> list[Cause]:
    """Embedded resources must say what they are."""
    found: list[Cause] = []
    if isinstance(value, dict):
        if schema.get("x-kubernetes-embedded-resource"):
            missing = [key for key in ("apiVersion", "kind") if not (isinstance(value.get(key), str) and value[key])]
            found += [Cause("FieldValueRequired", "Required value: must not be empty", f"{path}.{k}") for k in missing]
        for key, inner in value.items():
            below = _inner(schema, key)
            if below is not None:
                found += embedded_causes(inner, below, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        for i, item in enumerate(value):
            found += embedded_causes(item, schema["items"], f"{path}[{i}]")
    return found
