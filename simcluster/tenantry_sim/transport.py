"""Requests to the embedded cluster without sockets, for clients in the same event loop.

The methods have the shape that the project's clients expect of a transport; nothing is imported for that.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import quote, urlencode

from aiohttp import web

from tenantry_sim.api.local_request import LocalRequest
from tenantry_sim.api.server import ApiServer

Fault = Callable[[str], Exception]


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """How requests travel."""

    latency_seconds: float = 0.0
    """Seconds from the request to the server's work, and again to the answer. Default: only a turn of the loop."""
    headers: Mapping[str, str] | None = None
    """Sent with every request, such as an Authorization."""
    not_sent: Fault = ConnectionRefusedError
    """Made and raised when the server is not there."""
    broken: Fault = ConnectionResetError
    """Made and raised when the connection breaks or nothing comes in time."""


@dataclass(frozen=True, slots=True)
class LocalResponse:
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class LocalStream:
    """An answer that is read as it arrives; `answer` is set for one that is no stream."""

    def __init__(self, request: LocalRequest, answer: LocalResponse | None, limit: float, broken: Fault) -> None:
        self.status = answer.status if answer is not None else 200
        self.headers: Mapping[str, str] = answer.headers if answer is not None else {"Content-Type": "application/json"}
        self._request = request
        self._answer = answer
        self._limit = limit
        self._broken = broken

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body in pieces. Raises the `broken` fault when the stream is cut or silent for too long."""
        if self._answer is not None:
            yield self._answer.body
            return
        while True:
            try:
                async with asyncio.timeout(self._limit):
                    piece = await self._request.pieces.get()
            except TimeoutError:
                raise self._broken(f"{self._request.raw_path}: silent for {self._limit:g} s") from None
            if piece is None:
                if self._request.transport.broken:
                    raise self._broken(f"{self._request.raw_path}: the connection broke")
                return
            yield piece

    async def read(self) -> bytes:
        """The whole body."""
        return b"".join([piece async for piece in self.chunks()])


class LocalTransport:
    """A client's way to a server in the same event loop."""

    def __init__(self, server: ApiServer, is_up: Callable[[], bool], settings: LocalSettings | None = None) -> None:
        self._server = server
        self._is_up = is_up
        self._settings = settings or LocalSettings()

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30.0,  # noqa: ASYNC109 - the shape of a transport
    ) -> LocalResponse:
        """Send one request and read the whole answer. Error statuses are answers."""
        request = self._request(method, path, query, headers, body or b"")
        try:
            async with asyncio.timeout(timeout):
                await asyncio.sleep(self._settings.latency_seconds)
                if not self._is_up():
                    raise self._settings.not_sent(f"{method} {path}: the server is down")
                answer = await self._answer(request, f"{method} {path}")
                await asyncio.sleep(self._settings.latency_seconds)
        except TimeoutError:
            raise self._settings.broken(f"{method} {path}: no answer in {timeout:g} s") from None
        return answer

    async def _answer(self, request: LocalRequest, what: str) -> LocalResponse:
        try:
            return _whole(await self._server.handle(cast(web.BaseRequest, request)))
        except ConnectionError as fault:
            raise self._settings.broken(f"{what}: {fault}") from None

    @contextlib.asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        idle_timeout: float = 330.0,
    ) -> AsyncIterator[LocalStream]:
        """Send one request and hand out the answer as it comes; leaving the context ends it."""
        request = self._request(method, path, query, headers, b"")
        await asyncio.sleep(self._settings.latency_seconds)
        if not self._is_up():
            raise self._settings.not_sent(f"{method} {path}: the server is down")
        task = asyncio.ensure_future(self._answer(request, f"{method} {path}"))
        head = asyncio.ensure_future(request.head.wait())
        try:
            await asyncio.wait((task, head), return_when=asyncio.FIRST_COMPLETED, timeout=idle_timeout)
            if not task.done() and not request.head.is_set():
                raise self._settings.broken(f"{method} {path}: no answer in {idle_timeout:g} s")
            answer = None if request.head.is_set() else await task
            yield LocalStream(request, answer, idle_timeout, self._settings.broken)
        finally:
            for waiting in (task, head):
                waiting.cancel()
            await asyncio.gather(task, head, return_exceptions=True)

    async def close(self) -> None:
        """Nothing is held open."""

    def _request(
        self, method: str, path: str, query: Mapping[str, str] | None, headers: Mapping[str, str] | None, body: bytes
    ) -> LocalRequest:
        target = f"{path}?{urlencode(query, quote_via=quote)}" if query else path
        return LocalRequest(method, target, {**(self._settings.headers or {}), **(headers or {})}, body)


def _whole(response: web.StreamResponse) -> LocalResponse:
    body = response.body if isinstance(response, web.Response) else b""
    return LocalResponse(response.status, response.headers, body if isinstance(body, bytes) else b"")
