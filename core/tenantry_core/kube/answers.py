"""Reads answers: a `Response` becomes a result value or an error. Pure; no I/O.

Which 409 means what was recorded from kube-apiserver 1.36: a pod that has a node says "is already assigned to node",
a UID that does not match says "Precondition failed: UID in precondition", anything else (gates, deletion, a lost
write race) says its reason in words. All come with reason `Conflict`, so the words are the only difference.
"""

import re

import msgspec

from tenantry_core.kube.errors import ApiError, Expired, TooManyRequests
from tenantry_core.kube.transport import Response, header
from tenantry_core.kube.values import (
    AlreadyBound,
    BindResult,
    Blocked,
    Bound,
    Evicted,
    EvictResult,
    Failed,
    NotFound,
    Refused,
    Throttled,
    WriteResult,
    Written,
)

DEFAULT_RETRY_AFTER = 1.0
"""Seconds to wait on a 429 that does not say how long."""

_ASSIGNED = re.compile(r'already assigned to node "([^"]*)"')


class _Cause(msgspec.Struct):
    reason: str = ""
    message: str = ""


class _Details(msgspec.Struct):
    causes: list[_Cause] | None = None
    retryAfterSeconds: int = 0  # noqa: N815 - the API's own spelling


class Status(msgspec.Struct):
    """The fields of a `Status` body that we read."""

    message: str = ""
    reason: str = ""
    code: int = 0
    details: _Details | None = None


_STATUS = msgspec.json.Decoder(Status)


def read_status(body: bytes | msgspec.Raw) -> Status:
    """A Status body; any other body (a proxy's HTML page) becomes its message, cut to 200 characters."""
    try:
        return _STATUS.decode(body)
    except msgspec.MsgspecError:
        return Status(message=bytes(body)[:200].decode("utf-8", "replace").strip())


def retry_after(response: Response, status: Status | None = None) -> float | None:
    """Seconds that the server asks to wait: the Retry-After header, else the Status; None when it does not say.

    The header's date form is not used by the API server and is treated as absent.
    """
    text = header(response.headers, "Retry-After")
    if text.strip().isdigit():
        return float(text)
    if status is not None and status.details is not None and status.details.retryAfterSeconds > 0:
        return float(status.details.retryAfterSeconds)
    return None


def not_acted_on(response: Response) -> bool:
    """True where the server says that it did not touch the request: 429, and 503 with Retry-After."""
    return response.status == 429 or (response.status == 503 and retry_after(response) is not None)


def error_from(response: Response) -> ApiError:
    """The exception for an error answer."""
    status = read_status(response.body)
    wait = retry_after(response, status)
    if response.status == 410 or status.reason in ("Expired", "Gone"):
        cls: type[ApiError] = Expired
    elif not_acted_on(response):
        cls = TooManyRequests
    else:
        cls = ApiError
    return cls(response.status, status.reason, status.message, wait)


def write_result(response: Response) -> WriteResult:
    """Written for 2xx, Refused for everything else."""
    if 200 <= response.status < 300:
        return Written(response.body)
    status = read_status(response.body)
    return Refused(response.status, status.reason, status.message, retry_after(response, status))


def bind_result(response: Response) -> BindResult:
    """What became of a Binding."""
    if 200 <= response.status < 300:
        return Bound()
    status = read_status(response.body)
    if response.status == 409:
        assigned = _ASSIGNED.search(status.message)
        if assigned is not None:
            return AlreadyBound(status.message, assigned.group(1))
        if "UID in precondition" in status.message:
            return NotFound(status.message)
    return _common(response, status)


def evict_result(response: Response) -> EvictResult:
    """What became of an Eviction. 500 for a pod under two budgets is `Failed`: it will not get better by itself."""
    if 200 <= response.status < 300:
        return Evicted()
    status = read_status(response.body)
    if response.status == 429:
        causes = status.details.causes if status.details is not None else None
        if any(cause.reason == "DisruptionBudget" for cause in causes or ()) or "disruption budget" in status.message:
            wait = retry_after(response, status)
            return Blocked(status.message, DEFAULT_RETRY_AFTER if wait is None else wait)
    if response.status == 409 and "UID in the precondition" in status.message:
        return NotFound(status.message)
    return _common(response, status)


def _common(response: Response, status: Status) -> NotFound | Throttled | Failed:
    if response.status == 404:
        return NotFound(status.message)
    if not_acted_on(response):
        wait = retry_after(response, status)
        return Throttled(DEFAULT_RETRY_AFTER if wait is None else wait, status.message)
    return Failed(response.status, status.message or f"HTTP status {response.status}")
