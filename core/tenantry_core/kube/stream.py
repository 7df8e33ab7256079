"""List, then watch, for one resource, for ever.

    list (SYNC_START, SYNC_ITEM ..., SYNC_END) --> watch from the list's version --> events
      ^                                              |
      |  410, bad line, error without a version      |  end of watch, lost connection, silence: watch again
      +----------------------------------------------+  from the last version seen

The stream ends only when its consumer closes it. Failures in a row wait longer each time; the first good event resets
the wait. A watch that the server ends in the ordinary way is opened again at once.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace

import msgspec

from tenantry_core.clock import Clock
from tenantry_core.errors import DecodeError
from tenantry_core.kube.answers import read_status
from tenantry_core.kube.errors import ApiError, Expired, KubeError, MaybeSent
from tenantry_core.kube.limits import Backoff
from tenantry_core.kube.lines import LineSplitter, LineTooLong
from tenantry_core.kube.port import KubeApi
from tenantry_core.kube.resources import Resource
from tenantry_core.kube.values import ListOptions, WatchOptions
from tenantry_core.kube.watch_event import EventType, WatchEvent, version_of

SYNC_START = WatchEvent(EventType.SYNC_START)


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """Times of a stream."""

    shortest_watch: int = 300
    """Seconds; each watch asks for a random time between this and `longest_watch`, as client-go does, so that the
    watches of many replicas do not end together."""
    longest_watch: int = 600
    """Seconds."""
    idle_timeout: float = 150.0
    """Seconds of silence after which the connection is taken for dead. Bookmarks come about once a minute; a watch
    that is quiet without them is opened again from its last version, which costs one request."""
    backoff_base: float = 0.8
    """Seconds before the first new attempt after a failure."""
    backoff_cap: float = 30.0
    """Longest wait in seconds, as client-go's reflector has it."""
    calm: float = 60.0
    """Seconds without a failure after which the waits start small again. A good event alone does not reset them: a
    server that sends one and then breaks would be listed in a hot loop."""


@dataclass(slots=True)
class StreamCounters:
    """What happened on one stream; read by metrics and tests."""

    lists: int = 0
    """Complete lists."""
    watches: int = 0
    """Watches that were opened."""
    events: int = 0
    """Events of watches, bookmarks included."""
    expired: int = 0
    """Times that the server no longer had our version (410)."""
    bad_lines: int = 0
    """Lines that were no watch event."""
    failures: int = 0
    """Lists and watches that failed in any way."""
    last_failure: str = field(default="")
    """Text of the last failure, for logs and status pages."""


class _Line(msgspec.Struct):
    type: str
    object: msgspec.Raw


class _Relist(Exception):
    """The version we have is of no use: list again."""


SHORT_WATCH = 1.0
"""Seconds; a watch that ends sooner with nothing said counts as a failure, so that it is not opened in a hot loop."""

_LINE = msgspec.json.Decoder(_Line)
_TYPES = {kind.value: kind for kind in (EventType.ADDED, EventType.MODIFIED, EventType.DELETED, EventType.BOOKMARK)}

Notice = Callable[[str, str], None]
"""Called with the resource's plural name and a sentence for the log when something failed or was repaired."""


def _voids_the_list(fault: ApiError) -> bool:
    """Whether the version we watch from means nothing to the server.

    One that answers that our version is too large has a history of its own, restored or new: waiting until its
    versions have grown past ours would leave us with objects that it never had.
    """
    if fault.status == 504 and "resource version" in fault.message.lower():
        return True
    return 400 <= fault.status < 500 and fault.status != 429


