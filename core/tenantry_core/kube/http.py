"""`HttpTransport`: a `Transport` over aiohttp with kept-alive connections.

Watches have connections of their own, outside the limit of the others, so that no number of watches can starve a
bind. A 401 refreshes the credentials once and sends the request once more: the server refused it before acting on it.
"""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TypedDict
from urllib.parse import quote, urlencode

import aiohttp
from yarl import URL

from tenantry_core.kube.connection import Connection
from tenantry_core.kube.errors import MaybeSent, NotSent
from tenantry_core.kube.transport import PlainResponse, Response, StreamResponse

Observer = Callable[[str, str, int, float], None]
"""Called after every answer with method, path, status (0 without an answer) and seconds; must not raise."""


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """How connections are kept."""

    connections: int = 128
    """Connections at once, watches not counted. Twice the default number of binds in flight, so that events, leases and
    reads never wait behind them."""
    keepalive: float = 75.0
    """Seconds an idle connection is kept; below the 90 s after which common load balancers drop it."""
    connect_timeout: float = 10.0
    """Seconds to connect, TLS included."""
    compress: bool = False
    """Ask for gzip. Off: on a cluster's own network it costs both sides more time than it saves."""
    user_agent: str = "tenantry"
    """User-Agent header; audit logs and flow schemas may look at it."""


class _Tls(TypedDict, total=False):
    server_hostname: str
    proxy: str


class HttpTransport:
    """One API server over HTTP. Must be made, used and closed in one event loop."""

    def __init__(
        self, connection: Connection, settings: HttpSettings | None = None, observer: Observer | None = None
    ) -> None:
        self._connection = connection
        self._settings = settings or HttpSettings()
        self._observer = observer
        self._base = connection.server.rstrip("/")
        self._calls: aiohttp.ClientSession | None = None
        self._watches: aiohttp.ClientSession | None = None

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
        if self._calls is None:
            self._calls = self._session(self._settings.connections)
        limits = aiohttp.ClientTimeout(total=timeout, sock_connect=self._settings.connect_timeout)
        url = self._url(path, query)
        used = await self._connection.credentials.headers()
        response = await self._once(method, url, path, body=body, headers=_join(used, headers), limits=limits)
        if response.status == 401 and await self._connection.credentials.refresh(used):
            used = await self._connection.credentials.headers()
            response = await self._once(method, url, path, body=body, headers=_join(used, headers), limits=limits)
        return response

    @contextlib.asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        idle_timeout: float = 330.0,
    ) -> AsyncIterator[StreamResponse]:
        if self._watches is None:
            self._watches = self._session(0)
        limits = aiohttp.ClientTimeout(total=None, sock_connect=self._settings.connect_timeout, sock_read=idle_timeout)
        response = await self._open(method, self._url(path, query), path, headers, limits)
        try:
            yield _HttpStream(response)
        finally:
            response.close()

    async def close(self) -> None:
        for session in (self._calls, self._watches):
            if session is not None:
                await session.close()
        self._calls = self._watches = None

    async def _once(
        self,
        method: str,
        url: URL,
        path: str,
        *,
        body: bytes | None,
        headers: Mapping[str, str],
        limits: aiohttp.ClientTimeout,
    ) -> PlainResponse:
        assert self._calls is not None
        started, status = perf_counter(), 0
        try:
            with _faults_named(f"{method} {path}"):
                async with self._calls.request(
                    method, url, data=body, headers=headers, timeout=limits, allow_redirects=False, **self._tls()
                ) as response:
                    content = await response.read()
                    status = response.status
                    return PlainResponse(status, response.headers, content)
        finally:
            self._observe(method, path, status, started)

    async def _open(
        self, method: str, url: URL, path: str, headers: Mapping[str, str] | None, limits: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        assert self._watches is not None
        for attempt in (1, 2):
            used = await self._connection.credentials.headers()
            started, status = perf_counter(), 0
            try:
                with _faults_named(f"{method} {path}"):
                    response = await self._watches.request(
                        method,
                        url,
                        headers=_join(used, headers),
                        timeout=limits,
                        allow_redirects=False,
                        **self._tls(),
                    )
                    status = response.status
            finally:
                self._observe(method, path, status, started)
            if status != 401 or attempt == 2 or not await self._connection.credentials.refresh(used):
                break
            response.close()
        return response

    def _session(self, limit: int) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            limit=limit,
            keepalive_timeout=self._settings.keepalive,
            ssl=self._connection.ssl if self._connection.ssl is not None else True,
        )
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={
                "User-Agent": self._settings.user_agent,
                "Accept": "application/json",
                "Accept-Encoding": "gzip" if self._settings.compress else "identity",
            },
            read_bufsize=1 << 18,
        )

    def _tls(self) -> _Tls:
        extra: _Tls = {}
        if self._connection.server_hostname:
            extra["server_hostname"] = self._connection.server_hostname
        if self._connection.proxy:
            extra["proxy"] = self._connection.proxy
        return extra

    def _url(self, path: str, query: Mapping[str, str] | None) -> URL:
        text = f"{self._base}{path}?{urlencode(query, quote_via=quote)}" if query else self._base + path
        return URL(text, encoded=True)

    def _observe(self, method: str, path: str, status: int, started: float) -> None:
        if self._observer is not None:
            self._observer(method, path, status, perf_counter() - started)


class _HttpStream:
    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers

    async def chunks(self) -> AsyncIterator[bytes]:
        with _faults_named("watch"):
            async for chunk in self._response.content.iter_any():
                yield chunk

    async def read(self) -> bytes:
        with _faults_named("watch"):
            return await self._response.read()


@contextlib.contextmanager
def _faults_named(what: str) -> Iterator[None]:
    """Turn aiohttp's faults into ours, by whether the server can have seen the request."""
    try:
        yield
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as fault:
        raise NotSent(f"{what}: {fault}") from fault
    except TimeoutError as fault:
        raise MaybeSent(f"{what}: no answer in time") from fault
    except (aiohttp.ClientError, OSError) as fault:
        raise MaybeSent(f"{what}: connection lost ({type(fault).__name__}: {fault})") from fault


def _join(credentials: Mapping[str, str], headers: Mapping[str, str] | None) -> Mapping[str, str]:
    return {**credentials, **headers} if headers else credentials
