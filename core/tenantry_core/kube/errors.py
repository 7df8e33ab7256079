"""Errors between us and the API server; the tree is drawn in `tenantry_core.errors`."""

from tenantry_core.errors import TenantryError


class KubeError(TenantryError):
    """Anything between us and the API server."""


class CredentialsError(KubeError):
    """No usable kubeconfig, token or certificate; the message says which and where it was looked for."""


class TransportError(KubeError):
    """The server gave no answer."""


class NotSent(TransportError):
    """The connection could not be made, so the server never saw the request. Any request may be sent again."""


class MaybeSent(TransportError):
    """The connection broke or the time ran out after the request may have left: the server may have acted on it."""


class ApiError(KubeError):
    """The server answered with an error status.

    `status` is the HTTP status, `reason` the machine word of the Status body (`NotFound`, `Conflict`, ...; "" when
    the body is no Status), `message` the text for people, `retry_after` seconds the server asked to wait or None.
    """

    def __init__(self, status: int, reason: str, message: str, retry_after: float | None = None) -> None:
        self.status = status
        self.reason = reason
        self.message = message
        self.retry_after = retry_after
        super().__init__(f"{status} {reason or 'error'}: {message}")


class Expired(ApiError):
    """410: the resource version or the continue token is older than what the server keeps. List again."""


class TooManyRequests(ApiError):
    """429, or 503 with Retry-After: the server did not act on the request and asks to wait `retry_after` seconds."""
