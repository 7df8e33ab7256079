"""Kubernetes `Status` errors: one exception that carries the whole answer, and a builder for each reason in use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec


@dataclass(frozen=True, slots=True)
class Cause:
    """One entry of `details.causes`: reason, message and field path."""

    reason: str
    message: str
    field: str


class ApiError(Exception):
    """An answer other than success. `code` is the HTTP status; `reason` and `details` are left out when empty/None."""

    def __init__(self, code: int, reason: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.warnings: Sequence[str] = ()
        """Texts for Warning headers."""

    @property
    def retry_after(self) -> int | None:
        """Seconds for the Retry-After header, if the answer has one."""
        return (self.details or {}).get("retryAfterSeconds")

    def document(self) -> dict[str, Any]:
        out: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
        out["message"] = self.message
        if self.reason:
            out["reason"] = self.reason
        if self.details is not None:
            out["details"] = self.details
        out["code"] = self.code
        return out

    def body(self) -> bytes:
        return msgspec.json.encode(self.document())


def _details(name: str, group: str, kind: str) -> dict[str, Any]:
    return {"name": name, **({"group": group} if group else {}), "kind": kind}


def qualified(name: str, group: str) -> str:
    """`leases.coordination.k8s.io`, or the bare name in the core group."""
    return f"{name}.{group}" if group else name


def not_found(plural: str, group: str, name: str) -> ApiError:
    text = f'{qualified(plural, group)} "{name}" not found'
    return ApiError(404, "NotFound", text, _details(name, group, plural))


def already_exists(plural: str, group: str, name: str) -> ApiError:
    text = f'{qualified(plural, group)} "{name}" already exists'
    return ApiError(409, "AlreadyExists", text, _details(name, group, plural))


MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


def conflict(plural: str, group: str, name: str, why: str = MODIFIED) -> ApiError:
    text = f'Operation cannot be fulfilled on {qualified(plural, group)} "{name}": {why}'
    return ApiError(409, "Conflict", text, _details(name, group, plural))


def bad_request(message: str) -> ApiError:
    return ApiError(400, "BadRequest", message)


def forbidden(plural: str, group: str, name: str, why: str, causes: Sequence[Cause] = ()) -> ApiError:
    details = _details(name, group, plural)
    if causes:
        details["causes"] = [_cause(c) for c in causes]
    return ApiError(403, "Forbidden", f'{qualified(plural, group)} "{name}" is forbidden: {why}', details)


def _cause(cause: Cause) -> dict[str, str]:
    return {"reason": cause.reason, "message": cause.message, "field": cause.field}


def invalid(kind: str, group: str, name: str, causes: Sequence[Cause]) -> ApiError:
    """422 with every cause listed; the message brackets them when there are several."""
    texts = [f"{c.field}: {c.message}" for c in causes]
    tail = texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
    details = _details(name, group, kind)
    if not name:
        details.pop("name")
    details["causes"] = [_cause(c) for c in causes]
    return ApiError(422, "Invalid", f'{qualified(kind, group)} "{name}" is invalid: {tail}', details)


def expired(message: str) -> ApiError:
    return ApiError(410, "Expired", message)


def internal(why: str) -> ApiError:
    """500 for a fault behind the server."""
    return ApiError(500, "InternalError", f"Internal error occurred: {why}", {"causes": [{"message": why}]})


def unsupported_media() -> ApiError:
    return ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {})


def not_allowed() -> ApiError:
    text = "the server does not allow this method on the requested resource"
    return ApiError(405, "MethodNotAllowed", text, {})


SUCCESS_CREATED = msgspec.json.encode(
    {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
)
