"""One record, one line: fields, order, odd values, tracebacks."""

import json
import logging
from typing import Any

import pytest

from tenantry_telemetry.logformat import JsonFormatter, TextFormatter

AT = 1_700_000_000.25


def record(msg: str = "placed", args: tuple[object, ...] = (), **extra: Any) -> logging.LogRecord:
    made = logging.makeLogRecord({"name": "core.cycle", "levelname": "INFO", "msg": msg, "args": args, "created": AT})
    vars(made).update(extra)
    return made


def failed() -> logging.LogRecord:
    try:
        raise ValueError("no such node")
    except ValueError as fault:
        return record("broke", exc_info=(type(fault), fault, fault.__traceback__))


class Odd:
    def __str__(self) -> str:
        return "odd one"


BASE = {"ts": "2023-11-14T22:13:20.250000Z", "level": "info", "logger": "core.cycle", "msg": "placed"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(record(), BASE, id="bare"),
        pytest.param(record("%s of %d", ("one", 2)), BASE | {"msg": "one of 2"}, id="arguments"),
        pytest.param(
            record(node="n1", reason="Scheduled", attempt=3, pod="web-1", namespace="a"),
            BASE | {"namespace": "a", "pod": "web-1", "attempt": 3, "reason": "Scheduled", "node": "n1"},
            id="known-fields",
        ),
        pytest.param(record(zone="z", node=None), BASE | {"zone": "z"}, id="none-left-out"),
        pytest.param(record(level="mine", ts=0), BASE, id="own-keys-win"),
        pytest.param(record(what=Odd(), when={"a": [1]}), BASE | {"what": "odd one", "when": {"a": [1]}}, id="objects"),
        pytest.param(record("a\nb\u2028\x00"), BASE | {"msg": "a\nb\u2028\x00"}, id="line-breaks"),
        pytest.param(record("half \ud800"), BASE | {"msg": "half \ud800"}, id="broken-unicode"),
        pytest.param(record(keys={(1, 2): 3, "b": 4}), BASE | {"keys": {"(1, 2)": 3, "b": 4}}, id="odd-keys"),
    ],
)
def test_json(given: logging.LogRecord, expected: dict[str, object]) -> None:
    line = JsonFormatter().format(given)
    assert "\n" not in line
    assert json.loads(line) == expected


def test_json_field_order() -> None:
    line = JsonFormatter().format(record(zone="z", node="n", reason="r", attempt=1, pod="p", namespace="a"))
    names = ["ts", "level", "logger", "msg", "namespace", "pod", "attempt", "reason", "node", "zone"]
    assert list(json.loads(line)) == names


def test_json_exception_is_one_field() -> None:
    line = json.loads(JsonFormatter().format(failed()))
    assert line["exception"].startswith("Traceback (most recent call last):\n")
    assert line["exception"].endswith("ValueError: no such node")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(record(), "INFO    core.cycle: placed", id="bare"),
        pytest.param(
            record(pod="a/web-1", attempt=2), "INFO    core.cycle: placed  pod=a/web-1 attempt=2", id="fields"
        ),
        pytest.param(record(reason="no fit", x=""), 'INFO    core.cycle: placed  reason="no fit" x=""', id="quoted"),
    ],
)
def test_text(given: logging.LogRecord, expected: str) -> None:
    clock, _, rest = TextFormatter().format(given).partition(" ")
    assert rest == expected
    assert len(clock) == len("22:13:20.250")


def test_text_exception_follows() -> None:
    lines = TextFormatter().format(failed()).splitlines()
    assert lines[0].endswith("core.cycle: broke")
    assert lines[-1] == "ValueError: no such node"
