"""A cycle that keeps what it knows decides as one that asks every plugin about every node, each on a cache of its own.

Trying a promised row leaves marks in the change log, so the two must not share a cache.
"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spread_worlds import spread_starts
from test_incremental_equals_fresh import PROFILE, Deciding, LongWay, drop_nomination, nominate, take, told
from worlds import CHOSEN, NODES, full_starts, pod_changes

from tenantry_core.cycle.decision import Placement
from tenantry_core.cycle.run import Cycle


class Alone(Deciding):
    """A world whose cycle decides once, and says what."""

    def __init__(self, start: tuple[Any, ...], cycle: type[Cycle]) -> None:
        super().__init__(start, 256)
        self.cycle = cycle(self.cache, PROFILE)
        self.told: list[Any] = []

    def _decide(self, kind: int, taken: bool) -> None:
        self.decided += 1
        pod = self.pod(kind, 100 + self.decided)
        built = pod.build()
        cls = self.cache.classes.class_of(built)
        found = self.cycle.decide(built, cls)
        self.told.append(told(found))
        if isinstance(found, Placement) and taken:
            self.cache.assume(built, cls, found.row)
            self.hold(pod, found.node)


alike = full_starts.map(lambda start: ([start[0][0]] * NODES, start[1]))
steps = st.one_of(*[take] * 6, *[nominate] * 2, drop_nomination, pod_changes)


@pytest.mark.parametrize(
    "starts", [full_starts, alike, spread_starts], ids=["small nodes", "nodes alike", "pods to spread"]
)
@settings(max_examples=100)
@given(st.data(), st.lists(steps, min_size=20, max_size=50))
def test_the_short_way_equals_the_long_way(starts: Any, data: st.DataObject, sequence: list[tuple[Any, ...]]) -> None:
    start = data.draw(starts)
    short, long = Alone(start, Cycle), Alone(start, LongWay)
    for step in (("service", True), *sequence, *(("decide", kind, True) for kind in range(CHOSEN))):
        short.apply(step)
        long.apply(step)
    assert short.told == long.told
