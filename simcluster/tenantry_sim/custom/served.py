"""One served version of a custom resource: everything that handlers ask of it."""

from collections.abc import Mapping
from typing import Any

from tenantry_sim.custom.paths import PathError, Read, compile_path
from tenantry_sim.custom.ratchet import unchanged
from tenantry_sim.custom.rules import RuleTree
from tenantry_sim.custom.structural import embedded_causes, list_causes, set_defaults
from tenantry_sim.custom.translate import cause_of, validator_of
from tenantry_sim.kinds.rules import Rules
from tenantry_sim.schemas.nodes import FREE, Node, Reader
from tenantry_sim.schemas.package import metadata_node
from tenantry_sim.status import Cause
from tenantry_sim.store.records import Object

_BLOCKING = frozenset(
    ("FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid")
)
_UNCHECKED = Cause(
    "FieldValueInvalid",
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing "
    "errors to complete validation",
    "<nil>",
)
_AGE = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}


class PrinterColumn:
    """One additional column of the Table output."""

    __slots__ = ("format", "help", "name", "priority", "read", "type")

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.name = str(row["name"])
        self.type = str(row.get("type", "string"))
        self.format = str(row.get("format", ""))
        self.help = str(row.get("description", ""))
        self.priority = int(row.get("priority", 0))
        self.read: Read = _reader(str(row.get("jsonPath", "")))

    def cell(self, obj: Object) -> Any:
        """The cell: the value itself for whole numbers, numbers and booleans, text otherwise; None when absent."""
        found = self.read(obj)
        if not found or found[0] is None:
            return None
        value = found[0]
        if self.type in ("integer", "number", "boolean"):
            return value if isinstance(value, int | float) else None
        return value if isinstance(value, str) else _text(value)


def _reader(path: str) -> Read:
    try:
        return compile_path(path)
    except PathError:
        return lambda _: []


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class CustomVersion:
    """Schema, rules, columns and scale paths of one version of a definition."""

    def __init__(self, group: str, kind: str, row: Mapping[str, Any], preserve: bool = False) -> None:
        self.schema: Mapping[str, Any] = (row.get("schema") or {}).get("openAPIV3Schema") or {}
        self.api_version, self.kind = f"{group}/{row['name']}", kind
        self.terminating = False
        """Whether the definition is on its way out, so that nothing new may come."""
        self.node = _root_node(self.schema, preserve)
        self.tree = RuleTree(self.schema)
        self.columns = [PrinterColumn(c) for c in row.get("additionalPrinterColumns") or (_AGE,)]
        self.scale: Mapping[str, str] = (row.get("subresources") or {}).get("scale") or {}
        self._validator = validator_of(self.schema, root=True)
        self.rules = Rules(default=self.default, validate=self.validate, validate_update=self.validate_update)

    def default(self, obj: Object) -> None:
        """Put defaults in. Unknown fields have been pruned on decoding."""
        set_defaults(obj, self.schema)

    def _whole(self, obj: Object) -> Object:
        return {"apiVersion": self.api_version, "kind": self.kind, **obj}

    def validate(self, obj: Object) -> list[Cause]:
        """What is wrong with a new object."""
        return self._causes(obj, None)

    def validate_update(self, old: Object, new: Object) -> list[Cause]:
        """What is wrong with a change."""
        return self._causes(new, old)

    def _causes(self, new: Object, old: Object | None) -> list[Cause]:
        found = self._found(new, old)
        if old is None or not found:
            return found
        # Ratcheting: what was wrong before stands as long as its part of the object is left alone.
        known = [c for c in self._found(old, None) if c != _UNCHECKED and unchanged(c, old, new)]
        left = [c for c in found if c not in known]
        return [] if left == [_UNCHECKED] else left

    def _found(self, new: Object, old: Object | None) -> list[Cause]:
        whole = self._whole(new)
        found = (
            []
            if self._validator.is_valid(whole)
            else [cause_of(e, self.schema) for e in self._validator.iter_errors(whole)]
        )
        found += embedded_causes(new, self.schema)
        found += list_causes(new, self.schema)
        if self.tree.empty:
            return found
        if any(cause.reason in _BLOCKING for cause in found):
            return [*found, _UNCHECKED]
        before = () if old is None else (self._whole(old),)
        return found + list(self.tree.causes(whole, *before))


def _root_node(schema: Mapping[str, Any], preserve: bool) -> Node:
    """The fields of the object, with those that every object has."""
    if not schema:
        return FREE
    node = Reader().node(schema)
    node.kind, node.preserve = "struct", node.preserve or preserve
    node.fields = {**node.fields, "apiVersion": Node(), "kind": Node(), "metadata": metadata_node()}
    return node
