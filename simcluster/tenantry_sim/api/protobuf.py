"""Request bodies in Kubernetes protobuf, turned into the objects that their JSON form would give.

Only messages of `protobuf_schema` are known. A field that is set but not known is refused rather than lost.
"""

import base64
from collections.abc import Iterator
from typing import Any

from tenantry_sim.api.protobuf_schema import MESSAGES, Message
from tenantry_sim.clock import micro_stamp, stamp
from tenantry_sim.status import ApiError, bad_request, unsupported_media

CONTENT_TYPE = "application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\x00"


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise bad_request("protobuf: the body ends in the middle of a number")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(field number, value) of one message; fixed-width values come as bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if wire == 2:
            size, at = _varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise bad_request(f"protobuf: wire type {wire} is not in use")
        if at + size > len(data):
            raise bad_request("protobuf: the body ends in the middle of a field")
        yield key >> 3, data[at : at + size]
        at += size


def _signed(value: int | bytes) -> int:
    if isinstance(value, bytes):
        raise bad_request("protobuf: a number was expected")
    return value - (1 << 64) if value >= 1 << 63 else value


def _scalar(kind: str, value: int | bytes) -> Any:
    """One value of a scalar type; None when it stands for "unset"."""
    if kind in ("int", "int?", "bool"):
        number = _signed(value)
        if kind == "bool":
            return True if number else None
        return number if number or kind == "int?" else None
    if not isinstance(value, bytes):
        raise bad_request("protobuf: a length-delimited value was expected")
    if kind == "str":
        return value.decode(errors="replace")
    if kind == "bytes":
        return base64.b64encode(value).decode()
    inner = dict(_fields(value))
    if kind == "quantity":
        text = inner.get(1, b"")
        return text.decode() if isinstance(text, bytes) else None
    if kind == "intstr":
        text = inner.get(3, b"")
        return text.decode() if inner.get(1) == 1 and isinstance(text, bytes) else _signed(inner.get(2, 0))
    seconds = _signed(inner.get(1, 0))
    if not seconds or seconds < 0:
        return None
    return stamp(seconds) if kind == "time" else micro_stamp(seconds + _signed(inner.get(2, 0)) / 1e9)


def _value(kind: str, value: int | bytes) -> Any:
    if kind not in MESSAGES:
        return _scalar(kind, value)
    if not isinstance(value, bytes):
        raise bad_request(f"protobuf: a message {kind} was expected")
    return _message(kind, value)


def _message(name: str, data: bytes) -> dict[str, Any]:
    known, found = MESSAGES[name], dict[str, Any]()
    for number, raw in _fields(data):
        if number not in known:
            if not _is_status(known, number):
                _refuse_if_set(name, number, raw)
            continue
        member, kind = known[number]
        if kind.startswith("[]"):
            found.setdefault(member, []).append(_value(kind[2:], raw))
        elif kind.startswith("{}"):
            entry = dict(_fields(raw)) if isinstance(raw, bytes) else {}
            key = entry.get(1, b"")
            text = key.decode() if isinstance(key, bytes) else ""
            found.setdefault(member, {})[text] = _value(kind[2:], entry.get(2, b""))
        else:
            value = _value(kind, raw)
            if member == "-":
                found.update(value)
            elif value not in ("", None, {}):
                found[member] = value
    return found


def _is_status(known: Message, number: int) -> bool:
    """Objects carry metadata, spec and status as fields 1 to 3; the server sets the status itself."""
    return number == 3 and known.get(2, ("", ""))[0] == "spec"


def _refuse_if_set(name: str, number: int, raw: int | bytes) -> None:
    """Go writes empty messages and zeros too; only a value that says something is refused."""
    if not raw or (isinstance(raw, bytes) and not any(raw)):
        return
    text = f"protobuf field {number} of {name} is not known to the embedded server; send JSON instead"
    raise ApiError(415, "UnsupportedMediaType", text, {})


def decode(body: bytes) -> dict[str, Any]:
    """The object in a protobuf body, with kind and apiVersion. Raises ApiError 400 or 415."""
    if not body.startswith(_MAGIC):
        raise bad_request("protobuf: the body does not start with the Kubernetes prefix")
    outer = dict(_fields(body[len(_MAGIC) :]))
    types, raw = outer.get(1, b""), outer.get(2, b"")
    if not isinstance(types, bytes) or not isinstance(raw, bytes):
        raise bad_request("protobuf: malformed envelope")
    names = {number: value.decode() for number, value in _fields(types) if isinstance(value, bytes)}
    kind = names.get(2, "")
    if kind not in MESSAGES:
        raise unsupported_media()
    return {"apiVersion": names.get(1, ""), "kind": kind, **_message(kind, raw)}
