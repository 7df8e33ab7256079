"""Sets of field paths, and their form in `fieldsV1`.

A path is a tuple of the elements that `fieldsV1` uses: `f:name` for a member, `k:{"name":"c"}` for an entry of a list
that is known by keys, `v:"x"` for an entry of a set.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from tenantry_sim.schemas.nodes import ITEM_KEY_DEFAULTS, Node
from tenantry_sim.status import bad_request

Path = tuple[str, ...]

_ENTRY = object()
_UNOWNED_METADATA = frozenset(
    (
        "name",
        "namespace",
        "generateName",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
        "managedFields",
    )
)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def value_element(item: Any) -> str:
    """The path element of an entry of a set."""
    return "v:" + _json(item)


def item_element(item: Mapping[str, Any], node: Node) -> str:
    """The path element of a list entry. Raises ApiError 400 when it lacks one of its keys."""
    keys = {}
    for key in sorted(node.keys):
        value = item.get(key, ITEM_KEY_DEFAULTS.get(key))
        if value is not None:
            keys[key] = value
    if not keys:
        text = f"associative list with keys has an element that omits key field {_json(node.keys[0])}"
        raise bad_request(f"failed to create typed patch object: {text}")
    return "k:" + _json(keys)


def owned(obj: Mapping[str, Any], node: Node) -> dict[Path, Any]:
    """Every path that an object states, with its value; entries of lists and free keys with a mark of their own."""
    found: dict[Path, Any] = {}
    for key, value in obj.items():
        if key in ("apiVersion", "kind"):
            continue
        if key == "metadata":
            value = {k: v for k, v in value.items() if k not in _UNOWNED_METADATA}
            if not value:
                continue
        _collect(value, node.child(key), (f"f:{key}",), found)
    return found


def _collect(value: Any, node: Node, at: Path, found: dict[Path, Any]) -> None:
    if isinstance(value, dict) and value and node.kind in ("struct", "map"):
        for key, inner in value.items():
            below = (*at, f"f:{key}")
            _collect(inner, node.child(key), below, found)
            if node.kind == "map" and isinstance(inner, dict | list):
                found.setdefault(below, _ENTRY)
    elif isinstance(value, list) and value and node.kind in ("items", "set") and node.element is not None:
        for item in value:
            if node.kind == "set":
                found[(*at, value_element(item))] = _ENTRY
            elif isinstance(item, dict):
                below = (*at, item_element(item, node))
                found[below] = _ENTRY
                for key, inner in item.items():
                    _collect(inner, node.element.child(key), (*below, f"f:{key}"), found)
    else:
        found[at] = value


def to_fields(paths: Iterable[Path]) -> dict[str, Any]:
    """Paths as `fieldsV1`."""
    root: dict[str, Any] = {}
    for path in sorted(paths):
        at = root
        for element in path:
            at = at.setdefault(element, {})
        at["."] = {}
    return _without_lone_dots(root)


def _without_lone_dots(fields: dict[str, Any]) -> dict[str, Any]:
    """A leaf is written as an empty object, without the dot."""
    return {} if set(fields) == {"."} else {k: _without_lone_dots(v) if k != "." else {} for k, v in fields.items()}


def from_fields(fields: Any, at: Path = ()) -> set[Path]:
    """`fieldsV1` as paths; what is not one is left out."""
    if not isinstance(fields, dict):
        return set()
    if not fields:
        return {at} if at else set()
    found: set[Path] = set()
    for element, inner in fields.items():
        if element == ".":
            found.add(at)
        else:
            found |= from_fields(inner, (*at, element))
    return found


def text(path: Path) -> str:
    """A path as messages show it: `.spec.containers[name="c"].image`."""
    parts = []
    for element in path:
        kind, _, rest = element.partition(":")
        if kind == "f":
            parts.append(f".{rest}")
        elif kind == "v":
            parts.append(f"[={rest}]")
        else:
            keys = msgspec.json.decode(rest.encode())
            parts.append("[" + ",".join(f"{key}={_json(value)}" for key, value in keys.items()) + "]")
    return "".join(parts)
