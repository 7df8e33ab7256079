"""Pods, plugins and a recorder for the tests of the queue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from tenantry_core.framework.status import SUCCESS, Status, unresolvable
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import (
    Container,
    Node,
    ObjectMeta,
    Pod,
    PodSpec,
    ResourceRequirements,
    SchedulingGate,
)
from tenantry_core.queue import QueuedPod, QueueSettings, SchedulingQueue
from tenantry_telemetry.api import NoopRecorder

PROFILE = "default-scheduler"
NODE_ADD = ClusterEvent(Resource.NODE, Action.ADD, None, Node(ObjectMeta("n1")))
NODE_TAINT = ClusterEvent(Resource.NODE, Action.UPDATE_TAINT)
POD_GONE = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)
FORCE = ClusterEvent(Resource.WILDCARD, Action.ALL)


def pod(
    name: str = "p",
    namespace: str = "default",
    uid: str = "",
    labels: dict[str, str] | None = None,
    cpu: str = "1",
    gates: Sequence[str] = (),
    version: str = "",
    **spec: Any,
) -> Pod:
    """A pod whose UID is its name unless given."""
    return Pod(
        ObjectMeta(name, namespace, uid or name, version, labels=labels),
        PodSpec(
            containers=(Container("c", resources=ResourceRequirements(requests={"cpu": cpu})),),
            scheduling_gates=tuple(SchedulingGate(g) for g in gates),
            **spec,
        ),
    )


class Named:
    """A plugin with a name only: any event may help it."""

    def __init__(self, name: str) -> None:
        self.name = name


class Listening(Named):
    """A plugin that names its events."""

    def __init__(self, name: str, *patterns: tuple[Resource, Action]) -> None:
        super().__init__(name)
        self._patterns = [EventPattern(*p) for p in patterns]

    def events(self) -> Sequence[EventPattern]:
        return self._patterns


class Hinting(Listening):
    """A plugin that names its events and looks closer; counts how often it was asked."""

    def __init__(
        self, name: str, answer: Callable[[Pod, ClusterEvent], bool], *patterns: tuple[Resource, Action]
    ) -> None:
        super().__init__(name, *patterns)
        self._answer = answer
        self.asked = 0

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        self.asked += 1
        return self._answer(pod, event)


class GatePlugin(Listening):
    """Holds pods that have scheduling gates; listens to the pod's own update only."""

    def __init__(self) -> None:
        super().__init__("SchedulingGates", (Resource.UNSCHEDULED_POD, Action.GATES_ELIMINATED))

    def pre_enqueue(self, pod: Pod) -> Status:
        return unresolvable("gated") if pod.spec.scheduling_gates else SUCCESS


class Door(Listening):
    """A gate that opens and shuts by hand; listens to added nodes."""

    def __init__(self, name: str = "Door", is_open: bool = False) -> None:
        super().__init__(name, (Resource.NODE, Action.ADD))
        self.is_open = is_open
        self.raises = False

    def pre_enqueue(self, pod: Pod) -> Status:
        if self.raises:
            raise RuntimeError("the door is broken")
        return SUCCESS if self.is_open else unresolvable("shut")


class Tape(NoopRecorder):
    """Keeps what the queue said."""

    def __init__(self) -> None:
        self.gauges: dict[str, int] = {}
        self.moves: dict[tuple[str, str], int] = defaultdict(int)
        self.held: dict[str, int] = defaultdict(int)
        self.kept: dict[str, int] = {}
        self.hints: list[tuple[str, str, str]] = []

    def pending(self, queue: str, count: int) -> None:
        self.gauges[queue] = count

    def queue_incoming(self, queue: str, event: str, count: int = 1) -> None:
        self.moves[queue, event] += count

    def unschedulable_by_plugin(self, plugin: str, profile: str, delta: int) -> None:
        self.held[plugin] += delta

    def inflight_events(self, event: str, count: int) -> None:
        self.kept[event] = count

    def hint(self, plugin: str, event: str, hint: str, seconds: float) -> None:
        self.hints.append((plugin, event, hint))


FIT = Listening(
    "NodeResourcesFit",
    (Resource.NODE, Action.ADD | Action.UPDATE_ALLOCATABLE),
    (Resource.ASSIGNED_POD, Action.DELETE),
    (Resource.UNSCHEDULED_POD, Action.SCALE_DOWN),
)
TAINTS = Listening(
    "TaintToleration",
    (Resource.NODE, Action.ADD | Action.UPDATE_TAINT),
    (Resource.UNSCHEDULED_POD, Action.UPDATE_OTHER),
)


def queue_with(
    *plugins: object, recorder: NoopRecorder | None = None, settings: QueueSettings | None = None
) -> SchedulingQueue:
    """A queue of one profile with these plugins, or with the gate, fit and taint plugins of this module."""
    return SchedulingQueue({PROFILE: plugins or (GatePlugin(), FIT, TAINTS)}, settings, recorder or NoopRecorder())


def popped(queue: SchedulingQueue, now: float = 0.0) -> QueuedPod:
    """The next pod; there must be one."""
    qp = queue.pop(now)
    assert qp is not None
    return qp


def parked(queue: SchedulingQueue, the_pod: Pod, *plugins: str, now: float = 0.0) -> QueuedPod:
    """Add a pod to a queue without active pods, and let `plugins` reject it."""
    queue.add(the_pod, now)
    qp = popped(queue, now)
    assert qp.uid == the_pod.metadata.uid
    queue.unschedulable(qp, plugins, now)
    return qp


def names(pods: Sequence[QueuedPod]) -> list[str]:
    return [qp.pod.metadata.name for qp in pods]
