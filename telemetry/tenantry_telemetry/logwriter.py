"""The thread that writes log lines. It alone touches the stream, so only it can be held up by the stream."""

import contextlib
import io
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol, TextIO

Sink = Callable[[str], None]

BATCH = 200
"""Most records joined into one write."""

INTERVAL = 0.05
"""Seconds between looks at an empty queue: cheaper for callers than waking this thread for each record."""


class DropCounter(Protocol):
    """Where lost records are counted."""

    dropped: int

    def count_drops(self, count: int) -> None:
        """Add to the records lost."""


def sink_for(stream: TextIO) -> Sink:
    """A function that writes text to `stream`.

    A stream with a file descriptor is written past its buffer: a thread that hangs inside the buffer's lock would make
    the interpreter abort when it exits.
    """
    try:
        descriptor = stream.fileno()
    except (OSError, io.UnsupportedOperation, AttributeError):
        return lambda text: _write_stream(stream, text)
    with contextlib.suppress(OSError, ValueError):
        stream.flush()
    return lambda text: _write_descriptor(descriptor, text.encode("utf-8", "backslashreplace"))


def _write_stream(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()


def _write_descriptor(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            time.sleep(0.005)


class LogWriter(threading.Thread):
    """Takes records from the queue and writes them, many at a time. Says so in the log when records were lost."""

    def __init__(
        self, records: deque[logging.LogRecord], formatter: logging.Formatter, sink: Sink, drops: DropCounter
    ) -> None:
        super().__init__(name="log-writer", daemon=True)
        self._records = records
        self._formatter = formatter
        self._sink = sink
        self._drops = drops
        self._reported = 0
        self._closing = threading.Event()

    def finish(self, deadline: float) -> bool:
        """Write what is queued, then end; wait for that at most `deadline` seconds. False if records are left."""
        self._closing.set()
        self.join(deadline)
        return not self.is_alive()

    def run(self) -> None:
        """Until told to finish and the queue is empty."""
        while True:
            closing = self._closing.is_set()
            while batch := self._take():
                self._write(batch)
            if closing:
                return
            self._closing.wait(INTERVAL)

    def _take(self) -> list[logging.LogRecord]:
        batch: list[logging.LogRecord] = []
        with contextlib.suppress(IndexError):
            while len(batch) < BATCH:
                batch.append(self._records.popleft())
        return batch

    def _write(self, batch: list[logging.LogRecord]) -> None:
        lines = []
        for record in batch:
            try:
                lines.append(self._formatter.format(record) + "\n")
            except Exception:
                # One record that cannot be put into words must not take the others with it.
                self._drops.count_drops(1)
        try:
            self._sink("".join([*self._loss(), *lines]))
        except Exception:
            # The stream is gone (closed pipe, full disk). There is nowhere to say so but the counter.
            self._drops.count_drops(len(lines))

    def _loss(self) -> list[str]:
        lost = self._drops.dropped - self._reported
        if not lost:
            return []
        self._reported += lost
        record = logging.makeLogRecord(
            {"name": __name__, "levelname": "WARNING", "msg": "log records were dropped", "dropped": lost}
        )
        return [self._formatter.format(record) + "\n"]
