"""The path from a log call to the stream: order, bounds, drops, closing in time."""

import io
import json
import logging
import os
import threading
from collections.abc import Iterator

import pytest

from tenantry_telemetry.logs import LogSettings, configure


@pytest.fixture(autouse=True)
def root_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


class Stuck(io.StringIO):
    """A stream that holds its writer until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.entered = threading.Event()
        self.free = threading.Event()

    def write(self, text: str) -> int:
        self.entered.set()
        self.free.wait(30)
        return super().write(text)


class Gone(io.StringIO):
    """A stream that nobody reads any more."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_records_arrive_in_order_with_their_fields() -> None:
    stream = io.StringIO()
    pipe = configure(LogSettings(), stream)
    for n in range(1000):
        logging.getLogger("a.b").info("try", extra={"pod": "ns/p", "attempt": n})
    logging.getLogger("a.b").debug("too fine")
    assert pipe.close(10)
    assert [(line["attempt"], line["pod"]) for line in lines(stream)] == [(n, "ns/p") for n in range(1000)]


def test_message_is_made_when_it_is_logged() -> None:
    stream = io.StringIO()
    pipe = configure(LogSettings(), stream)
    queued = ["a"]
    logging.getLogger().info("%s", queued)
    queued.append("b")
    pipe.close(10)
    assert lines(stream)[0]["msg"] == "['a']"


def test_exception_arrives_as_text() -> None:
    stream = io.StringIO()
    pipe = configure(LogSettings(), stream)
    try:
        raise RuntimeError("lost")
    except RuntimeError:
        logging.getLogger().exception("broke")
    pipe.close(10)
    assert str(lines(stream)[0]["exception"]).endswith("RuntimeError: lost")


def test_stuck_stream_costs_records_not_time() -> None:
    stream = Stuck()
    drops: list[int] = []
    pipe = configure(LogSettings(queue_size=5), stream, drops.append)
    logging.getLogger().info("first")
    assert stream.entered.wait(10)
    for _ in range(20):
        logging.getLogger().info("more")
    assert pipe.dropped == sum(drops) == 15
    assert pipe.close(0.01) is False
    stream.free.set()
    assert pipe.close(10)
    assert [line["msg"] for line in lines(stream)] == ["first", "log records were dropped"] + ["more"] * 5
    assert lines(stream)[1]["dropped"] == 15


def test_dead_stream_counts_every_record() -> None:
    pipe = configure(LogSettings(), Gone())
    for _ in range(3):
        logging.getLogger().info("lost")
    assert pipe.close(10)
    assert pipe.dropped == 3


def test_stream_with_a_descriptor() -> None:
    source, sink = os.pipe()
    with open(source, encoding="utf-8") as reader:
        with open(sink, "w", encoding="utf-8") as writer:
            pipe = configure(LogSettings(format="json"), writer)
            logging.getLogger().info("grüezi")
            assert pipe.close(10)
        assert json.loads(reader.read())["msg"] == "grüezi"


def test_configuring_again_replaces() -> None:
    first, second = io.StringIO(), io.StringIO()
    old = configure(LogSettings(), first)
    new = configure(LogSettings(format="text", level="warning"), second)
    logging.getLogger("x").info("fine")
    logging.getLogger("x").warning("look")
    assert old.close(10)
    assert new.close(10)
    assert first.getvalue() == ""
    assert second.getvalue().endswith("WARNING x: look\n")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (LogSettings(level="loud"), "'loud' is not one of debug, info"),
        (LogSettings(format="xml"), "'xml' is not one of json, text"),  # type: ignore[arg-type]
    ],
    ids=["level", "format"],
)
def test_unknown_setting_is_refused(settings: LogSettings, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        configure(settings, io.StringIO())
