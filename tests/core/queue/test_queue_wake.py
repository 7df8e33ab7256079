"""An event wakes exactly the pods that a rejecting plugin says it can help."""

import pytest
from queue_kit import (
    FIT,
    FORCE,
    NODE_ADD,
    NODE_TAINT,
    POD_GONE,
    TAINTS,
    Hinting,
    Listening,
    Named,
    Tape,
    parked,
    pod,
    popped,
    queue_with,
)

from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.model.objects import Pod, PodStatus
from tenantry_core.queue import Place, QueueSettings, SchedulingQueue

_SERVICE = ClusterEvent(Resource.SERVICE, Action.ADD)


@pytest.mark.parametrize(
    ("plugins", "event", "woken"),
    [
        pytest.param(["NodeResourcesFit"], NODE_ADD, True, id="named-event"),
        pytest.param(["NodeResourcesFit"], NODE_TAINT, False, id="other-action"),
        pytest.param(["NodeResourcesFit"], _SERVICE, False, id="other-resource"),
        pytest.param(["NodeResourcesFit", "TaintToleration"], NODE_TAINT, True, id="one-of-two-plugins"),
        pytest.param(["TaintToleration"], POD_GONE, False, id="only-of-a-plugin-that-did-not-reject"),
        pytest.param(["Silent"], _SERVICE, True, id="plugin-that-names-no-events"),
        pytest.param(["Removed"], _SERVICE, True, id="plugin-that-is-gone"),
        pytest.param(["Hopeless"], NODE_ADD, False, id="plugin-that-nothing-helps"),
        pytest.param(["Hopeless"], FORCE, True, id="wildcard"),
        pytest.param(
            ["NodeResourcesFit"],
            ClusterEvent(Resource.NODE, Action.UPDATE_TAINT | Action.UPDATE_ALLOCATABLE),
            True,
            id="update-with-several-parts",
        ),
        pytest.param(["NodeResourcesFit"], POD_GONE, True, id="T13-nominated-pod-deleted-seen-as-assigned-pod-delete"),
        pytest.param(
            ["Nominations"],
            ClusterEvent(Resource.UNSCHEDULED_POD, Action.DELETE, pod("nominated"), None),
            True,
            id="T13-nominated-pod-deleted",
        ),
    ],
)
def test_event_against_rejecting_plugins(plugins: list[str], event: ClusterEvent, woken: bool) -> None:
    nominations = Hinting("Nominations", lambda _pod, _event: True, (Resource.UNSCHEDULED_POD, Action.DELETE))
    queue = queue_with(FIT, TAINTS, Named("Silent"), Listening("Hopeless"), nominations)
    qp = parked(queue, pod(), *plugins)
    assert queue.on_event(event, 60.0) == int(woken)
    assert qp.place is (Place.ACTIVE if woken else Place.PARKED)
    if woken:
        assert popped(queue, 60.0) is qp


def test_only_pods_of_the_same_profile_wake() -> None:
    queue = SchedulingQueue({"default-scheduler": [FIT], "other": [Listening("NodeResourcesFit")]})
    mine = parked(queue, pod("mine"), "NodeResourcesFit")
    other = parked(queue, pod("other", scheduler_name="other"), "NodeResourcesFit")
    assert queue.on_event(NODE_ADD, 60.0) == 1
    assert (mine.place, other.place) == (Place.ACTIVE, Place.PARKED)


def _labelled(pod: Pod, event: ClusterEvent) -> bool:
    wanted = (pod.metadata.labels or {}).get("waits-for")
    new = event.new
    return isinstance(new, Pod) and wanted in (new.metadata.labels or {}).values()


def _affinity() -> Hinting:
    return Hinting("InterPodAffinity", _labelled, (Resource.ASSIGNED_POD, Action.ADD | Action.UPDATE_LABEL))


@pytest.mark.parametrize("in_flight", [False, True], ids=["T51-parked", "T51-in-flight"])
def test_match_that_appears_by_a_label_update_wakes_at_once(in_flight: bool) -> None:
    queue = queue_with(_affinity())
    event = ClusterEvent(
        Resource.ASSIGNED_POD, Action.UPDATE_LABEL, pod("running"), pod("running", labels={"app": "db"})
    )
    queue.add(pod("waiting", labels={"waits-for": "db"}), 0.0)
    qp = popped(queue)
    if in_flight:
        queue.on_event(event, 0.1)
        queue.unschedulable(qp, ["InterPodAffinity"], 0.2)
    else:
        queue.unschedulable(qp, ["InterPodAffinity"], 0.2)
        queue.on_event(event, 0.3)
    assert popped(queue, 0.4) is qp
    assert not qp.flushed


