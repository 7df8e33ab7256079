"""`KubeClient`: the port over a `Transport`."""

import contextlib
import random
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

import msgspec

from tenantry_core.clock import Clock, SystemClock
from tenantry_core.errors import DecodeError
from tenantry_core.kube import bodies
from tenantry_core.kube.answers import bind_result, error_from, evict_result, write_result
from tenantry_core.kube.errors import MaybeSent, NotSent
from tenantry_core.kube.limits import RateLimiter, RateSettings, RetrySettings
from tenantry_core.kube.paging import pages, watch_query
from tenantry_core.kube.port import EVERYTHING
from tenantry_core.kube.resources import PODS, Resource
from tenantry_core.kube.sending import Outgoing, Sender
from tenantry_core.kube.transport import PlainResponse, Transport
from tenantry_core.kube.values import (
    CALL,
    BindRequest,
    BindResult,
    Body,
    CallOptions,
    DeleteOptions,
    EvictResult,
    Failed,
    Key,
    Listing,
    ListOptions,
    Page,
    Patch,
    Refused,
    T,
    Unknown,
    WatchOptions,
    WriteResult,
)

_JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """How the client behaves towards the server."""

    retry: RetrySettings = field(default_factory=RetrySettings)
    """Retries of reads, and of writes that the server did not act on."""
    rate: RateSettings = field(default_factory=RateSettings)
    """Client-side rate limit, off by default."""


class KubeClient:
    """The `KubeApi` of one API server. `rng` is only for jitter."""

    def __init__(
        self,
        transport: Transport,
        clock: Clock | None = None,
        rng: random.Random | None = None,
        settings: ClientSettings | None = None,
    ) -> None:
        clock = clock or SystemClock()
        settings = settings or ClientSettings()
        self._transport = transport
        limiter = RateLimiter(settings.rate, clock)
        self._sender = Sender(transport, clock, rng or random.Random(), settings.retry, limiter)

    # ---- reads -----------------------------------------------------------------------------------------------------

    def list_pages(self, resource: Resource, options: ListOptions = EVERYTHING) -> AsyncIterator[Page]:
        """See `KubeApi.list_pages`."""
        return pages(self._sender, resource, options)

    async def list_all(self, resource: Resource, options: ListOptions = EVERYTHING) -> Listing:
        """See `KubeApi.list_all`."""
        items: list[msgspec.Raw] = []
        version = ""
        async for page in self.list_pages(resource, options):
            if page.index == 0:
                items.clear()
            items.extend(page.items)
            version = page.resource_version
        return Listing(items, version)

    def watch(self, resource: Resource, options: WatchOptions) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """See `KubeApi.watch`."""
        return self._watch(resource, options)

    @contextlib.asynccontextmanager
    async def _watch(self, resource: Resource, options: WatchOptions) -> AsyncIterator[AsyncIterator[bytes]]:
        stream = self._transport.stream(
            "GET",
            resource.path(options.namespace),
            query=watch_query(options),
            idle_timeout=options.idle_timeout,
        )
        async with stream as response:
            if response.status != 200:
                body = await response.read()
                raise error_from(PlainResponse(response.status, response.headers, body))
            yield response.chunks()

    async def get(self, resource: Resource, key: Key, call: CallOptions = CALL) -> bytes | None:
        """See `KubeApi.get`."""
        response = await self._sender.send(Outgoing("GET", resource.path(key.namespace, key.name)), call)
        if response.status == 404:
            return None
        if response.status != 200:
            raise error_from(response)
        return response.body

    async def get_as(self, cls: type[T], resource: Resource, key: Key, call: CallOptions = CALL) -> T | None:
        """See `KubeApi.get_as`."""
        body = await self.get(resource, key, call)
        if body is None:
            return None
        try:
            return msgspec.json.decode(body, type=cls)
        except msgspec.MsgspecError as fault:
            raise DecodeError(f"{resource.plural} {key.namespace}/{key.name}: {fault}") from fault

    # ---- writes ----------------------------------------------------------------------------------------------------

    async def create(self, resource: Resource, namespace: str, body: Body, call: CallOptions = CALL) -> WriteResult:
        """See `KubeApi.create`."""
        return await self._write(Outgoing("POST", resource.path(namespace), None, bodies.encode(body), _JSON), call)

    async def update(self, resource: Resource, key: Key, body: Body, call: CallOptions = CALL) -> WriteResult:
        """See `KubeApi.update`."""
        path = resource.path(key.namespace, key.name)
        return await self._write(Outgoing("PUT", path, None, bodies.encode(body), _JSON), call)

    async def patch(self, resource: Resource, key: Key, patch: Patch, call: CallOptions = CALL) -> WriteResult:
        """See `KubeApi.patch`."""
        return await self._patch(resource.path(key.namespace, key.name), patch, call)

    async def patch_status(self, resource: Resource, key: Key, patch: Patch, call: CallOptions = CALL) -> WriteResult:
        """See `KubeApi.patch_status`."""
        return await self._patch(resource.path(key.namespace, key.name, "status"), patch, call)

    async def delete(
        self, resource: Resource, key: Key, options: DeleteOptions, call: CallOptions = CALL
    ) -> WriteResult:
        """See `KubeApi.delete`."""
        path = resource.path(key.namespace, key.name)
        return await self._write(Outgoing("DELETE", path, None, bodies.delete_options(options), _JSON), call)

    async def bind(self, binding: BindRequest, call: CallOptions = CALL) -> BindResult:
        """See `KubeApi.bind`."""
        path = PODS.path(binding.namespace, binding.name, "binding")
        try:
            response = await self._sender.once(Outgoing("POST", path, None, bodies.binding(binding), _JSON), call)
        except NotSent as fault:
            return Failed(0, str(fault))
        except MaybeSent as fault:
            return Unknown(str(fault))
        return bind_result(response)

    async def evict(self, pod: Key, options: DeleteOptions, call: CallOptions = CALL) -> EvictResult:
        """See `KubeApi.evict`."""
        path = PODS.path(pod.namespace, pod.name, "eviction")
        request = Outgoing("POST", path, None, bodies.eviction(pod, options), _JSON)
        try:
            response = await self._sender.once(request, call)
        except NotSent as fault:
            return Failed(0, str(fault))
        except MaybeSent as fault:
            return Unknown(str(fault))
        return evict_result(response)

    async def close(self) -> None:
        """See `KubeApi.close`."""
        await self._transport.close()

    async def _patch(self, path: str, patch: Patch, call: CallOptions) -> WriteResult:
        query = {}
        if patch.field_manager:
            query["fieldManager"] = patch.field_manager
        if patch.force:
            query["force"] = "true"
        headers = {"Content-Type": patch.type.value}
        return await self._write(Outgoing("PATCH", path, query, bodies.encode(patch.body), headers), call)

    async def _write(self, request: Outgoing, call: CallOptions) -> WriteResult:
        try:
            response = await self._sender.send(request, call)
        except NotSent as fault:
            return Refused(0, "NotSent", str(fault))
        except MaybeSent as fault:
            return Unknown(str(fault))
        return write_result(response)
