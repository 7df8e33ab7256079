"""Where a pod is in the queue and what it waits for: the queue's part of an explanation."""

from __future__ import annotations

from typing import NamedTuple

from tenantry_core.queue.active import Positions
from tenantry_core.queue.entry import Place


class Whereabouts(NamedTuple):
    """One pod at one moment."""

    place: Place
    attempts: int
    positions: Positions | None
    """Rank in the active queue; None elsewhere."""
    rejected_by: tuple[str, ...]
    """Plugins that rejected it in the last attempt, those it is pending on included; sorted."""
    gated_by: str
    backoff_remaining: float
    """Seconds, 0 if its backoff is over."""
    waiting: float
    """Seconds since its last entry."""
    helped_by: tuple[str, ...]
    """Labels of the events that would wake it, such as `NodeAdd`; `*` for any. Empty unless parked or gated."""
