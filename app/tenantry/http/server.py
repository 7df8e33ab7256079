"""Serves `/metrics`, `/metrics/resources`, `/healthz`, `/livez`, `/readyz`, `/configz` and what others add."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec
from aiohttp import web
from prometheus_client import CollectorRegistry

from tenantry_telemetry.exposition import RESOURCES_CONTENT_TYPE, ResourceProvider, render, resource_slices
from tenantry_telemetry.health import Health, HealthKind

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Route = tuple[str, Handler]
"""A path in aiohttp's notation and what answers GET on it."""

_HEALTH: tuple[HealthKind, ...] = ("healthz", "livez", "readyz")
_COMPRESS_FROM = 32_768
"""Bodies from this many bytes on are compressed in a thread."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """Where to listen."""

    host: str = "127.0.0.1"
    """Address to bind. Loopback unless somebody decides otherwise: the port has no authentication."""
    port: int = 10261
    """TCP port; 0 takes any that is free. The default keeps clear of kube-scheduler's 10259 on the same host."""
    shutdown_seconds: float = 1.0
    """How long open requests may take to end when the server stops."""


@dataclass(frozen=True, slots=True)
class Exposed:
    """What the server shows."""

    registry: CollectorRegistry
    """Behind `/metrics`."""
    health: Health
    """Behind `/healthz`, `/livez` and `/readyz`."""
    resources: ResourceProvider = tuple
    """Behind `/metrics/resources`: a snapshot of the pods. None by default."""
    config: Callable[[], Mapping[str, Any]] = dict
    """Behind `/configz`: the configuration in force, fit for JSON and free of secrets."""
    routes: Sequence[Route] = ()
    """Further pages."""


class HttpServer:
    """One listening socket. `start`, use `port`, `stop`; it may be started once."""

    def __init__(self, exposed: Exposed, settings: HttpSettings | None = None) -> None:
        self._exposed = exposed
        self._settings = settings if settings is not None else HttpSettings()
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen. OSError if the address is taken; ValueError if a path is given twice."""
        runner = web.AppRunner(
            self._application(),
            access_log=None,
            handle_signals=False,
            shutdown_timeout=self._settings.shutdown_seconds,
        )
        await runner.setup()
        try:
            await web.TCPSite(runner, self._settings.host, self._settings.port).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner = runner
        _log.info("serving metrics and health", extra={"address": self.url})

    async def stop(self) -> None:
        """Close the socket and the open requests; a second call does nothing."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    @property
    def port(self) -> int:
        """The port in use. RuntimeError before `start`."""
        if self._runner is None:
            raise RuntimeError("the server is not running")
        return int(self._runner.addresses[0][1])

    @property
    def url(self) -> str:
        """`http://host:port`, without a slash at the end."""
        host = self._settings.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def _application(self) -> web.Application:
        app = web.Application()
        own: list[Route] = [
            ("/metrics", self._metrics),
            ("/metrics/resources", self._resources),
            ("/configz", self._configz),
        ]
        for kind in _HEALTH:
            own += [(f"/{kind}", self._report), (f"/{kind}/{{check}}", self._single)]
        seen: set[str] = set()
        for path, handler in [*own, *self._exposed.routes]:
            if path in seen:
                raise ValueError(f"the path {path} is served already")
            seen.add(path)
            app.router.add_get(path, handler)
        return app

    async def _metrics(self, request: web.Request) -> web.StreamResponse:
        # In a thread, because a scrape must not hold the loop; the registry is safe to read from there.
        body, content_type = await asyncio.to_thread(render, self._exposed.registry, request.headers.get("Accept", ""))
        response = web.Response(body=body, headers={"Content-Type": content_type}, zlib_executor_size=_COMPRESS_FROM)
        response.enable_compression()
        return response

    async def _resources(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": RESOURCES_CONTENT_TYPE})
        await response.prepare(request)
        for part in resource_slices(self._exposed.resources()):
            await response.write(part)
            await asyncio.sleep(0)  # One slice at a time: a hundred thousand pods take seconds to render.
        await response.write_eof()
        return response

    async def _configz(self, request: web.Request) -> web.StreamResponse:
        body = msgspec.json.encode(self._exposed.config(), enc_hook=str)
        return web.Response(body=body, content_type="application/json")

    async def _report(self, request: web.Request) -> web.StreamResponse:
        kind = _kind(request)
        exclude = request.query.getall("exclude", [])
        answer = self._exposed.health.report(kind, verbose="verbose" in request.query, exclude=exclude)
        return _plain(answer.status, answer.text)

    async def _single(self, request: web.Request) -> web.StreamResponse:
        answer = self._exposed.health.single(_kind(request), request.match_info["check"])
        return _plain(answer.status, answer.text)


def _kind(request: web.Request) -> HealthKind:
    return cast(HealthKind, request.path.split("/")[1])


def _plain(status: int, text: str) -> web.Response:
    return web.Response(
        status=status, text=text, headers={"Cache-Control": "no-cache, private", "X-Content-Type-Options": "nosniff"}
    )