class ResourceStream:
    """The events of one resource. One consumer; `events()` once."""

    def __init__(
        self,
        api: KubeApi,
        resource: Resource,
        clock: Clock,
        rng: random.Random,
        selection: ListOptions | None = None,
        *,
        settings: StreamSettings | None = None,
        notice: Notice | None = None,
    ) -> None:
        self.resource = resource
        self.counters = StreamCounters()
        self._api = api
        self._clock = clock
        self._rng = rng
        self._selection = selection or ListOptions()
        self._settings = settings or StreamSettings()
        self._notice = notice
        self._backoff = Backoff(self._settings.backoff_base, self._settings.backoff_cap, rng)
        self._version = ""
        self._last: msgspec.Raw | None = None
        self._resync_asked = False
        self._failed_at = float("-inf")
        self._reading: asyncio.Timeout | None = None

    async def events(self) -> AsyncGenerator[WatchEvent, None]:
        """Every event, for ever. Never raises for what the server does; closing the iterator closes the connection."""
        listed = False
        while True:
            try:
                if not listed:
                    async for event in self._list():
                        yield event
                    listed = True
                async with aclosing(self._watch()) as changes:
                    async for event in changes:
                        yield event
                listed = not self._resync_asked
            except _Relist as reason:
                listed = False
                await self._failed(str(reason), None)
            except (KubeError, DecodeError) as fault:
                self.counters.expired += isinstance(fault, Expired)
                if isinstance(fault, ApiError) and _voids_the_list(fault):
                    listed = False
                await self._failed(str(fault), fault.retry_after if isinstance(fault, ApiError) else None)

    def resync(self) -> None:
        """List again now, with a quorum read whatever the selection's version says, interrupting the watch.

        What a new leader calls before it decides: after the next SYNC_END the consumer has seen every write that was
        stored before the call.
        """
        self._resync_asked = True
        if self._reading is not None and self._reading.when() is None:
            self._reading.reschedule(asyncio.get_running_loop().time())

    # ---- list ------------------------------------------------------------------------------------------------------

    async def _list(self) -> AsyncIterator[WatchEvent]:
        selection = self._selection
        if self._resync_asked:
            selection = replace(selection, resource_version="")
            self._resync_asked = False
        version = ""
        async for page in self._api.list_pages(self.resource, selection):
            if page.index == 0:
                yield SYNC_START
            for item in page.items:
                yield WatchEvent(EventType.SYNC_ITEM, item)
            version = page.resource_version
        self.counters.lists += 1
        self._version, self._last = version, None
        yield WatchEvent(EventType.SYNC_END, list_version=version)

    # ---- watch -----------------------------------------------------------------------------------------------------

    async def _watch(self) -> AsyncGenerator[WatchEvent, None]:
        """One watch; ends when the server ends it or a resync is asked for."""
        if self._resync_asked:
            return
        self.counters.watches += 1
        opened, before = self._clock.monotonic(), self.counters.events
        splitter = LineSplitter()
        async with self._api.watch(self.resource, self._options()) as chunks:
            while (chunk := await self._next(chunks)) is not None:
                try:
                    lines = splitter.feed(chunk)
                except LineTooLong as fault:
                    raise self._bad_line(fault) from fault
                for line in lines:
                    yield self._event(line)
                if self._resync_asked:
                    return
        if self._resync_asked:
            return
        if self.counters.events == before and self._clock.monotonic() - opened < SHORT_WATCH:
            raise MaybeSent("the server ended the watch at once")

    async def _next(self, chunks: AsyncIterator[bytes]) -> bytes | None:
        """The next chunk; None at the end of the body or when a resync interrupts the wait."""
        try:
            async with asyncio.timeout(None) as self._reading:
                return await anext(chunks, None)
        except TimeoutError:
            return None
        finally:
            self._reading = None

    def _event(self, line: bytes) -> WatchEvent:
        try:
            decoded = _LINE.decode(line)
        except msgspec.MsgspecError as fault:
            raise self._bad_line(fault) from fault
        kind = _TYPES.get(decoded.type)
        if kind is None:
            raise self._error(decoded)
        self.counters.events += 1
        self._last = decoded.object
        return WatchEvent(kind, decoded.object)

    def _error(self, line: _Line) -> Exception:
        """What to raise for a line that is no change."""
        if line.type != "ERROR":
            return self._bad_line(ValueError(f"unknown type {line.type!r}"))
        status = read_status(line.object)
        if status.code == 410 or status.reason in ("Expired", "Gone"):
            return Expired(410, status.reason, status.message)
        return ApiError(status.code, status.reason, status.message)

    def _bad_line(self, fault: Exception) -> _Relist:
        self.counters.bad_lines += 1
        return _Relist(f"bad watch line: {fault}")

    def _options(self) -> WatchOptions:
        """Resume from the last version seen. Raises `_Relist` when there is none that can be read."""
        if self._last is not None:
            try:
                self._version = version_of(self._last)
            except msgspec.MsgspecError as fault:
                raise self._bad_line(fault) from fault
            self._last = None
        if not self._version:
            raise _Relist("no version to watch from")
        return WatchOptions(
            self._version,
            self._selection.namespace,
            self._selection.field_selector,
            self._selection.label_selector,
            timeout_seconds=self._rng.randint(self._settings.shortest_watch, self._settings.longest_watch),
            idle_timeout=self._settings.idle_timeout,
        )

    async def _failed(self, message: str, retry_after: float | None) -> None:
        """Count, tell, and wait before the next attempt."""
        self.counters.failures += 1
        self.counters.last_failure = message
        if self._notice is not None:
            self._notice(self.resource.plural, message)
        now = self._clock.monotonic()
        if now - self._failed_at > self._settings.calm:
            self._backoff.reset()
        self._failed_at = now
        await self._clock.sleep(max(self._backoff.next(), retry_after or 0.0))
