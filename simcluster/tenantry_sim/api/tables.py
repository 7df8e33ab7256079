"""Table output, which `kubectl get` prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tenantry_sim.api.columns import COLUMNS, Column, age_of, custom_columns
from tenantry_sim.api.columns_objects import OBJECTS
from tenantry_sim.api.columns_workloads import WORKLOADS
from tenantry_sim.kinds.events import to_view
from tenantry_sim.store.records import Object, Record, encode
from tenantry_sim.store.resource import Resource

_ALL = COLUMNS | WORKLOADS | OBJECTS


@dataclass(frozen=True, slots=True)
class TableStyle:
    """How a Table is to look."""

    now: float
    """Seconds since the epoch from which ages are counted."""
    include: str = "Metadata"
    """What each row carries of its object: `Metadata`, `Object` or `None`."""
    columns: bool = True
    """Whether the column definitions are written."""
    more: str = ""
    """The continue token, if any."""


def _columns(resource: Resource) -> Sequence[Column]:
    if resource.custom is not None:
        return custom_columns(resource.custom)
    return _ALL.get(resource.stored_as or resource.key) or _ALL[""]


def _definition(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "format": "name" if column.name == "Name" else column.format,
        "description": column.help or f"{column.name} of the object",
        "priority": column.priority,
    }


def _cell(column: Column, obj: Object, now: float) -> Any:
    if column.timed is not None:
        return column.timed(obj, now)
    value = column.value(obj)
    return age_of(value, now) if column.age else value


def _rows(resource: Resource, records: Sequence[Record], style: TableStyle) -> list[dict[str, Any]]:
    columns = _columns(resource)
    include, rows = style.include, []
    for record in records:
        obj = record.decode()
        row: dict[str, Any] = {"cells": [_cell(column, obj, style.now) for column in columns]}
        if include == "Object":
            view = to_view(resource, obj)
            row["object"] = {"kind": resource.kind, "apiVersion": resource.api_version, **view}
        elif include != "None":
            kind = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
            row["object"] = {**kind, "metadata": obj["metadata"]}
        rows.append(row)
    return rows


def table_bytes(resource: Resource, records: Sequence[Record], rv: int, style: TableStyle) -> bytes:
    """A `meta.k8s.io/v1` Table of the records."""
    metadata = {"resourceVersion": str(rv), **({"continue": style.more} if style.more else {})}
    columns = _columns(resource)
    return encode(
        {
            "kind": "Table",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": metadata,
            "columnDefinitions": [_definition(c) for c in columns] if style.columns else None,
            "rows": _rows(resource, records, style),
        }
    )
