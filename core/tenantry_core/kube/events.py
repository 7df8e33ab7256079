"""The event recorder: `events.k8s.io/v1`, aggregated into series, sent in the background after binds.

    first time           --> POST
    again in the window  --> count it; PATCH series at once the second time, then at most once per `series_interval`
    quiet for a window   --> the series is over; the next time is a new event

Events may be lost: the queue is bounded and what does not fit is counted. Nothing may ever wait for an event.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from tenantry_core.clock import Clock
from tenantry_core.kube.event_body import EventNote, body, event_name, namespace_of, series
from tenantry_core.kube.outbox import Gate, Outbox, OutboxCounters, OutboxSettings, Sent, always_open
from tenantry_core.kube.port import KubeApi
from tenantry_core.kube.resources import EVENTS
from tenantry_core.kube.status import ONE_ATTEMPT, verdict
from tenantry_core.kube.values import Key, Patch, PatchType, Refused


@dataclass(frozen=True, slots=True)
class EventSettings:
    """How events are gathered and sent."""

    window: float = 360.0
    """Seconds after its last occurrence in which the same note continues a series; client-go's six minutes."""
    series_interval: float = 30.0
    """Seconds between two patches of one series."""
    remembered: int = 8192
    """Series kept in memory; the least recently seen goes first."""
    outbox: OutboxSettings = field(
        default_factory=lambda: OutboxSettings(capacity=4096, workers=4, longest_yield=30.0, attempts=12)
    )
    """Queue and workers. 4096 waiting events are two seconds' worth at the rate that an API server takes."""


@dataclass(slots=True, eq=False)
class _Series:
    name: str
    first: float
    last: float
    seen_at: float
    count: int = 1
    posted: bool = False
    told: int = 0
    told_at: float = float("-inf")


class EventRecorder:
    """Records events of one process. `instance` names it in `reportingInstance`."""

    def __init__(
        self,
        api: KubeApi,
        instance: str,
        clock: Clock,
        settings: EventSettings | None = None,
        gate: Gate = always_open,
    ) -> None:
        self._api = api
        self._instance = instance
        self._clock = clock
        self._settings = settings or EventSettings()
        self._outbox: Outbox[EventNote, _Series] = Outbox(self._send, clock, self._settings.outbox, gate)
        self._series: OrderedDict[EventNote, _Series] = OrderedDict()
        self._number = 0
        self._sweeper: asyncio.Task[None] | None = None

    @property
    def counters(self) -> OutboxCounters:
        """Sent, dropped (queue full, or tried too often), refused, retried."""
        return self._outbox.counters

    def __len__(self) -> int:
        """Events that wait or are in flight."""
        return len(self._outbox)

    def start(self) -> None:
        """Start the workers in the running loop."""
        self._outbox.start()
        self._sweeper = asyncio.create_task(self._sweep())

    def record(self, note: EventNote) -> None:
        """Note that this happened now. Returns at once and never raises."""
        now, wall = self._clock.monotonic(), self._clock.now()
        known = self._series.get(note)
        if known is not None and now - known.seen_at <= self._settings.window:
            self._series.move_to_end(note)
            known.count += 1
            known.last, known.seen_at = wall, now
            if known.count == 2 or now - known.told_at >= self._settings.series_interval:
                self._outbox.put(note, known)
            return
        # Nanoseconds keep names apart between processes, the counter inside one whose clock stands still.
        self._number = max(self._number + 1, int(wall * 1e9))
        fresh = _Series(event_name(note.regarding, self._number), wall, wall, now)
        if self._outbox.put(note, fresh):
            self._series[note] = fresh
            self._series.move_to_end(note)
            while len(self._series) > self._settings.remembered:
                self._series.popitem(last=False)

    async def close(self, deadline: float) -> int:
        """Send what waits, last counts of series included, for at most `deadline` seconds; returns what was left."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.gather(self._sweeper, return_exceptions=True)
        for note, known in self._series.items():
            if known.posted and known.count > known.told:
                self._outbox.put(note, known)
        return await self._outbox.close(deadline)

    async def _sweep(self) -> None:
        """Send the counts that came between two patches; forget series that are over."""
        while True:
            await self._clock.sleep(self._settings.series_interval)
            now = self._clock.monotonic()
            for note, known in list(self._series.items()):
                if known.posted and known.count > known.told:
                    self._outbox.put(note, known)
                elif now - known.seen_at > self._settings.window:
                    del self._series[note]

    async def _send(self, note: EventNote, known: _Series) -> Sent:
        count, last = known.count, known.last
        if known.posted:
            if count == known.told:
                return Sent.DONE
            patch = Patch(PatchType.MERGE, {"series": series(count, last)})
            result = await self._api.patch(EVENTS, Key(namespace_of(note), known.name), patch, ONE_ATTEMPT)
            if isinstance(result, Refused) and result.status == 404:
                # The server forgets events after an hour; the series goes on in a new one.
                self._number += 1
                known.posted, known.name = False, event_name(note.regarding, self._number)
                return Sent.AGAIN
        else:
            event = body(note, known.name, self._instance, (known.first, last, count))
            result = await self._api.create(EVENTS, namespace_of(note), event, ONE_ATTEMPT)
            if isinstance(result, Refused) and result.reason == "AlreadyExists":
                # An earlier attempt was stored though its answer was lost.
                known.posted, known.told = True, 1
                return Sent.AGAIN if count > 1 else Sent.DONE
        sent = verdict(result)
        if isinstance(result, Refused) and result.status == 403:
            sent = Sent.REFUSED
        if sent is Sent.DONE:
            known.posted, known.told, known.told_at = True, count, self._clock.monotonic()
        return sent
