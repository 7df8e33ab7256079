"""/livez notices a loop that stands still though pods are ready (T50)."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from fakes.clock import FakeClock

from tenantry.process import STANDSTILL_SECONDS, standstill


@dataclass
class Queue:
    full: bool = True

    def ready(self, now: float) -> bool:
        return self.full


@dataclass
class Loop:
    decided: int = 1
    ticked_at: float = 0.0


@dataclass
class Parts:
    loop: Loop = field(default_factory=Loop)
    queue: Queue = field(default_factory=Queue)


@pytest.mark.parametrize(
    ("parts", "idle", "dead"),
    [
        pytest.param(Parts(), STANDSTILL_SECONDS + 1, True, id="T50 stalled with pods ready"),
        pytest.param(Parts(), STANDSTILL_SECONDS - 1, False, id="T50 busy for a while"),
        pytest.param(Parts(queue=Queue(False)), 10 * STANDSTILL_SECONDS, False, id="nothing to do"),
        pytest.param(Parts(Loop(decided=0)), 10 * STANDSTILL_SECONDS, False, id="a standby"),
    ],
)
async def test_standstill(parts: Parts, idle: float, dead: bool) -> None:
    clock = FakeClock()
    parts.loop.ticked_at = clock.monotonic()
    await clock.advance(idle)
    found = standstill(parts, clock)  # type: ignore[arg-type]
    assert bool(found) is dead
    assert not dead or "though pods are ready" in str(found)
