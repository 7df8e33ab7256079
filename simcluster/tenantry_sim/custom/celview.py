"""Values as CEL rules see them: escaped names, times in place of text, doubles where a schema says number."""

import re
from collections.abc import Mapping
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from tenantry_sim.custom.formats import nanoseconds

Schema = Mapping[str, Any]

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORDS = (
    "true false null in as break const continue else for function if import let loop package namespace return var void",
    "while",
)
_RESERVED = frozenset(word for line in _WORDS for word in line.split())
_SIGNS = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_SIGN = re.compile(r"__|[.\-/]")


def escaped(name: str) -> str:
    """The name by which a rule reaches a field."""
    if name in _RESERVED:
        return f"__{name}__"
    if "__" not in name and _IDENTIFIER.fullmatch(name):
        return name
    return _SIGN.sub(lambda match: _SIGNS[match.group(0)], name)


def _text(value: str, style: str) -> Any:
    """Text as a time or a length of time where the format says so; as it is when it cannot be read."""
    try:
        if style in ("date-time", "datetime"):
            moment = Timestamp()
            moment.FromJsonString(value)
            return moment
        if style == "duration":
            length = Duration()
            length.FromNanoseconds(nanoseconds(value))
            return length
    except ValueError:
        pass
    return value


def view(value: Any, schema: Schema) -> Any:
    """The value for CEL; members that the schema does not name are left as they are."""
    if isinstance(value, dict):
        properties = schema.get("properties")
        free = schema.get("additionalProperties")
        if properties:
            return {escaped(k): view(v, properties.get(k) or {}) for k, v in value.items()}
        return {k: view(v, free) for k, v in value.items()} if isinstance(free, Mapping) else value
    if isinstance(value, list):
        items = schema.get("items")
        return [view(v, items) for v in value] if isinstance(items, Mapping) else value
    if isinstance(value, str):
        return _text(value, schema.get("format", ""))
    if schema.get("type") == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value
