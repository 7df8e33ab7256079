"""A HTTP client that costs as little as Python allows, so that a benchmark measures the server and not its client."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from base64 import b64decode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Target:
    """Where a server listens and what it wants to see."""

    host: str
    port: int
    tls: ssl.SSLContext | None
    token: str

    def request(self, method: str, path: str, body: bytes = b"") -> bytes:
        """One request, ready to be sent."""
        head = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}", f"Content-Length: {len(body)}"]
        head += ["Content-Type: application/json"] if body else []
        head += [f"Authorization: Bearer {self.token}"] if self.token else []
        return "\r\n".join((*head, "", "")).encode() + body


def read_kubeconfig(path: Path) -> Target:
    """The server of a kubeconfig in JSON with a token, or with nothing."""
    document = json.loads(path.read_text())
    cluster, user = document["clusters"][0]["cluster"], document["users"][0]["user"]
    url = urlsplit(cluster["server"])
    tls = None
    if url.scheme == "https":
        tls = ssl.create_default_context(cadata=b64decode(cluster["certificate-authority-data"]).decode())
    return Target(url.hostname or "", url.port or 0, tls, user.get("token", ""))


class Connection(asyncio.Protocol):
    """One connection, one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._data = b""
        self._answer: asyncio.Future[int] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, found, rest = self._data.partition(b"\r\n\r\n")
        if not found:
            return
        at = head.lower().index(b"content-length:") + len(b"content-length:")
        if len(rest) >= int(head[at:].split(b"\r\n", 1)[0]):
            self._data = b""
            if self._answer is not None and not self._answer.done():
                self._answer.set_result(int(head[9:12]))

    async def send(self, request: bytes) -> int:
        """Send one request; returns the status code once the whole answer is here."""
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class Watcher(Connection):
    """A connection that hands whatever comes to a function."""

    def __init__(self, seen: Callable[[bytes], None]) -> None:
        super().__init__()
        self._seen = seen
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        if not self.opened.done():
            self.opened.set_result(None)
        self._seen(data)

    def start(self, request: bytes) -> None:
        """Ask for the watch. `opened` is done once the server answers."""
        assert self._transport is not None
        self._transport.write(request)


async def connect(target: Target) -> Connection:
    """Open a connection."""
    loop = asyncio.get_running_loop()
    host = target.host if target.tls else None
    _, connection = await loop.create_connection(
        Connection, target.host, target.port, ssl=target.tls, server_hostname=host
    )
    return connection


async def watch(target: Target, path: str, seen: Callable[[bytes], None]) -> Watcher:
    """Open a watch."""
    loop = asyncio.get_running_loop()
    host = target.host if target.tls else None
    _, watcher = await loop.create_connection(
        lambda: Watcher(seen), target.host, target.port, ssl=target.tls, server_hostname=host
    )
    watcher.start(target.request("GET", path))
    await asyncio.wait_for(watcher.opened, 10)
    return watcher


async def send_all(target: Target, requests: Iterable[bytes], in_flight: int, expect: int = 201) -> float:
    """Send requests over as many connections as may be in flight.

    Returns the seconds from the first request to the last answer. Raises RuntimeError when one is refused.
    """
    left = iter(requests)

    async def worker(connection: Connection) -> None:
        for request in left:
            code = await connection.send(request)
            if code != expect:
                raise RuntimeError(f"answered {code} in place of {expect}")

    connections = await asyncio.gather(*(connect(target) for _ in range(in_flight)))
    try:
        began = time.perf_counter()
        await asyncio.gather(*(worker(connection) for connection in connections))
        return time.perf_counter() - began
    finally:
        for connection in connections:
            connection.close()
