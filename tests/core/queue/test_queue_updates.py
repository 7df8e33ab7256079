"""An update wakes its pod if a rejecting plugin says so; differences that scheduling can't see are none."""

import msgspec
import pytest
from queue_kit import parked, pod, popped, queue_with

from tenantry_core.model.events import Action
from tenantry_core.model.objects import Pod, PodStatus, SchedulingGate, Toleration
from tenantry_core.queue import Place
from tenantry_core.queue.changes import pod_changes

_TOLERATES = (Toleration("k", "Exists"),)
_NOMINATED = msgspec.structs.replace(pod(version="2"), status=PodStatus(nominated_node_name="n1"))


@pytest.mark.parametrize(
    ("old", "new", "actions"),
    [
        pytest.param(pod(version="1"), pod(version="2"), [], id="resource-version"),
        pytest.param(pod(version="1"), _NOMINATED, [], id="status"),
        pytest.param(pod(), pod(labels={"a": "b"}), [Action.UPDATE_LABEL], id="labels"),
        pytest.param(pod(labels={}), pod(version="2"), [Action.UPDATE_OTHER], id="empty-labels-are-no-labels"),
        pytest.param(pod(cpu="2"), pod(cpu="1"), [Action.SCALE_DOWN], id="scale-down"),
        pytest.param(pod(cpu="1"), pod(cpu="2"), [Action.UPDATE_OTHER], id="scale-up"),
        pytest.param(pod(gates=["a"]), pod(), [Action.GATES_ELIMINATED], id="all-gates-gone"),
        pytest.param(pod(gates=["a", "b"]), pod(gates=["b"]), [Action.UPDATE_OTHER], id="one-gate-gone"),
        pytest.param(pod(), pod(tolerations=_TOLERATES), [Action.UPDATE_OTHER], id="tolerations"),
        pytest.param(
            pod(cpu="2"),
            pod(cpu="1", labels={"a": "b"}, tolerations=_TOLERATES),
            [Action.UPDATE_LABEL, Action.SCALE_DOWN, Action.UPDATE_OTHER],
            id="several-at-once",
        ),
    ],
)
def test_what_changed(old: Pod, new: Pod, actions: list[Action]) -> None:
    assert [event.action for event in pod_changes(old, new)] == actions


@pytest.mark.parametrize(
    ("plugin", "new", "place"),
    [
        pytest.param("NodeResourcesFit", pod(cpu="500m"), Place.ACTIVE, id="scale-down-helps-fit"),
        pytest.param("TaintToleration", pod(cpu="500m"), Place.PARKED, id="scale-down-does-not-help-taints"),
        pytest.param("TaintToleration", pod(tolerations=_TOLERATES), Place.ACTIVE, id="tolerations-help-taints"),
        pytest.param("NodeResourcesFit", pod(version="9"), Place.PARKED, id="nothing-seen"),
        pytest.param("NodeResourcesFit", _NOMINATED, Place.PARKED, id="own-status-patch"),
    ],
)
def test_update_of_a_parked_pod(plugin: str, new: Pod, place: Place) -> None:
    queue = queue_with()
    qp = parked(queue, pod(), plugin)
    assert queue.update(pod(), new, 60.0) is place
    assert qp.pod is new, "the newest version is kept in any case"


def test_update_in_flight_is_replayed_with_the_new_pod() -> None:
    queue = queue_with()
    queue.add(pod(), 0.0)
    qp = popped(queue)
    qp.cls = "class"
    before, new = qp.pod, pod(cpu="500m")
    assert queue.update(pod(), new, 0.1) is Place.IN_FLIGHT
    assert qp.pod is before, "a decision under way keeps the pod it began with"
    assert queue.unschedulable(qp, ["NodeResourcesFit"], 0.2) is Place.BACKOFF
    assert (qp.pod, qp.cls) == (new, None)


def test_status_patch_in_flight_does_not_wake() -> None:
    queue = queue_with()
    queue.add(pod(), 0.0)
    qp = popped(queue)
    qp.cls = "class"
    queue.update(None, _NOMINATED, 0.1)
    assert queue.unschedulable(qp, ["NodeResourcesFit"], 0.2) is Place.PARKED
    assert (qp.pod, qp.cls) == (_NOMINATED, "class")


def test_update_of_an_unknown_pod_adds_it() -> None:
    queue = queue_with()
    assert queue.update(pod(), pod(version="2"), 0.0) is Place.ACTIVE


def test_add_of_a_known_pod_updates_it() -> None:
    queue = queue_with()
    queue.add(pod(), 0.0)
    queue.add(pod(labels={"a": "b"}), 1.0)
    qp = popped(queue, 1.0)
    assert (qp.pod.metadata.labels, qp.timestamp) == ({"a": "b"}, 0.0)
    assert queue.pop(1.0) is None


def test_update_to_another_uid_replaces_the_pod() -> None:
    queue = queue_with()
    queue.add(pod(uid="one"), 0.0)
    queue.update(pod(uid="one"), pod(uid="two"), 1.0)
    assert popped(queue, 1.0).uid == "two"
    assert queue.pop(1.0) is None


def test_gates_can_be_met_again_only_through_the_queue() -> None:
    gated = msgspec.structs.replace(
        pod(), spec=msgspec.structs.replace(pod().spec, scheduling_gates=(SchedulingGate("a"),))
    )
    queue = queue_with()
    queue.add(gated, 0.0)
    assert queue.update(gated, pod(labels={"x": "y"}), 1.0) is Place.ACTIVE
