"""Watch streams: replay of history, live changes, bookmarks, errors inside the stream."""

import asyncio
from collections.abc import AsyncIterator, Callable

from aiohttp import web

from tenantry_sim.api.call import JSON, Call, number
from tenantry_sim.api.listing import Filter, record_filter, too_large
from tenantry_sim.api.local_request import Line, LocalRequest
from tenantry_sim.api.tables import TableStyle, table_bytes
from tenantry_sim.clock import Cancellable
from tenantry_sim.kinds.events import view_raw
from tenantry_sim.status import ApiError, expired
from tenantry_sim.store.records import Change, Record, encode, with_type
from tenantry_sim.store.resource import Resource
from tenantry_sim.store.store import KindStore
from tenantry_sim.world import World

_CHUNK = 512
_DEFAULT_SECONDS = 1800
_OVERFLOW = 200_000


def _line(kind: str, body: bytes) -> bytes:
    return b'{"type":"%b","object":%b}\n' % (kind.encode(), body)


class WatchStream:
    """One open watch. The store calls `on_change`; the task in `run` writes what has gathered, many lines at once."""

    def __init__(self, world: World, call: Call, bookmark_seconds: float) -> None:
        store = world.store
        self.store = store
        self.clock = world.clock
        self.kind: KindStore = store.kind(call.resource)
        self.resource: Resource = call.resource
        self.namespace = call.namespace
        self.chosen: Filter | None = record_filter(call)
        self.table = call.as_table
        self.table_started = False
        self.bookmarks = call.query.get("allowWatchBookmarks") in ("true", "1")
        self.initial = call.query.get("sendInitialEvents") in ("true", "1")
        self.version = call.query.get("resourceVersion", "")
        self.seconds = float(number(call.query, "timeoutSeconds") or _DEFAULT_SECONDS)
        self.bookmark_seconds = bookmark_seconds
        self.pending: list[bytes] = []
        self.wake = asyncio.Event()
        self.ended = False
        self.mark: Cancellable | None = None
        self.transport: asyncio.Transport | Line | None = None
        wanted = number(call.query, "resourceVersion")
        if wanted is not None and wanted > store.revision:
            raise too_large(wanted, store.revision)

    async def run(self, request: web.BaseRequest | LocalRequest, headers: dict[str, str]) -> web.StreamResponse:
        """Stream until the time is up, the client goes or the stream is cut."""
        response = web.StreamResponse(headers={"Content-Type": JSON, **headers})
        self.transport = request.transport
        self._begin()
        end = self.clock.call_later(self.seconds, self.stop)
        if self.bookmarks:
            self.mark = self.clock.call_later(self.bookmark_seconds, self._bookmark_due)
        try:
            if isinstance(request, LocalRequest):
                await self._feed(request)
            else:
                await self._write(request, response)
        except ConnectionError:
            pass
        finally:
            self.ended = True
            self._detach()
            end.cancel()
            if self.mark is not None:
                self.mark.cancel()
        return response

    async def _pieces(self) -> AsyncIterator[bytes]:
        """What has gathered, again and again, until the stream ends."""
        while True:
            lines, self.pending = self.pending, []
            for at in range(0, len(lines), _CHUNK):
                yield b"".join(lines[at : at + _CHUNK])
            if self.pending:
                continue
            if self.ended:
                return
            await self.wake.wait()
            self.wake.clear()

    async def _write(self, request: web.BaseRequest, response: web.StreamResponse) -> None:
        response.enable_chunked_encoding()
        await response.prepare(request)
        async for piece in self._pieces():
            await response.write(piece)
        await response.write_eof()

    async def _feed(self, request: LocalRequest) -> None:
        request.head.set()
        async for piece in self._pieces():
            request.pieces.put_nowait(piece)
        request.pieces.put_nowait(None)

    def stop(self) -> None:
        """End the stream in good order after what is pending."""
        self.ended = True
        self.wake.set()

    def cut(self) -> None:
        """Break the connection in the middle of the stream."""
        self.ended = True
        self.pending.clear()
        if self.transport is not None:
            self.transport.abort()
        self.wake.set()

    def _begin(self) -> None:
        """Queue what the client has missed, then follow the store. No await in between, so nothing is lost."""
        if self.version in ("", "0") or self.initial:
            for record in self.kind.ordered(self.namespace):
                if self.chosen is None or self.chosen(record):
                    self._push("ADDED", record)
            if self.initial and self.bookmarks:
                self.pending.append(self._bookmark({"k8s.io/initial-events-end": "true"}))
        elif int(self.version) < self.kind.floor:
            why = f"too old resource version: {self.version} ({self.kind.floor})"
            self.pending.append(_line("ERROR", expired(why).body()))
            self.ended = True
            return
        else:
            for change in self.kind.since(int(self.version)):
                self.on_change(change)
        self.kind.listeners.append(self.on_change)

    def _detach(self) -> None:
        if self.on_change in self.kind.listeners:
            self.kind.listeners.remove(self.on_change)

    def on_change(self, change: Change) -> None:
        """Queue one change, as this watcher's selectors see it."""
        record = change.record
        if self.namespace and record.namespace != self.namespace:
            return
        kind = change.type
        if self.chosen is not None:
            now = kind != "DELETED" and self.chosen(record)
            before = change.previous is not None and self.chosen(change.previous)
            if not now and not before:
                return
            if now != before or kind == "DELETED":
                kind = "ADDED" if now else "DELETED"
        if kind == "DELETED" and change.type == "MODIFIED" and change.previous is not None:
            record = Record(self.kind.resource, change.previous.decode(), change.rv)
        self._push(kind, record, change)
        if not self.wake.is_set():
            self.wake.set()
        if len(self.pending) > _OVERFLOW:
            self.stop()

    def _push(self, kind: str, record: Record, change: Change | None = None) -> None:
        if self.table:
            style = TableStyle(self.clock.now(), columns=not self.table_started)
            body = table_bytes(self.resource, [record], record.rv, style)
            self.table_started = True
            self.pending.append(_line(kind, body))
            return
        key = (kind, self.resource.group)
        if change is not None and key in change.lines:
            self.pending.append(change.lines[key])
            return
        line = _line(kind, with_type(self.resource, view_raw(self.resource, record)))
        if change is not None:
            change.lines[key] = line
        self.pending.append(line)

    def _bookmark(self, annotations: dict[str, str] | None = None) -> bytes:
        metadata: dict[str, object] = {"resourceVersion": str(self.store.revision)}
        if annotations:
            metadata["annotations"] = annotations
        document = {"kind": self.resource.kind, "apiVersion": self.resource.api_version, "metadata": metadata}
        return _line("BOOKMARK", encode(document))

    def _bookmark_due(self) -> None:
        if self.ended:
            return
        self.pending.append(self._bookmark())
        self.wake.set()
        self.mark = self.clock.call_later(self.bookmark_seconds, self._bookmark_due)


class WatchHub:
    """Every open watch, so that faults and a stop can reach them."""

    def __init__(self) -> None:
        self.open: dict[WatchStream, None] = {}

    async def serve(
        self, stream: WatchStream, request: web.BaseRequest | LocalRequest, headers: dict[str, str]
    ) -> web.StreamResponse:
        self.open[stream] = None
        try:
            return await stream.run(request, headers)
        finally:
            del self.open[stream]

    def each(self, key: str = "") -> list[WatchStream]:
        """Open streams of `group/plural`, or all."""
        return [s for s in self.open if not key or s.resource.key == key]

    def do(self, key: str, action: Callable[[WatchStream], None]) -> int:
        """Apply to each stream; returns how many there were."""
        streams = self.each(key)
        for stream in streams:
            action(stream)
        return len(streams)


__all__ = ["ApiError", "WatchHub", "WatchStream"]
