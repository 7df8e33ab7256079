"""Text of a dump or a manifest to single objects, still as JSON.

A dump is what `kubectl get -A -o json|yaml` prints: a List, a list of one kind (`PodList`), single objects, or several
of these one after the other. What is no object becomes a `Stray`; text that is neither JSON nor YAML is an InputError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
import ryaml

from tenantry_core.errors import TenantryError

_BYTE = re.compile(r"\(byte (\d+)\)")
_DEEPEST = 8
"""Lists within lists that are followed."""
_ENCODER = msgspec.json.Encoder()


class InputError(TenantryError):
    """A file that cannot be read at all; the message names the file and, where known, the line."""


class Item(NamedTuple):
    """One object of any kind."""

    kind: str
    api_version: str
    raw: msgspec.Raw


class Stray(NamedTuple):
    """Something that stands where an object should, and why it is none."""

    reason: str


class _Head(msgspec.Struct, rename="camel"):
    kind: str = ""
    api_version: str = ""


class _List(msgspec.Struct, rename="camel"):
    kind: str = ""
    api_version: str = ""
    items: list[msgspec.Raw] | None = None


def read_items(data: bytes, name: str) -> list[Item | Stray]:
    """Every object of a file. Raises InputError where the text is neither JSON nor YAML."""
    text = data.removeprefix(b"\xef\xbb\xbf")
    if text.lstrip()[:1] in (b"{", b"["):
        try:
            documents: list[bytes] = list(_json_documents(text))
        except msgspec.DecodeError as error:
            documents = _flow_yaml(text, name, error)
    else:
        documents = _yaml_documents(text, name)
    return [item for document in documents for item in _items(document, "", "", 0)]


def _json_documents(text: bytes) -> Iterator[bytes]:
    """Documents that follow each other; msgspec tells where the first one ends by where it stumbles."""
    rest = text
    while rest.strip():
        try:
            msgspec.json.decode(rest, type=_Head | list[msgspec.Raw])
            yield rest
            return
        except msgspec.ValidationError:  # JSON, if no object of ours: its reader says what is wrong
            yield rest
            return
        except msgspec.DecodeError as error:
            found = _BYTE.search(str(error))
            if "trailing characters" not in str(error) or found is None:
                raise msgspec.DecodeError(_shifted(str(error), len(text) - len(rest))) from error
            end = int(found[1]) - 1  # it names the byte after the first that is too much
            yield rest[:end]
            rest = rest[end:]


def _shifted(message: str, by: int) -> str:
    return _BYTE.sub(lambda found: f"(byte {int(found[1]) + by})", message)


def _flow_yaml(text: bytes, name: str, error: msgspec.DecodeError) -> list[bytes]:
    """YAML may begin with a brace too; where it is no YAML either, the fault of the JSON is told."""
    try:
        return _yaml_documents(text, name)
    except InputError:
        found = _BYTE.search(str(error))
        line = text.count(b"\n", 0, int(found[1])) + 1 if found else text.count(b"\n") + 1
        what = _BYTE.sub("", str(error)).removeprefix("JSON is malformed: ").strip()
        raise InputError(f"{name}: line {line}: not JSON: {what}") from error


def _yaml_documents(text: bytes, name: str) -> list[bytes]:
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}: line {line}: neither JSON nor YAML: not UTF-8 text") from error
    try:
        documents = ryaml.loads_all(decoded) or []
    except (ryaml.InvalidYamlError, ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{name}: neither JSON nor YAML: {error}") from error
    found: list[bytes] = []
    for document in documents:
        if document is None:
            continue
        if not isinstance(document, dict | list):
            raise InputError(f"{name}: line 1: neither JSON nor YAML that holds objects: {str(document)[:60]!r}")
        try:
            found.append(_ENCODER.encode(document))
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"{name}: YAML that is no JSON: {error}") from error
    return found


def _items(document: bytes | msgspec.Raw, kind: str, api_version: str, depth: int) -> Iterator[Item | Stray]:
    """The objects in one document. `kind` is what a list says of items that do not say it themselves."""
    body = bytes(document)[:1] if isinstance(document, msgspec.Raw) else document.lstrip()[:1]
    if body == b"[":
        for raw in msgspec.json.decode(document, type=list[msgspec.Raw]):
            yield from _items(raw, kind, api_version, depth + 1)
        return
    try:
        head = msgspec.json.decode(document, type=_Head)
    except msgspec.ValidationError as error:
        yield Stray(f"no object: {error}")
        return
    if head.kind.endswith("List") and depth < _DEEPEST:
        yield from _listed(document, head, depth)
        return
    found = head.kind or kind
    if not found:
        yield Stray("no object: it has no `kind`")
        return
    raw = document if isinstance(document, msgspec.Raw) else msgspec.Raw(document)
    yield Item(found, head.api_version or api_version, raw)


def _listed(document: bytes | msgspec.Raw, head: _Head, depth: int) -> Iterator[Item | Stray]:
    try:
        items = msgspec.json.decode(document, type=_List).items or []
    except msgspec.ValidationError as error:
        yield Stray(f"a {head.kind} without a list of items: {error}")
        return
    kind = head.kind.removesuffix("List")
    version = head.api_version if kind else ""
    for raw in items:
        yield from _items(raw, kind, version, depth + 1)


def floats_as_text(value: Any) -> Any:
    """A body in which fractions are text, as quantities are wherever the API server wrote them: `0.5` as `"0.5"`."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return {key: floats_as_text(inner) for key, inner in value.items()}
    return [floats_as_text(inner) for inner in value] if isinstance(value, list) else value
