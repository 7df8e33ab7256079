"""From a pending pod to a bound one, or to a reason."""

from __future__ import annotations

from rig import Rig

from tenantry.wiring import Scheduler


async def test_every_pod_that_fits_is_bound(rig: Rig) -> None:
    for i in range(3):
        await rig.node(f"n{i}", cpu="4")
    scheduler = await rig.start()
    names = [f"p{i}" for i in range(12)]
    await rig.pods(*names)
    nodes = await rig.bound(*names)
    assert len(set(nodes.values())) == 3
    await rig.invariants(scheduler)


async def test_backlog_is_placed_in_order_of_priority(rig: Rig) -> None:
    await rig.node("n0", cpu="1")
    await rig.pod("low")
    await rig.pod("high", priorityClassName=await rig.priority("high", 100))
    scheduler = await rig.start()
    await rig.bound("high")
    await rig.condition("low", "Unschedulable")
    await rig.invariants(scheduler)


async def test_pod_that_fits_nowhere_says_why_and_others_go_on_t33_t60(rig: Rig) -> None:
    await rig.node("n0", cpu="2")
    scheduler = await rig.start()
    await rig.pod("big", cpu="9")
    await rig.pods("small-0", "small-1")
    await rig.bound("small-0", "small-1")
    message = await rig.condition("big", "Unschedulable")
    assert "1 Insufficient cpu" in message
    await rig.invariants(scheduler)


async def test_waiting_pod_is_woken_by_a_new_node(rig: Rig) -> None:
    scheduler = await rig.start()
    await rig.pod("p0")
    await rig.condition("p0", "Unschedulable")
    await rig.node("n0")
    await rig.bound("p0")
    await rig.invariants(scheduler)


async def test_waiting_pod_is_woken_by_a_pod_that_ends(rig: Rig) -> None:
    await rig.node("n0", cpu="1")
    scheduler = await rig.start()
    await rig.pod("first")
    await rig.bound("first")
    await rig.pod("second")
    await rig.condition("second", "Unschedulable")
    await rig.delete("first")
    await rig.bound("second")
    await rig.invariants(scheduler)


async def test_gated_pod_waits_until_its_gate_is_lifted(rig: Rig) -> None:
    await rig.node("n0")
    scheduler = await rig.start()
    await rig.pod("gated", schedulingGates=[{"name": "example.com/wait"}])
    await rig.pod("free")
    await rig.bound("free")
    pod = await rig.get("gated")
    assert pod is not None and not pod.spec.node_name
    gates = [{"$patch": "delete", "name": "example.com/wait"}]
    await rig.patch("gated", spec={"schedulingGates": gates})
    await rig.bound("gated")
    await rig.invariants(scheduler)


async def test_terminal_pod_gives_back_its_room_t38(rig: Rig) -> None:
    await rig.node("n0", cpu="1")
    scheduler = await rig.start()
    await rig.pod("first")
    await rig.bound("first")
    await rig.pod("second")
    await rig.condition("second", "Unschedulable")
    await rig.patch_status("first", phase="Succeeded")
    await rig.bound("second")
    await rig.invariants(scheduler)


async def test_label_update_of_a_running_pod_wakes_at_once_t51(rig: Rig) -> None:
    await rig.node("n0", cpu="4")
    scheduler = await rig.start()
    await rig.pod("friend", labels={"app": "other"})
    await rig.bound("friend")
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "friend"}}}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    await rig.pod("follower", affinity=affinity)
    await rig.condition("follower", "Unschedulable")
    await rig.patch("friend", metadata={"labels": {"app": "friend"}})
    await rig.bound("follower")
    await rig.invariants(scheduler)


async def test_node_that_comes_back_still_carries_its_pods_t41(rig: Rig) -> None:
    full = await rig.node("n0", cpu="1")
    scheduler = await rig.start()
    await rig.pod("first")
    await rig.bound("first")
    await rig.remove_node(full)
    await rig.until(lambda: _gone(scheduler, full), "node gone")
    await rig.node("n0", cpu="1")
    await rig.pod("second")
    await rig.condition("second", "Unschedulable")
    await rig.invariants(scheduler)


async def _gone(scheduler: Scheduler, full: str) -> bool:
    return scheduler.cache.nodes.row_of(full) < 0


async def test_events_tell_what_happened(rig: Rig) -> None:
    full = await rig.node("n0", cpu="1")
    await rig.start()
    await rig.pod("first")
    await rig.bound("first")
    await rig.pod("second")
    await rig.condition("second", "Unschedulable")

    async def notes() -> dict[str, str]:
        found = await rig.event_notes()
        return found if {"Scheduled", "FailedScheduling"} <= found.keys() else {}

    found = await rig.until(notes, "events")
    assert found["Scheduled"] == f"Successfully assigned {rig.namespace}/first to {full}"
    assert "Insufficient cpu" in found["FailedScheduling"]


async def test_pods_of_other_schedulers_are_left_alone(rig: Rig) -> None:
    await rig.node("n0")
    await rig.start()
    await rig.pod("theirs", schedulerName="other-scheduler")
    await rig.pod("ours")
    await rig.bound("ours")
    pod = await rig.get("theirs")
    assert pod is not None and not pod.spec.node_name
