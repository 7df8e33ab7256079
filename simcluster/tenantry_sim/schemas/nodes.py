"""The tree of one kind's fields, from an OpenAPI schema with the `x-kubernetes-*` extensions."""

from collections.abc import Callable, Mapping
from typing import Any

Schema = Mapping[str, Any]
Resolve = Callable[[str], Schema]

ITEM_KEY_DEFAULTS = {"protocol": "TCP"}
"""Values of list keys that may be left out."""


class Node:
    """How one value is merged and owned.

    `kind` is `scalar` (also what is replaced as a whole), `struct` (named fields), `map` (free keys), `list` (replaced
    as a whole), `set` (list of distinct scalars) or `items` (list of objects known by `keys`).
    """

    __slots__ = ("element", "embedded", "fields", "keys", "kind", "preserve")

    def __init__(self, kind: str = "scalar") -> None:
        self.kind = kind
        self.fields: dict[str, Node] = {}
        self.element: Node | None = None
        self.keys: tuple[str, ...] = ()
        self.preserve = False
        """Whether fields without a schema are kept."""
        self.embedded = False
        """Whether the value is a whole object with kind, apiVersion and metadata."""

    @property
    def atomic(self) -> bool:
        return self.kind in ("scalar", "list")

    def child(self, name: str) -> "Node":
        """The node of a member; free-form when the schema does not know it."""
        return self.fields.get(name) or self.element or FREE


FREE = Node("map")
"""Anything at all: objects merge member by member, lists are replaced."""
FREE.preserve = True


class Reader:
    """Turns schemas into nodes. References are resolved once each, so that recursive schemas end."""

    def __init__(self, resolve: Resolve | None = None) -> None:
        self._resolve = resolve
        self._known: dict[str, Node] = {}

    def node(self, schema: Schema) -> Node:
        reference = schema.get("$ref")
        if reference is None or self._resolve is None:
            return self._fill(Node(), schema)
        if reference not in self._known:
            self._known[reference] = Node()
            self._fill(self._known[reference], self._resolve(reference))
        known = self._known[reference]
        if schema.get("x-kubernetes-map-type") == "atomic" and known.kind != "scalar":
            return Node()
        return known

    def _fill(self, node: Node, schema: Schema) -> Node:
        node.preserve = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
        node.embedded = bool(schema.get("x-kubernetes-embedded-resource"))
        properties, free = schema.get("properties"), schema.get("additionalProperties")
        kinds = schema.get("type", "")
        if "items" in schema:
            self._list(node, schema)
        elif properties:
            node.kind = "struct"
            node.fields = {name: self.node(inner) for name, inner in properties.items()}
        elif isinstance(free, Mapping):
            node.kind, node.element = "map", self.node(free)
        elif node.preserve or free is True or kinds == "object" or "object" in kinds:
            node.kind = "map"
            node.preserve = node.preserve or free is True
        if schema.get("x-kubernetes-map-type") == "atomic":
            node.kind = "scalar"
        return node

    def _list(self, node: Node, schema: Schema) -> None:
        node.element = self.node(schema["items"])
        style = schema.get("x-kubernetes-list-type")
        node.kind = "list"
        if style == "set":
            node.kind = "set"
        elif style == "map" and schema.get("x-kubernetes-list-map-keys"):
            node.kind, node.keys = "items", tuple(schema["x-kubernetes-list-map-keys"])
