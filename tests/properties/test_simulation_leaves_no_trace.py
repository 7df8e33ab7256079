"""What is tried inside `simulate()` is gone afterwards, whatever was tried and however it ended."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import World, changes, kinds, numbers, shown, starts

tries = st.one_of(
    st.tuples(st.just("remove"), st.integers(0, 20)),
    st.tuples(st.just("restore"), st.integers(0, 20)),
    st.tuples(st.just("add"), kinds, numbers),
    st.tuples(st.just("nested"), kinds, numbers),
)


@pytest.mark.slow
@pytest.mark.parametrize("fails", [False, True], ids=["ends", "raises"])
@settings(max_examples=80)
@given(starts, st.lists(changes, min_size=10, max_size=25), st.lists(tries, min_size=3, max_size=12))
def test_simulate_leaves_everything_as_it_was(
    fails: bool, start: tuple[Any, ...], before: list[tuple[Any, ...]], tried: list[tuple[Any, ...]]
) -> None:
    world = World(start)
    for change in before:
        world.apply(change)
    expected = shown(world.cache)
    sizes = world.cache.sizes()
    try:
        simulate(world, tried, fails)
    except ZeroDivisionError:
        assert fails
    assert shown(world.cache) == expected == shown(world.rebuilt())
    assert world.cache.sizes() == sizes


def simulate(world: World, tried: list[tuple[Any, ...]], fails: bool) -> None:
    removed = []
    with world.cache.simulate() as simulation:
        for name, *given_ in tried:
            placed = [p for p in world.cache.placed_pods() if p.uid in world.pods]
            if name == "remove" and placed:
                removed.append(placed[given_[0] % len(placed)])
                simulation.remove(removed[-1])
            elif name == "restore" and removed:
                simulation.restore(removed.pop(given_[0] % len(removed)))
            elif name in ("add", "nested"):
                cls, row = world.cache.classes.class_of(world.pod(given_[0], 99).build()), given_[1]
                row %= world.cache.nodes.size
                if name == "add":
                    simulation.add(cls, row)
                else:
                    with world.cache.simulate() as inner:
                        inner.add(cls, row)
        if fails:
            raise ZeroDivisionError
