"""`KubeApi`: everything the core asks of an API server.

Rules that hold for every method:

* Bodies go out as `bytes`, or as anything that `msgspec.json` encodes; answers come back as bytes or `msgspec.Raw`.
* A refusal of a write is a value (`WriteResult`, `BindResult`, `EvictResult`). `ApiError` is raised only where the
  caller asked to read (`get`, lists, watches) and got an error other than "not found".
* A read is retried a bounded number of times on 429, 503, 500, 504 and lost connections, honouring Retry-After. A
  write is retried only where the server said that it did not act on it (429, 503 with Retry-After) or never saw it; a
  bind and an eviction are never retried here: their caller decides.
* Every method may raise `CredentialsError`; reads may raise `TransportError`. Writes turn a lost answer into `Unknown`.
* Cancelling a call closes its connection; the server may still act on the request.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from tenantry_core.kube.resources import Resource
from tenantry_core.kube.values import (
    CALL,
    BindRequest,
    BindResult,
    Body,
    CallOptions,
    DeleteOptions,
    EvictResult,
    Key,
    Listing,
    ListOptions,
    Page,
    Patch,
    T,
    WatchOptions,
    WriteResult,
)

EVERYTHING = ListOptions()


class KubeApi(Protocol):
    """The API server, as the core sees it. Implemented by `client.KubeClient` over a `Transport`."""

    def list_pages(self, resource: Resource, options: ListOptions = EVERYTHING) -> AsyncIterator[Page]:
        """Pages of a list, in order.

        When the server answers 410 to a continue token, the list starts again: a page with `index` 0 voids the pages
        before it. After several restarts the pages are given up and one unpaged list is asked for. Raises `ApiError`,
        `TransportError`.
        """
        ...

    async def list_all(self, resource: Resource, options: ListOptions = EVERYTHING) -> Listing:
        """The whole list, restarts hidden. For small resources and audits; streams use `list_pages`."""
        ...

    def watch(self, resource: Resource, options: WatchOptions) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """One watch request; yields the body's chunks as they arrive, cut anywhere.

        Entering raises `Expired` on 410, `TooManyRequests` on 429, `ApiError` on another error status,
        `TransportError` without an answer. Iterating ends when the server ends the watch and raises `MaybeSent` when
        the connection breaks or stays silent for `idle_timeout`. `stream.ResourceStream` makes events of it.
        """
        ...

    async def get(self, resource: Resource, key: Key, call: CallOptions = CALL) -> bytes | None:
        """One object, None when there is none. Raises `ApiError` for other refusals, `TransportError`."""
        ...

    async def get_as(self, cls: type[T], resource: Resource, key: Key, call: CallOptions = CALL) -> T | None:
        """As `get`, decoded to `cls`; raises `DecodeError` when the object does not fit."""
        ...

    async def create(self, resource: Resource, namespace: str, body: Body, call: CallOptions = CALL) -> WriteResult:
        """POST an object. 409 `AlreadyExists` comes back as `Refused`."""
        ...

    async def update(self, resource: Resource, key: Key, body: Body, call: CallOptions = CALL) -> WriteResult:
        """PUT an object. With `metadata.resourceVersion` in the body, a change in between is `Refused` 409
        `Conflict`.
        """
        ...

    async def patch(self, resource: Resource, key: Key, patch: Patch, call: CallOptions = CALL) -> WriteResult:
        """PATCH an object: merge, strategic merge, JSON patch or server-side apply."""
        ...

    async def patch_status(self, resource: Resource, key: Key, patch: Patch, call: CallOptions = CALL) -> WriteResult:
        """PATCH the status subresource."""
        ...

    async def delete(
        self, resource: Resource, key: Key, options: DeleteOptions, call: CallOptions = CALL
    ) -> WriteResult:
        """DELETE an object. A UID that no longer matches is `Refused` 409; an object already gone `Refused` 404."""
        ...

    async def bind(self, binding: BindRequest, call: CallOptions = CALL) -> BindResult:
        """POST a Binding for one pod, once; `call.headers` may carry `traceparent`.

        `Unknown` and `Failed.may_have_happened` mean: read the pod before undoing anything. Never raises for an
        answer of the server or a lost connection.
        """
        ...

    async def evict(self, pod: Key, options: DeleteOptions, call: CallOptions = CALL) -> EvictResult:
        """POST an Eviction (policy/v1) for one pod, once. `options.uid` guards against evicting a namesake."""
        ...

    async def close(self) -> None:
        """Close the connections. Requests in flight end with `MaybeSent` or `Unknown`."""
        ...
