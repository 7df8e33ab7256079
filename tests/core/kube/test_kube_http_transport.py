"""The transport over real sockets: kept-alive connections, faults by their kind, 401, silence."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from fakes.clock import FakeClock

from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.connection import Connection, StaticCredentials
from tenantry_core.kube.errors import ApiError, MaybeSent, NotSent, TransportError
from tenantry_core.kube.http import HttpSettings, HttpTransport
from tenantry_core.kube.resources import PODS
from tenantry_core.kube.values import BindRequest, Bound, CallOptions, Failed, Unknown, WatchOptions


class Renewing:
    """Token `t0`, then `t1` after one refresh."""

    def __init__(self, renewable: bool = True) -> None:
        self.number = 0
        self.renewable = renewable

    async def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer t{self.number}"}

    async def refresh(self, used: Mapping[str, str]) -> bool:
        if self.renewable and self.number == 0:
            self.number = 1
            return True
        return False


class Server:
    """A bare HTTP server that remembers who asked what."""

    def __init__(self) -> None:
        self.url = ""
        self.peers: list[Any] = []
        self.tokens: list[str] = []
        self.valid = ""
        self.release = asyncio.Event()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.peers.append(request.transport.get_extra_info("peername") if request.transport else None)
        self.tokens.append(request.headers.get("Authorization", ""))
        if self.valid and request.headers.get("Authorization") != self.valid:
            return web.json_response({"message": "who?", "reason": "Unauthorized"}, status=401)
        if "watch" in request.query:
            return await self.watch(request)
        if request.path.endswith("/hang/binding"):
            await self.release.wait()
        if request.path.endswith("/drop/binding"):
            assert request.transport is not None
            request.transport.close()
        return web.json_response({"path": request.raw_path}, status=201)

    async def watch(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b'{"type":"A')
        await response.write(b'DDED","object":{}}\n')
        if request.query["resourceVersion"] == "1":
            await self.release.wait()
        return response


@asynccontextmanager
async def serve() -> AsyncIterator[Server]:
    server = Server()
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    server.url = f"http://{host}:{port}"
    try:
        yield server
    finally:
        server.release.set()
        await runner.cleanup()


def transport(server: Server, credentials: Any = None) -> HttpTransport:
    return HttpTransport(Connection(server.url, credentials=credentials or StaticCredentials("secret")))


async def test_connections_are_kept() -> None:
    """Requests one after the other use one connection; paths and queries arrive as they were sent."""
    async with serve() as server:
        seen: list[tuple[str, str, int]] = []
        http = HttpTransport(Connection(server.url + "/"), observer=lambda m, p, s, _: seen.append((m, p, s)))
        for _ in range(3):
            answer = await http.request("GET", "/api/v1/namespaces/a%2Fb/pods", query={"labelSelector": "a=b c,d"})
        assert b"/api/v1/namespaces/a%2Fb/pods?labelSelector=a%3Db%20c%2Cd" in answer.body
        assert len(set(server.peers)) == 1
        assert seen == [("GET", "/api/v1/namespaces/a%2Fb/pods", 201)] * 3
        await http.close()


@pytest.mark.parametrize("how", ["call", "watch"])
async def test_401_refreshes_once_and_tries_again(how: str) -> None:
    """The second try carries the new token; a token that stays bad is an answer, not a loop."""
    async with serve() as server:
        server.valid = "Bearer t1"
        for renewable, status in ((True, 201 if how == "call" else 200), (False, 401)):
            server.tokens.clear()
            http = transport(server, Renewing(renewable))
            if how == "call":
                assert (await http.request("POST", "/x", body=b"{}")).status == status
            else:
                async with http.stream("GET", "/x", query={"watch": "1", "resourceVersion": "0"}) as response:
                    assert response.status == status
            assert server.tokens == (["Bearer t0", "Bearer t1"] if renewable else ["Bearer t0"])
            await http.close()


@pytest.mark.parametrize(
    ("pod", "result"), [("a", Bound), ("hang", Unknown), ("drop", Unknown)], ids=["bound", "time-out", "dropped"]
)
async def test_bind_over_the_network(pod: str, result: type) -> None:
    """A time-out and a connection that breaks after the request are both unknown, and sent once."""
    async with serve() as server:
        api = KubeClient(transport(server), FakeClock(), random.Random(1))
        answer = await api.bind(BindRequest("ns", pod, "u", "n"), CallOptions(timeout=0.2))
        assert isinstance(answer, result)
        assert len(server.peers) == 1
        await api.close()


async def test_server_that_is_not_there() -> None:
    """A refused connection was never sent."""
    async with serve() as server:
        url = server.url
    http = HttpTransport(Connection(url), HttpSettings(connect_timeout=1))
    with pytest.raises(NotSent):
        await http.request("GET", "/x")
    assert isinstance(await KubeClient(http).bind(BindRequest("ns", "a", "u", "n")), Failed)
    await http.close()


@pytest.mark.parametrize(("version", "ends"), [("0", None), ("1", MaybeSent)], ids=["ended", "silent"])
async def test_watch_over_the_network(version: str, ends: type[TransportError] | None) -> None:
    """Chunks come as they arrive; silence beyond the limit is a lost connection."""
    async with serve() as server:
        api = KubeClient(transport(server), FakeClock())
        got = []
        try:
            async with api.watch(PODS, WatchOptions(version, idle_timeout=0.2)) as chunks:
                got.extend([chunk async for chunk in chunks])
        except TransportError as fault:
            assert ends is not None
            assert isinstance(fault, ends)
        else:
            assert ends is None
            assert b"".join(got) == b'{"type":"ADDED","object":{}}\n'
        await api.close()


async def test_watch_refused() -> None:
    """An error status is raised when the watch is opened."""
    async with serve() as server:
        server.valid = "nobody"
        api = KubeClient(transport(server), FakeClock())
        with pytest.raises(ApiError, match="401 Unauthorized: who"):
            async with api.watch(PODS, WatchOptions("1")):
                raise AssertionError("unreachable")
        await api.close()
