"""Who may preempt now, and which nodes are worth a try."""

from __future__ import annotations

from preemption_world import World, names, node, pod

from tenantry_core.framework.status import Status, unresolvable, unschedulable

NEVER = {"spec": {"preemptionPolicy": "Never"}}
ENDING = "preemption: not eligible due to a terminating pod on the nominated node."
NO_HELP = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."


def test_policy_never() -> None:
    result = World(node("n1"), pod("a", 0, "4", "n1")).preempt(pod("p", 100, **NEVER))
    assert result.message == "preemption: not eligible due to preemptionPolicy=Never."
    assert not result.eligible
    assert not result.clear_own


def test_t20_waits_for_the_victims_that_end() -> None:
    world = World(node("n1"), node("n2"), pod("a", 0, "4", "n1", ending=True), pod("b", 0, "4", "n2"))
    preemptor = pod("p", 100, "4")
    world.cache.nominate(preemptor, "n1")
    result = world.preempt(preemptor)
    assert (result.message, result.eligible, result.victims) == (ENDING, False, ())


def test_t20_waits_before_the_server_marks_the_victim() -> None:
    world = World(node("n1"), pod("a", 0, "4", "n1"))
    preemptor = pod("p", 100, "4")
    world.cache.nominate(preemptor, "n1")
    assert world.preempt(preemptor, ending=frozenset({"a"})).message == ENDING


def test_a_pod_that_ends_for_another_reason_does_not_hold_back() -> None:
    world = World(node("n1"), pod("a", 0, "4", "n1", ending="other"))
    preemptor = pod("p", 100, "4")
    world.cache.nominate(preemptor, "n1")
    assert names(world.preempt(preemptor)) == ["a"]


def test_t11_a_nominated_node_that_became_useless_is_given_up() -> None:
    taint = [{"key": "gone", "effect": "NoSchedule"}]
    world = World(node("n1", taints=taint), node("n2"), pod("a", 0, "4", "n1", ending=True), pod("b", 0, "4", "n2"))
    preemptor = pod("p", 100, "4")
    world.cache.nominate(preemptor, "n1")
    result = world.preempt(preemptor)
    assert (result.nominated_node, names(result)) == ("n2", ["b"])


def test_t23_equals_are_never_preempted() -> None:
    result = World(node("n1", pods="1"), pod("a", 0, "1", "n1")).preempt(pod("daemon", 0))
    assert result.victims == ()
    assert result.message == ("preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.")


def test_a_refusal_that_nothing_cures() -> None:
    taint = [{"key": "k", "effect": "NoSchedule"}]
    result = World(node("n1", taints=taint), pod("a", 0, "4", "n1")).preempt(pod("p", 100))
    assert result.message == NO_HELP
    assert result.clear_own


def test_more_than_the_whole_node() -> None:
    assert World(node("n1"), pod("a", 0, "4", "n1")).preempt(pod("p", 100, "8")).message == NO_HELP


def test_pre_filter_refusals() -> None:
    world = World(node("n1"), pod("a", 0, "4", "n1"))
    preemptor = pod("p", 100, "4")
    assert _with_refusal(world, preemptor, unschedulable("x")) == "n1"
    assert _with_refusal(world, preemptor, unresolvable("x")) is None


def _with_refusal(world: World, preemptor: object, status: Status) -> str | None:
    from tenantry_core.cycle.decision import Diagnosis
    from tenantry_core.cycle.preempt import Preemption

    rejected = Diagnosis(nodes=1, pre_filter=status)
    return Preemption(world.profile).run(world.context(preemptor), rejected).nominated_node


def test_reasons_are_counted_and_sorted_as_text() -> None:
    taint = [{"key": "k", "effect": "NoSchedule"}]
    nodes = [node(f"t{i}", taints=taint) for i in range(10)] + [node("n1"), node("n2"), node("n3")]
    placed = [pod("a", 200, "4", "n1"), pod("b", 0, "1", "n2"), pod("c", 200, "3", "n2"), pod("d", 100, "4", "n3")]
    result = World(*nodes, *placed).preempt(pod("p", 100, "2"))
    assert result.message == (
        "preemption: 0/13 nodes are available: 1 Insufficient cpu, "
        "10 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod."
    )
