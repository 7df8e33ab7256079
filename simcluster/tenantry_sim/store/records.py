"""One stored revision of an object, and one change of it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from tenantry_sim.store.resource import Resource, field_values

Object = dict[str, Any]
"""A decoded object without `apiVersion` and `kind`: those belong to the view, not to the store."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


class Record:
    """An immutable revision. `raw` is the object's JSON without kind and apiVersion, encoded once."""

    __slots__ = ("deleting", "fields", "labels", "name", "namespace", "raw", "rv", "uid")

    def __init__(self, resource: Resource, obj: Object, rv: int) -> None:
        metadata = obj["metadata"]
        metadata["resourceVersion"] = str(rv)
        self.namespace: str = metadata.get("namespace", "")
        self.name: str = metadata["name"]
        self.uid: str = metadata["uid"]
        self.rv = rv
        self.labels: Mapping[str, str] = metadata.get("labels") or {}
        self.fields: dict[str, str] = field_values(resource, obj) if resource.fields else {}
        self.deleting = "deletionTimestamp" in metadata
        self.raw: bytes = _encode(obj)

    def decode(self) -> Object:
        """A fresh, private copy of the object."""
        return _decode(self.raw)

    def selectable(self) -> dict[str, str]:
        """Values for a field selector, metadata included."""
        return {**self.fields, "metadata.name": self.name, "metadata.namespace": self.namespace}


class Change:
    """One step of history. `previous` is None for ADDED; for DELETED `record` is the last state at the new revision."""

    __slots__ = ("lines", "previous", "record", "rv", "type")

    def __init__(self, kind: str, record: Record, previous: Record | None) -> None:
        self.type = kind
        self.record = record
        self.previous = previous
        self.rv = record.rv
        self.lines: dict[tuple[str, str], bytes] = {}
        """Encoded watch lines by (event type, api group), shared by all watchers while the change is handed out."""


def encode(obj: Any) -> bytes:
    return _encode(obj)


def with_type(resource: Resource, raw: bytes) -> bytes:
    """The object's JSON with kind and apiVersion put in front. `raw` is never an empty object."""
    return b'{"kind":"%b","apiVersion":"%b",%b' % (resource.kind.encode(), resource.api_version.encode(), raw[1:])
