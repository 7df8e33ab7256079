"""The HTTP server: authentication, faults, routing, and answers as bytes."""

import asyncio
import logging
import socket
import ssl
from collections.abc import Sequence
from functools import partial

from aiohttp import web

from tenantry_sim.access.front import Access
from tenantry_sim.access.users import ANONYMOUS, User
from tenantry_sim.api.call import JSON, NOT_FOUND, Answer, Call, route, split_target
from tenantry_sim.api.discovery import Documents
from tenantry_sim.api.dispatch import bind_collection, dispatch
from tenantry_sim.api.unserved import refusal
from tenantry_sim.api.watching import WatchHub, WatchStream
from tenantry_sim.config import SimConfig
from tenantry_sim.faults import FaultRule, Faults
from tenantry_sim.kinds.table import BY_KEY
from tenantry_sim.status import ApiError, not_allowed
from tenantry_sim.store.records import encode
from tenantry_sim.webhooks import Caller, ControllerGates, Hooks, WebhookGate, run_admitted
from tenantry_sim.world import World

_LOG = logging.getLogger(__name__)
_OPEN_PATHS = frozenset({"/healthz", "/livez", "/readyz", "/version"})
_MAX_BODY = 3 * 1024 * 1024
_PODS = BY_KEY["/pods"]