def test_hint_that_says_no_leaves_the_pod() -> None:
    tape = Tape()
    queue = queue_with(_affinity(), recorder=tape)
    qp = parked(queue, pod("waiting", labels={"waits-for": "db"}), "InterPodAffinity")
    event = ClusterEvent(Resource.ASSIGNED_POD, Action.ADD, None, pod("x", labels={"app": "web"}))
    assert queue.on_event(event, 60.0) == 0
    assert qp.place is Place.PARKED
    assert tape.hints == [("InterPodAffinity", "AssignedPodAdd", "QueueSkip")]


def test_hint_that_raises_wakes(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_pod: Pod, _event: ClusterEvent) -> bool:
        raise ValueError("no")

    tape = Tape()
    queue = queue_with(Hinting("Broken", broken, (Resource.NODE, Action.ADD)), recorder=tape)
    qp = parked(queue, pod(), "Broken")
    queue.on_event(NODE_ADD, 60.0)
    assert qp.place is Place.ACTIVE
    assert tape.hints == [("Broken", "NodeAdd", "Error")]
    assert "hint failed" in caplog.text


@pytest.mark.parametrize(
    ("order", "place"),
    [
        pytest.param(["Slow"], Place.ACTIVE, id="pending-skips-backoff"),
        pytest.param(["NodeResourcesFit", "Slow"], Place.ACTIVE, id="pending-wins-over-rejecting"),
        pytest.param(["NodeResourcesFit"], Place.BACKOFF, id="rejecting-waits"),
    ],
)
def test_pending_plugin_skips_the_backoff(order: list[str], place: Place) -> None:
    queue = queue_with(FIT, Listening("Slow", (Resource.NODE, Action.ADD)))
    queue.add(pod(), 0.0)
    qp = popped(queue)
    queue.unschedulable(qp, [p for p in order if p != "Slow"], 0.0, pending=[p for p in order if p == "Slow"])
    queue.on_event(NODE_ADD, 0.1)
    assert qp.place is place


def test_pods_of_one_class_share_a_question_but_not_with_a_nominated_pod() -> None:
    plugin = Hinting("P", lambda _pod, _event: False, (Resource.NODE, Action.ADD))
    queue = queue_with(plugin)
    alike = object()
    pods = [pod(f"p{i}") for i in range(10)]
    pods.append(Pod(pod("n").metadata, pods[0].spec, PodStatus(nominated_node_name="n1")))
    for each in pods:
        queue.add(each, 0.0)
    for qp in queue.pop_batch(0.0, 99):
        qp.cls = alike
        queue.unschedulable(qp, ["P"], 0.0)
    queue.on_event(NODE_ADD, 60.0)
    assert plugin.asked == 2


def test_pod_that_changed_while_parked_is_asked_apart_from_its_old_class() -> None:
    plugin = Hinting("P", lambda pod, _event: bool(pod.metadata.labels), (Resource.NODE, Action.ADD))
    queue = queue_with(plugin)
    for name in "ab":
        queue.add(pod(name), 0.0)
    alike = object()
    for qp in queue.pop_batch(0.0, 9):
        qp.cls = alike
        queue.unschedulable(qp, ["P"], 0.0)
    queue.update(pod("b"), pod("b", labels={"now": "good"}), 1.0)
    assert queue.on_event(NODE_ADD, 60.0) == 1
    assert popped(queue, 60.0).uid == "b"


def test_activate_needs_no_event_and_no_backoff() -> None:
    queue = queue_with(settings=QueueSettings(pop_from_backoff=False))
    waits = parked(queue, pod("parked"), "NodeResourcesFit")
    queue.add(pod("failed"), 0.0)
    failed = popped(queue)
    queue.error(failed, 0.0)
    assert queue.activate(["parked", "failed", "unknown"], 0.1) == 2
    assert {waits.place, failed.place} == {Place.ACTIVE}


def test_activate_in_flight_brings_the_pod_straight_back() -> None:
    queue = queue_with()
    queue.add(pod(), 0.0)
    qp = popped(queue)
    queue.activate([qp.uid], 0.1)
    assert queue.unschedulable(qp, ["NodeResourcesFit"], 0.2) is Place.ACTIVE


def test_new_plugins_replace_the_old() -> None:
    queue = queue_with(Listening("P"))
    qp = parked(queue, pod(), "P")
    assert queue.on_event(NODE_ADD, 60.0) == 0
    queue.use_profiles({"default-scheduler": [Listening("P", (Resource.NODE, Action.ADD))]})
    assert queue.on_event(NODE_ADD, 60.0) == 1
    assert qp.place is Place.ACTIVE
