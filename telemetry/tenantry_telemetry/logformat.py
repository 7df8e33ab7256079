"""One log record as one line: JSON for machines, columns and `key=value` for people."""

import json
import logging
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

import msgspec

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

FIELDS = ("namespace", "pod", "attempt", "reason", "node")
"""Extra fields with a fixed meaning, in the order in which they are written."""

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_encoder = msgspec.json.Encoder(enc_hook=str)


def formatted_exception(exc_info: ExcInfo) -> str:
    """A traceback as text, without a final line break."""
    return "".join(traceback.format_exception(*exc_info)).rstrip("\n")


def timestamp(seconds: float) -> str:
    """Seconds since the epoch as RFC 3339 in UTC with microseconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def extra_fields(record: logging.LogRecord) -> dict[str, Any]:
    """What the caller passed in `extra`: the known fields first, then the others; None is left out."""
    given = vars(record)
    fields = {name: given[name] for name in FIELDS if given.get(name) is not None}
    for name, value in given.items():
        if name not in _OWN and name not in fields and value is not None:
            fields[name] = value
    return fields


def exception_text(record: logging.LogRecord) -> str:
    """The record's traceback, and after it the stack if one was asked for; empty if there is neither."""
    text = record.exc_text or ""
    if not text and record.exc_info:
        text = formatted_exception(record.exc_info)
    return "\n".join(part for part in (text, record.stack_info) if part)


class JsonFormatter(logging.Formatter):
    """`{"ts": ..., "level": ..., "logger": ..., "msg": ..., extra fields ..., "exception": ...}` on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without a line break."""
        line: dict[str, Any] = {
            "ts": timestamp(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": record.getMessage(),
        }
        for name, value in extra_fields(record).items():
            line.setdefault(name, value)
        if exception := exception_text(record):
            line["exception"] = exception
        try:
            return _encoder.encode(line).decode()
        except Exception:
            # Text that is no valid Unicode, keys that are no text: the slow encoder escapes what the fast one refuses.
            return json.dumps(line, default=str, skipkeys=True)


class TextFormatter(logging.Formatter):
    """`12:30:01.250 INFO  logger: message  key=value ...`, a traceback on the lines after."""

    def format(self, record: logging.LogRecord) -> str:
        """The text, without a final line break."""
        clock = datetime.fromtimestamp(record.created).strftime("%H:%M:%S.%f")[:-3]
        text = f"{clock} {record.levelname:<7} {record.name}: {record.getMessage()}"
        if fields := extra_fields(record):
            text += "  " + " ".join(f"{name}={_plain(value)}" for name, value in fields.items())
        if exception := exception_text(record):
            text += f"\n{exception}"
        return text


def _plain(value: object) -> str:
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if not text or any(c.isspace() or c in '"=' for c in text) else text
