"""Pauses of the collector and stalls of the loop reach the recorder."""

import asyncio
import gc
import time

from tenantry_telemetry.api import NoopRecorder
from tenantry_telemetry.runtime import GcWatch, LoopWatch


class Recorded(NoopRecorder):
    def __init__(self) -> None:
        self.pauses: list[tuple[int, float]] = []
        self.stalls: list[float] = []
        self.stalled = asyncio.Event()

    def gc_pause(self, generation: int, seconds: float) -> None:
        self.pauses.append((generation, seconds))

    def loop_stall(self, seconds: float) -> None:
        self.stalls.append(seconds)
        self.stalled.set()


def test_collection_is_timed_until_stopped() -> None:
    ticks = iter(range(0, 1000, 3))
    recorder = Recorded()
    watch = GcWatch(recorder, now=lambda: float(next(ticks)))
    gc.disable()
    try:
        watch.start()
        watch.start()
        gc.collect(1)
        gc.collect(2)
        watch.stop()
        gc.collect(2)
    finally:
        gc.enable()
    assert recorder.pauses == [(1, 3.0), (2, 3.0)]


async def test_held_loop_is_reported() -> None:
    recorder = Recorded()
    watch = LoopWatch(recorder)
    watch.start()
    until = time.monotonic() + 2 * LoopWatch.INTERVAL
    while time.monotonic() < until:
        pass  # Holds the loop past a tick, which is what is to be seen.
    async with asyncio.timeout(10):
        await recorder.stalled.wait()
    watch.stop()
    assert recorder.stalls[0] >= LoopWatch.THRESHOLD