class ApiServer:
    """Serves one world on one port. `start` after `stop` listens on the same port with the same state."""

    def __init__(self, world: World, config: SimConfig, tls: ssl.SSLContext | None = None) -> None:
        self.world = world
        self.tls = tls
        self.access = Access(world, config)
        self.bookmark_seconds = config.bookmark_seconds
        self.hub = WatchHub()
        self.documents = Documents(world.catalog)
        self.hooks = Hooks(world)
        self.caller = Caller(world, config.webhook_addresses)
        world.doorkeeper = ControllerGates(world, self.hooks, self.caller)
        self.faults: Faults | None = None
        self.port = 0
        self._server: web.Server | None = None
        self._listener: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> None:
        """Listen on loopback. Raises OSError when the port is taken."""
        self._server = web.Server(self.handle, access_log=None, keepalive_timeout=3600, handler_cancellation=True)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(
            self._server, host, self.port or port, family=family, backlog=1024, ssl=self.tls
        )
        self.port = self._listener.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close the port and break every connection at once."""
        if self._listener is None or self._server is None:
            self.hub.do("", WatchStream.cut)
            return
        self._listener.close()
        self.hub.do("", WatchStream.cut)
        for connection in list(self._server.connections):
            transport = connection.transport
            if transport is not None:
                transport.abort()
        await self._server.shutdown(0.5)
        await self.caller.close()
        await self._listener.wait_closed()
        self._listener = self._server = None

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request. Raises ConnectionError when a fault rule breaks the connection."""
        path, query = split_target(request.raw_path)
        method = request.method
        rule: FaultRule | None = None
        try:
            if self.faults is not None and self.faults.active and not path.startswith("/sim/"):
                rule = self.faults.match(method, path, query)
                if rule is not None and rule.when == "before":
                    await self._suffer(request, rule)
            user = self.access.caller(request) if path not in _OPEN_PATHS else ANONYMOUS
            result = await self._answer(request, (method, path, query), user)
            if rule is not None and rule.when == "after":
                await self._suffer(request, rule)
        except ApiError as refusal:
            return self._refusal(refusal)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as fault:
            _LOG.exception("request failed: %s %s", method, path)
            return self._refusal(ApiError(500, "InternalError", f"Internal error occurred: {type(fault).__name__}"))
        if isinstance(result, Answer):
            headers = {"Content-Type": result.content_type}
            answer = web.Response(status=result.code, body=result.body, headers=headers)
            return _warn(answer, result.warnings) if result.warnings else answer
        return result

    async def _suffer(self, request: web.BaseRequest, rule: FaultRule) -> None:
        if rule.delay_seconds:
            await asyncio.sleep(rule.delay_seconds)
        if rule.drop:
            if request.transport is not None:
                request.transport.abort()
            raise ConnectionResetError("dropped by a fault rule")
        if rule.status:
            raise rule.failure()

    def _refusal(self, refusal: ApiError) -> web.Response:
        headers = {"Content-Type": JSON}
        if refusal.retry_after is not None:
            headers["Retry-After"] = str(refusal.retry_after)
        return _warn(web.Response(status=refusal.code, body=refusal.body(), headers=headers), refusal.warnings)

    async def _answer(
        self, request: web.BaseRequest, target: tuple[str, str, dict[str, str]], user: User
    ) -> Answer | web.StreamResponse:
        method, path, query = target
        call = route(method, path, query, self.world.catalog.by_path)
        headers = request.headers
        if call is not None:
            call.accept = headers.get("Accept", JSON)
            call.agent = headers.get("User-Agent", "")
            call.content_type = headers.get("Content-Type", JSON).partition(";")[0].strip()
        if not user.superuser and path not in _OPEN_PATHS:
            self.access.demand(user, method, path, call)
        if call is None:
            return await self._beside(request, target, user)
        if method == "GET":
            if call.watching and not call.subresource:
                stream = WatchStream(self.world, call, self.bookmark_seconds)
                return await self.hub.serve(stream, request, {})
        elif request.can_read_body:
            call.body = await self._body(request)
        if call.subresource == "token":
            return self.access.token(call)
        hooked = self.hooks.active and self.hooks.interested(method, call.resource, call.subresource)
        if hooked or self.access.guards(user, call):
            return await self._admitted(call, user)
        return _with_warnings(call, dispatch(self.world, call))

    async def _admitted(self, call: Call, user: User) -> Answer:
        """A call that webhooks may have a say in, or one that grants something."""
        guard = partial(self.access.guard, user) if self.access.guards(user, call) else None
        gate = WebhookGate(self.world, self.hooks, self.caller, user.info(), guard)
        try:
            answer = await run_admitted(gate, call, dispatch)
        except ApiError as refusal:
            refusal.warnings = [*refusal.warnings, *gate.warnings]
            raise
        answer.warnings = [*answer.warnings, *gate.warnings]
        return _with_warnings(call, answer)

    async def _body(self, request: web.BaseRequest) -> bytes:
        body = await request.content.read() if request.content_length is None else await request.read()
        if len(body) > _MAX_BODY:
            raise ApiError(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728")
        return body

    async def _beside(
        self, request: web.BaseRequest, target: tuple[str, str, dict[str, str]], user: User
    ) -> Answer | web.StreamResponse:
        """Paths outside the resource table: bindings, reviews, discovery, the fault switches."""
        method, path, query = target
        if path == "/sim/faults" and self.faults is not None:
            if method == "POST":
                return Answer(200, encode(await self.faults.apply(await self._body(request))))
            return Answer(200, encode(await self.faults.apply(b"")))
        parts = path.split("/")
        if len(parts) == 6 and parts[1:4] == ["api", "v1", "namespaces"] and parts[5] == "bindings":
            if method != "POST":
                raise not_allowed()
            return bind_collection(self.world, parts[4], await self._body(request), "dryRun" in query)
        unserved = refusal(self.world, path)
        if unserved is not None:
            raise unserved
        if method == "POST":
            call = Call(method, _PODS, "", "", "", query, body=await self._body(request))
            call.content_type = request.headers.get("Content-Type", JSON).partition(";")[0].strip()
            return self.access.review(path, call, user) or NOT_FOUND
        found = (
            self.documents.at(path.rstrip("/") or "/", request.headers.get("Accept", "")) if method == "GET" else None
        )
        return found if found is not None else NOT_FOUND


def _with_warnings(call: Call, answer: Answer) -> Answer:
    if call.warnings:
        answer.warnings = [*call.warnings, *answer.warnings]
    return answer


def _warn(answer: web.Response, warnings: Sequence[str]) -> web.Response:
    for text in warnings:
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        answer.headers.add("Warning", f'299 - "{quoted}"')
    return answer
