"""Putting an applied configuration into an object, and taking paths out of one."""

from typing import Any

from tenantry_sim.ownership.paths import Path, item_element, value_element
from tenantry_sim.schemas.nodes import Node
from tenantry_sim.store.records import Object


def merge(live: Any, config: Any, node: Node) -> Any:
    """The live value with the configuration in it. Neither is changed; the result shares parts with both."""
    if isinstance(config, dict) and isinstance(live, dict) and node.kind in ("struct", "map"):
        out = dict(live)
        for key, value in config.items():
            out[key] = merge(live.get(key), value, node.child(key))
        return out
    if isinstance(config, list) and isinstance(live, list) and node.element is not None:
        if node.kind == "set":
            return live + [item for item in config if item not in live]
        if node.kind == "items":
            return _items(live, config, node)
    return config


def _items(live: list[Any], config: list[Any], node: Node) -> list[Any]:
    assert node.element is not None
    out = {item_element(item, node): item for item in live if isinstance(item, dict)}
    for item in config:
        key = item_element(item, node)
        out[key] = merge(out[key], item, node.element) if key in out else item
    return list(out.values())


def remove(obj: Object, path: Path, node: Node) -> None:
    """Take what a path names out of an object; maps that this empties go too. Parts on the way are copied."""
    _remove(obj, path, node)


def _remove(value: Any, path: Path, node: Node) -> None:
    kind, _, name = path[0].partition(":")
    if kind == "f" and isinstance(value, dict) and name in value:
        if len(path) == 1:
            del value[name]
            return
        child = node.child(name)
        value[name] = _copied(value[name])
        _remove(value[name], path[1:], child)
        if not value[name] and child.kind in ("map", "items", "set"):
            del value[name]
    elif isinstance(value, list) and kind in ("k", "v"):
        at = _position(value, path[0], node)
        if at is None:
            return
        if len(path) == 1:
            del value[at]
        elif node.element is not None:
            value[at] = _copied(value[at])
            _remove(value[at], path[1:], node.element)


def _copied(value: Any) -> Any:
    return dict(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value


def _position(items: list[Any], element: str, node: Node) -> int | None:
    for i, item in enumerate(items):
        if node.kind == "items" and isinstance(item, dict):
            if item_element(item, node) == element:
                return i
        elif value_element(item) == element:
            return i
    return None
