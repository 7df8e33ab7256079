"""Pods of one class in a row go where they go when each is decided from nothing, and no node is ever overcommitted."""

from typing import Any

from builders import PodBuilder
from deciding import profile_with
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import GPU, World, changes, kinds, starts

from tenantry_core.cycle.decision import Placement
from tenantry_core.cycle.run import Cycle
from tenantry_core.model.quantity import amount

PROFILE = profile_with()
runs = st.lists(st.tuples(kinds, st.integers(1, 8)), min_size=2, max_size=6)


def places(world: World, wanted: list[tuple[int, int]], keep: bool) -> list[str]:
    """Nodes that the pods of each run go to, "" where none; with or without keeping evaluations."""
    cycle, found = Cycle(world.cache, PROFILE), []
    for number, kind in enumerate(kind for kind, times in wanted for _ in range(times)):
        if not keep:
            cursor = cycle._cursor
            cycle = Cycle(world.cache, PROFILE)
            cycle._cursor = cursor
        pod = world.pod(kind, 100 + number)
        built = pod.build()
        cls = world.cache.classes.class_of(built)
        decision = cycle.decide(built, cls)
        found.append(decision.node if isinstance(decision, Placement) else "")
        if isinstance(decision, Placement):
            world.cache.assume(built, cls, decision.row)
            world.hold(pod, decision.node)
            check_room(world, pod, decision.node)
    return found


def check_room(world: World, pod: PodBuilder, node: str) -> None:
    """By plain sums over plain objects: the node holds what its pods ask, and no port is taken twice."""
    there = [p for p in world.pods.values() if node in (p.body["spec"].get("nodeName"), held_on(p))]
    allocatable = world.nodes[node].body["status"]["allocatable"]
    assert len(there) <= int(allocatable["pods"])
    for resource in requests(pod):
        used = sum(requests(p).get(resource, 0) for p in there)
        assert used <= amount(resource, allocatable.get(resource, "0"))
    if "ports" in pod.body["spec"]["containers"][0]:
        addresses = [port.get("hostIP", "") for p in there for port in p.body["spec"]["containers"][0].get("ports", ())]
        assert len(addresses) == 1


def held_on(pod: PodBuilder) -> str:
    found: str = pod.body["metadata"].get("annotations", {}).get("assumed-on", "")
    return found


def requests(pod: PodBuilder) -> dict[str, int]:
    given_ = pod.body["spec"]["containers"][0].get("resources", {}).get("requests", {})
    return {name: amount(name, text) for name, text in given_.items() if name in ("cpu", "memory", GPU)}


@settings(max_examples=100)
@given(starts, st.lists(changes.filter(lambda c: c[0] != "resize"), max_size=15), runs)
def test_a_batch_equals_one_by_one_and_never_overcommits(
    start: tuple[Any, ...], before: list[tuple[Any, ...]], wanted: list[tuple[int, int]]
) -> None:
    together, apart = World(start), World(start)
    for change in before:
        together.apply(change)
        apart.apply(change)
    assert places(together, wanted, keep=True) == places(apart, wanted, keep=False)
