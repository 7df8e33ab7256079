"""Table output, which `kubectl get` prints."""

from collections.abc import Callable, Sequence
from typing import Any

from tenantry_sim.api.columns import COLUMNS, Column
from tenantry_sim.kinds.events import to_view
from tenantry_sim.store.records import Object, Record, encode
from tenantry_sim.store.resource import Resource


def _definition(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "format": "name" if column.name == "Name" else "",
        "description": column.help or f"{column.name} of the object",
        "priority": column.priority,
    }


def _rows(resource: Resource, records: Sequence[Record], include: str) -> list[dict[str, Any]]:
    columns = COLUMNS.get(resource.stored_as or resource.key) or COLUMNS[""]
    cells: list[Callable[[Object], Any]] = [c.value for c in columns]
    rows = []
    for record in records:
        obj = record.decode()
        row: dict[str, Any] = {"cells": [cell(obj) for cell in cells]}
        if include == "Object":
            view = to_view(resource, obj)
            row["object"] = {"kind": resource.kind, "apiVersion": resource.api_version, **view}
        elif include != "None":
            kind = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
            row["object"] = {**kind, "metadata": obj["metadata"]}
        rows.append(row)
    return rows


def table_bytes(
    resource: Resource,
    records: Sequence[Record],
    rv: int,
    include: str = "Metadata",
    with_columns: bool = True,
    more: str = "",
) -> bytes:
    """A `meta.k8s.io/v1` Table of the records. `more` is the continue token, if any."""
    metadata = {"resourceVersion": str(rv), **({"continue": more} if more else {})}
    columns = COLUMNS.get(resource.stored_as or resource.key) or COLUMNS[""]
    return encode(
        {
            "kind": "Table",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": metadata,
            "columnDefinitions": [_definition(c) for c in columns] if with_columns else None,
            "rows": _rows(resource, records, include),
        }
    )
