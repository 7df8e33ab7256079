"""DefaultPreemption as a plugin: holds the preemptor while its victims are being deleted, and moves its start."""

from __future__ import annotations

from preemption_world import World, names, node, pod

from tenantry_core.framework.plugin import PreEnqueuePlugin
from tenantry_core.framework.post_filter import PostFilterPlugin
from tenantry_core.framework.status import Code
from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.plugins.default_preemption import REMEMBERED, DefaultPreemption, Evictions

GONE = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)


def test_it_serves_both_points() -> None:
    plugin = DefaultPreemption()
    assert isinstance(plugin, PreEnqueuePlugin)
    assert isinstance(plugin, PostFilterPlugin)


def test_the_preemptor_is_held_until_the_calls_return() -> None:
    evictions = Evictions()
    plugin, waiting = DefaultPreemption(evictions=evictions), pod("p", 100)
    evictions.begin("p", ["a", "b"])
    assert plugin.pre_enqueue(waiting).code is Code.UNRESOLVABLE
    assert not plugin.hint(waiting, GONE)
    evictions.end("p")
    assert plugin.pre_enqueue(waiting).ok
    assert plugin.hint(waiting, GONE)


def test_t17_a_victim_that_could_not_be_deleted_does_not_hold_back() -> None:
    evictions = Evictions()
    evictions.begin("p", ["a", "b"])
    evictions.end("p", failed=["a"])
    assert "a" not in evictions
    assert "b" in evictions
    evictions.gone("b")
    assert "b" not in evictions


def test_memory_of_victims_is_bounded() -> None:
    evictions = Evictions()
    evictions.begin("p", (str(i) for i in range(REMEMBERED + 5)))
    assert "4" not in evictions
    assert "5" in evictions


def test_t20_no_second_preemption_while_the_first_is_carried_out() -> None:
    world = World(node("n1"), pod("a", 0, "4", "n1"))
    plugin, preemptor = DefaultPreemption(), pod("p", 100, "4")
    result = plugin.post_filter(world.context(preemptor), world.profile, world.diagnosis(preemptor))
    assert names(result) == ["a"]
    world.cache.nominate(preemptor, "n1")
    plugin.evictions.begin("p", [v.uid for v in result.victims])
    plugin.evictions.end("p")
    again = plugin.post_filter(world.context(preemptor), world.profile, world.diagnosis(preemptor))
    assert not again.eligible


def test_each_search_begins_one_node_further() -> None:
    world = World(node("n1"), node("n2"), pod("a", 0, "4", "n1"), pod("b", 0, "4", "n2"))
    plugin, preemptor = DefaultPreemption(), pod("p", 100, "4")
    found = [
        plugin.post_filter(world.context(preemptor), world.profile, world.diagnosis(preemptor)).nominated_node
        for _ in range(3)
    ]
    assert found == ["n1", "n2", "n1"]


def test_pods_that_others_must_not_meet_are_taken_together() -> None:
    anti = {
        "affinity": {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "kubernetes.io/hostname"}
                ]
            }
        }
    }
    placed = [pod("a", 0, "1", "n1", labels={"app": "db"}), pod("b", 0, "1", "n1"), pod("c", 0, "1", "n1")]
    world = World(node("n1"), *placed, pod("d", 0, "1", "n1", labels={"app": "db"}))
    assert names(world.preempt(pod("p", 100, "1", spec=anti))) == ["a", "d"]
