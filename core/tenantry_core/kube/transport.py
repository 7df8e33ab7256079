"""`Transport`: the one way bytes travel to an API server and back. `HttpTransport` in `http.py` is the one over the
network.

A transport knows nothing of objects, retries or results. A fake, or an API server living in the same process, need
only have these methods: the protocols are structural on purpose.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol


class Response(Protocol):
    """A whole answer, whatever its status."""

    @property
    def status(self) -> int:
        """HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Answer headers; look-ups try the canonical and the lower-case spelling, so a plain dict will do."""
        ...

    @property
    def body(self) -> bytes:
        """The body, decompressed."""
        ...


class StreamResponse(Protocol):
    """An answer whose body is read as it arrives."""

    @property
    def status(self) -> int:
        """HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Answer headers."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """The body in pieces cut anywhere; ends with the body. Raises `MaybeSent` when it breaks or stays silent."""
        ...

    async def read(self) -> bytes:
        """The whole body, for an error answer."""
        ...


class Transport(Protocol):
    """Sends one request. Error statuses are answers; exceptions are `NotSent`, `MaybeSent` and `CredentialsError`
    only.
    """

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30.0,  # noqa: ASYNC109 - handed on to the connection, which knows what was sent
    ) -> Response:
        """Send and read the whole answer within `timeout` seconds. `path` is percent-encoded, `query` is not."""
        ...

    def stream(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        idle_timeout: float = 330.0,
    ) -> AbstractAsyncContextManager[StreamResponse]:
        """Send and hand out the answer as soon as its head is there; leaving the context closes the connection.

        `idle_timeout` is the longest silence in seconds, before the head or between chunks.
        """
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...


@dataclass(frozen=True, slots=True)
class PlainResponse:
    """The obvious `Response`."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def header(headers: Mapping[str, str], name: str) -> str:
    """A header by its canonical name, "" when absent; works on plain dicts of either spelling."""
    return headers.get(name) or headers.get(name.lower()) or ""
