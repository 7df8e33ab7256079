"""The lowest priority per row follows every change."""

from __future__ import annotations

from preemption_world import World, node, pod

from tenantry_core.cycle.preempt_floor import PriorityFloor


def test_preemption_floor_follows_changes() -> None:
    world, floor = World(node("n1"), node("n2")), PriorityFloor()

    def below(priority: int) -> list[bool]:
        return floor.below(world.cache, priority).tolist()

    assert below(100) == [False, False]
    world.cache.upsert_pod(pod("a", 5, "1", "n2"))
    assert below(100) == [False, True]
    assert below(5) == [False, False]
    world.cache.upsert_node(node("n3"))
    world.cache.upsert_pod(pod("b", 1, "1", "n3"))
    assert below(5) == [False, False, True]
    world.cache.remove_pod("a")
    assert below(100) == [False, False, True]


def test_preemption_floor_starts_over_with_another_cluster() -> None:
    floor = PriorityFloor()
    assert floor.below(World(node("n1"), node("n2"), pod("a", 0, "1", "n2")).cache, 9).tolist() == [False, True]
    assert floor.below(World(node("n1"), pod("a", 0, "1", "n1")).cache, 9).tolist() == [True]
