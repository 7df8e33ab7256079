"""Watches on the process itself: pauses of the garbage collector and stalls of the event loop."""

import asyncio
import gc
import time
from collections.abc import Callable

from tenantry_telemetry.api import RuntimeRecorder


class GcWatch:
    """Reports how long each garbage collection took. Costs two clock reads per collection."""

    def __init__(self, recorder: RuntimeRecorder, now: Callable[[], float] = time.perf_counter) -> None:
        self._recorder = recorder
        self._now = now
        self._began: float | None = None

    def start(self) -> None:
        """Begin to listen; a second call changes nothing."""
        if self._on_gc not in gc.callbacks:
            gc.callbacks.append(self._on_gc)

    def stop(self) -> None:
        """Stop listening."""
        if self._on_gc in gc.callbacks:
            gc.callbacks.remove(self._on_gc)
        self._began = None

    def _on_gc(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._began = self._now()
        elif self._began is not None:
            self._recorder.gc_pause(info["generation"], self._now() - self._began)
            self._began = None


class LoopWatch:
    """Reports when the event loop runs a timer late: whatever ran before held it.

    A stall shorter than the interval is seen only if it covers the moment of a tick, so this is a sample, not a trace.
    """

    INTERVAL = 0.05
    """Seconds between ticks."""
    THRESHOLD = 0.01
    """Lateness in seconds that counts as a stall."""

    def __init__(self, recorder: RuntimeRecorder) -> None:
        self._recorder = recorder
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin ticking on the running loop; a second call changes nothing."""
        if self._handle is None:
            self._schedule(asyncio.get_running_loop())

    def stop(self) -> None:
        """Stop ticking."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _schedule(self, loop: asyncio.AbstractEventLoop) -> None:
        due = loop.time() + self.INTERVAL
        self._handle = loop.call_at(due, self._tick, loop, due)

    def _tick(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        late = loop.time() - due
        if late >= self.THRESHOLD:
            self._recorder.loop_stall(late)
        self._schedule(loop)
