"""A webhook's JSON patch, with failures in the words of the API server."""

from typing import Any

from tenantry_sim.api.patching import json_patch
from tenantry_sim.status import ApiError, internal
from tenantry_sim.store.records import Object


def apply(document: Object, operations: list[Any]) -> Object:
    """The patched document; the given one may be changed. Raises ApiError 500."""
    for operation in operations:
        if not isinstance(operation, dict):
            raise internal("json: cannot unmarshal into Go value of type jsonpatch.Operation")
        try:
            document = json_patch(document, [operation])
        except ApiError:
            raise internal(_words(document, operation)) from None
    return document


def _words(document: Object, operation: dict[str, Any]) -> str:
    op, path = str(operation.get("op", "")), str(operation.get("path", ""))
    head, _, last = path.rpartition("/")
    present = _present(document, head)
    if op == "test":
        return f"testing value {path} failed: test failed"
    if op == "remove" and present:
        return f"error in remove for path: '{path}': unable to remove nonexistent key: {last}: missing value"
    if op == "replace":
        what = f"key: {path}" if present else f"path: {path}"
        return f"replace operation does not apply: doc is missing {what}: missing value"
    if op in ("add", "remove"):
        return f'{op} operation does not apply: doc is missing path: "{path}": missing value'
    if op in ("move", "copy"):
        source = operation.get("from", "")
        return f"{op} operation does not apply: doc is missing from path: {source}: missing value"
    return f"unexpected kind: {op}"


def _present(document: Any, pointer: str) -> bool:
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict) and token in document:
            document = document[token]
        elif isinstance(document, list) and token.isdigit() and int(token) < len(document):
            document = document[int(token)]
        else:
            return False
    return True
