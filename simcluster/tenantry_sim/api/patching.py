"""JSON patch (RFC 6902) and JSON merge patch (RFC 7386) over decoded objects, in place where that is safe."""

from copy import deepcopy
from typing import Any

from tenantry_sim.status import ApiError, bad_request


def _refused() -> ApiError:
    """What a JSON patch that cannot be carried out is answered with."""
    text = "the server rejected our request due to an error in our request"
    return ApiError(422, "Invalid", text, {})


def merge(target: Any, patch: Any) -> Any:
    """Apply a merge patch: null removes, objects merge, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = target if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def _tokens(pointer: Any) -> list[str]:
    if pointer == "":
        return []
    if not isinstance(pointer, str) or not pointer.startswith("/"):
        raise _refused()
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/")]


def _index(items: list[Any], token: str, limit: int) -> int:
    if not token.isdigit() or int(token) > limit:
        raise _refused()
    return int(token)


def _step(node: Any, token: str) -> Any:
    if isinstance(node, dict) and token in node:
        return node[token]
    if isinstance(node, list):
        return node[_index(node, token, len(node) - 1)]
    raise _refused()


def _lookup(document: Any, tokens: list[str]) -> Any:
    for token in tokens:
        document = _step(document, token)
    return document


def _add(document: Any, tokens: list[str], value: Any) -> Any:
    if not tokens:
        return value
    parent, last = _lookup(document, tokens[:-1]), tokens[-1]
    if isinstance(parent, dict):
        parent[last] = value
    elif isinstance(parent, list):
        parent.insert(len(parent) if last == "-" else _index(parent, last, len(parent)), value)
    else:
        raise _refused()
    return document


def _remove(document: Any, tokens: list[str]) -> Any:
    if not tokens:
        raise _refused()
    parent = _lookup(document, tokens[:-1])
    _step(parent, tokens[-1])
    del parent[tokens[-1] if isinstance(parent, dict) else int(tokens[-1])]
    return document


def _one(document: Any, operation: dict[str, Any]) -> Any:
    op, tokens = operation.get("op"), _tokens(operation.get("path", ""))
    if op == "add":
        return _add(document, tokens, operation.get("value"))
    if op == "remove":
        return _remove(document, tokens)
    if op == "replace":
        _lookup(document, tokens)
        if tokens and isinstance(_lookup(document, tokens[:-1]), list):
            _lookup(document, tokens[:-1])[int(tokens[-1])] = operation.get("value")
            return document
        return _add(document, tokens, operation.get("value"))
    if op in ("move", "copy"):
        source = _tokens(operation.get("from", ""))
        value = deepcopy(_lookup(document, source))
        if op == "move":
            document = _remove(document, source)
        return _add(document, tokens, value)
    if op == "test":
        if _lookup(document, tokens) != operation.get("value"):
            raise _refused()
        return document
    raise _refused()


def json_patch(document: dict[str, Any], operations: Any) -> dict[str, Any]:
    """Apply a JSON patch. Raises ApiError 400 for a malformed patch, 422 for one that cannot be carried out."""
    if not isinstance(operations, list) or not all(isinstance(o, dict) for o in operations):
        raise bad_request("error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    result: Any = document
    for operation in operations:
        result = _one(result, operation)
    if not isinstance(result, dict):
        raise _refused()
    return result
