"""Field declarations that carry their own range, so that one check serves every setting."""

from __future__ import annotations

from dataclasses import field
from typing import Any, NewType

Duration = NewType("Duration", float)
"""Seconds. In a file it is written as Kubernetes writes durations: `15s`, `1m30s`, `500ms`."""


def within(default: Any, low: float, high: float | None = None) -> Any:
    """A dataclass field with a default and an inclusive range; `high` None means no upper bound."""
    return field(default=default, metadata={"low": low, "high": high})


def choice(default: str, *supported: str) -> Any:
    """A dataclass field that takes one of a closed list of words."""
    return field(default=default, metadata={"supported": supported})
