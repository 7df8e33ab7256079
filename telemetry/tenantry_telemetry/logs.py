"""Structured logs through stdlib `logging`: one line a record, JSON or text, written by a thread of its own.

Callers use `logging.getLogger(__name__)` and pass what the line is about in `extra`. Fields with a fixed meaning:
`pod` ("namespace/name" or the name beside `namespace`), `namespace`, `attempt` (1 for the first), `reason`, `node`.
Others are free, as long as `logging` has no attribute of that name.

A log call only puts the record into a bounded queue. When the queue is full the record is dropped and counted; no
decision ever waits for a terminal, a pipe or a disk.
"""

import logging
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TextIO

from tenantry_telemetry.logformat import JsonFormatter, TextFormatter, formatted_exception
from tenantry_telemetry.logwriter import LogWriter, sink_for

LogFormat = Literal["json", "text", "auto"]

LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """How to log."""

    level: str = "info"
    """Lowest level written: debug, info, warning or error."""
    format: LogFormat = "auto"
    """"json" for machines, "text" for people, "auto": text if the stream is a terminal."""
    queue_size: int = 10_000
    """Records that may wait for the writer; some 10 MB at worst. More are dropped and counted."""


class BoundedQueueHandler(logging.Handler):
    """Puts records into a queue without ever waiting, and counts those that found no room."""

    def __init__(self, records: deque[logging.LogRecord], size: int, on_drop: Callable[[int], None] | None) -> None:
        super().__init__()
        self._records = records
        self._size = size
        self._on_drop = on_drop
        self.dropped = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Queue the record with message and traceback made to text now, while what they speak of still is as it was."""
        if len(self._records) >= self._size:
            self.count_drops(1)
            return
        try:
            self._records.append(_frozen(record) if record.args or record.exc_info else record)
        except Exception:
            # A record whose arguments do not fit its message: report it as logging does, never to the caller.
            self.handleError(record)

    def count_drops(self, count: int) -> None:
        """Add to the records lost."""
        self.dropped += count
        if self._on_drop is not None:
            self._on_drop(count)


class LogPipe:
    """A configured log: handler, queue and writer. Made by `configure`; close it last."""

    def __init__(self, settings: LogSettings, stream: TextIO, on_drop: Callable[[int], None] | None = None) -> None:
        records: deque[logging.LogRecord] = deque()
        self.handler = BoundedQueueHandler(records, settings.queue_size, on_drop)
        self._writer = LogWriter(records, _formatter(settings.format, stream), sink_for(stream), self.handler)
        self._writer.start()

    @property
    def dropped(self) -> int:
        """Records lost so far."""
        return self.handler.dropped

    def close(self, deadline: float = 2.0) -> bool:
        """Detach from logging and write what is queued; False if that is not done after `deadline` seconds."""
        root = logging.getLogger()
        if self.handler in root.handlers:
            root.removeHandler(self.handler)
        return self._writer.finish(deadline)


def configure(
    settings: LogSettings | None = None, stream: TextIO | None = None, on_drop: Callable[[int], None] | None = None
) -> LogPipe:
    """Send the root logger's records to `stream` (default: stderr), in place of what it was set to before.

    `on_drop` is told of lost records and may be called from any thread. ValueError for an unknown level or format.
    """
    chosen = settings if settings is not None else LogSettings()
    if chosen.level not in LEVELS:
        raise ValueError(f"log level {chosen.level!r} is not one of {', '.join(LEVELS)}")
    pipe = LogPipe(chosen, stream if stream is not None else sys.stderr, on_drop)
    root = logging.getLogger()
    for old in [h for h in root.handlers if isinstance(h, BoundedQueueHandler) or type(h) is logging.StreamHandler]:
        root.removeHandler(old)
    root.addHandler(pipe.handler)
    root.setLevel(chosen.level.upper())
    return pipe


def _frozen(record: logging.LogRecord) -> logging.LogRecord:
    """A copy that no longer refers to arguments and frames; the original may have other handlers."""
    frozen = logging.LogRecord.__new__(logging.LogRecord)
    vars(frozen).update(vars(record))
    frozen.msg, frozen.args = record.getMessage(), None
    if record.exc_info:
        frozen.exc_text, frozen.exc_info = formatted_exception(record.exc_info), None
    return frozen


def _formatter(format: str, stream: TextIO) -> logging.Formatter:
    if format == "auto":
        format = "text" if stream.isatty() else "json"
    if format == "json":
        return JsonFormatter()
    if format == "text":
        return TextFormatter()
    raise ValueError(f"log format {format!r} is not one of json, text, auto")
