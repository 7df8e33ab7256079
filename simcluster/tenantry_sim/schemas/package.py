"""The published schemas of the core kinds, as the package `kubernetes-validate` carries them."""

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from tenantry_sim.schemas.nodes import Node, Reader, Schema

_FOLDER, _VERSION = "kubernetes-json-schema", "v1.37.0-local"
_PREFIX = "#/$defs/"
_METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_FREE_FORM = ("RawExtension", "JSON", "FieldsV1")
"""Definitions that stand for any JSON at all, by the end of their name."""


@cache
def definitions() -> Mapping[str, Schema]:
    """Every definition by its full name; read once, in about 20 ms."""
    package = find_spec("kubernetes_validate")  # not imported: its code would load validators that nobody asks for
    if package is None or package.origin is None:
        raise ModuleNotFoundError("kubernetes_validate is not installed")
    raw = Path(package.origin).with_name(_FOLDER).joinpath(_VERSION, "_definitions.json").read_bytes()
    found: dict[str, dict[str, Any]] = msgspec.json.decode(raw)["$defs"]
    for name, schema in found.items():
        if name.rpartition(".")[2] in _FREE_FORM:
            schema["x-kubernetes-preserve-unknown-fields"] = True
    return found


@cache
def _by_kind() -> Mapping[tuple[str, str, str], str]:
    rows: dict[tuple[str, str, str], str] = {}
    for name, schema in definitions().items():
        for kind in schema.get("x-kubernetes-group-version-kind") or ():
            rows.setdefault((kind["group"], kind["version"], kind["kind"]), name)
    return rows


def definition_name(group: str, version: str, kind: str) -> str | None:
    """The full name of a kind's definition; None for kinds that have none."""
    return _by_kind().get((group, version, kind))


def _resolve(reference: str) -> Schema:
    return definitions()[reference.rpartition("/")[2]]


_READER = Reader(_resolve)


@cache
def node_of(group: str, version: str, kind: str) -> Node | None:
    """The fields of a core kind; None when no schema is published for it."""
    name = definition_name(group, version, kind)
    return None if name is None else _READER.node({"$ref": _PREFIX + name})


@cache
def metadata_node() -> Node:
    """The fields of `metadata`."""
    return _READER.node({"$ref": _PREFIX + _METADATA})
