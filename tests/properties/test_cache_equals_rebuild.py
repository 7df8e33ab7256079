"""Whatever happened, the cache shows what one built from the present state shows."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import World, changes, shown, starts


@pytest.mark.slow
@settings(max_examples=150)
@given(starts, st.lists(changes, min_size=15, max_size=40))
def test_cache_equals_rebuild_from_scratch(start: tuple[Any, ...], sequence: list[tuple[Any, ...]]) -> None:
    world = World(start)
    for change in sequence:
        world.apply(change)
    assert shown(world.cache) == shown(world.rebuilt())


@settings(max_examples=60)
@given(starts, st.lists(changes, min_size=10, max_size=25))
def test_accounting_never_goes_negative_and_ends_at_zero(
    start: tuple[Any, ...], sequence: list[tuple[Any, ...]]
) -> None:
    world = World(start)
    for change in sequence:
        world.apply(change)
        nodes = world.cache.nodes
        assert nodes.requested.min() >= 0
        assert nodes.nonzero.min() >= 0
        assert nodes.pod_count.min() >= 0
    for uid in list(world.pods):
        world.cache.remove_pod(uid)
        world.cache.remove_pod(uid)
    assert not world.cache.nodes.requested.any()
    assert not world.cache.nodes.nonzero.any()
    assert not world.cache.nodes.pod_count.any()
    assert world.cache.sizes()["pods"] == 0
