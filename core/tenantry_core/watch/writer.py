"""Brings each change into the cache first, then to the queue as an event, so that a pod it wakes finds it applied.

What becomes of a pod, by its newest version::

    terminal                      --> holds nothing, leaves the queue
    has a node                    --> cache; leaves the queue
    pending, of one of our names  --> queue, unless deletion has begun or we hold room for it already (assumed)
    pending, of another scheduler --> only its nomination is kept: its room is not ours to give away
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import msgspec

from tenantry_core.cache.cluster_cache import TERMINAL, ClusterCache
from tenantry_core.clock import Clock
from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.model.objects import Node, Pod
from tenantry_core.queue import SchedulingQueue
from tenantry_core.watch.changes import assigned_pod_changes, node_changes, other_changes, singly
from tenantry_telemetry.api import NOOP_RECORDER, SchedulerRecorder

_RESOURCES = {
    "Namespace": Resource.NAMESPACE,
    "PersistentVolume": Resource.PERSISTENT_VOLUME,
    "PersistentVolumeClaim": Resource.PERSISTENT_VOLUME_CLAIM,
    "StorageClass": Resource.STORAGE_CLASS,
    "CSINode": Resource.CSI_NODE,
    "VolumeAttachment": Resource.VOLUME_ATTACHMENT,
    "CSIDriver": Resource.CSI_DRIVER,
    "CSIStorageCapacity": Resource.CSI_STORAGE_CAPACITY,
    "Service": Resource.SERVICE,
    "ReplicationController": Resource.WORKLOAD,
    "ReplicaSet": Resource.WORKLOAD,
    "StatefulSet": Resource.WORKLOAD,
    "PodDisruptionBudget": Resource.DISRUPTION_BUDGET,
}


def _subject(kind: str, item: msgspec.Struct) -> str:
    """First part of the label that event metrics carry, as `ClusterEvent.label` builds it."""
    if isinstance(item, Pod):
        return (Resource.ASSIGNED_POD if item.spec.node_name else Resource.UNSCHEDULED_POD).value
    return Resource.NODE.value if kind == "Node" else _RESOURCES[kind].value


def _nothing() -> None:
    return


def _nobody(_: str) -> None:
    return


@dataclass(frozen=True, slots=True)
class Ours:
    """Which pending pods we are to place."""

    names: frozenset[str]
    """Scheduler names that we serve."""
    namespace: str = ""
    """The only namespace that we serve, "" for all."""

    def holds(self, pod: Pod) -> bool:
        """Whether `pod` is ours to place."""
        return pod.spec.scheduler_name in self.names and self.namespace in ("", pod.metadata.namespace)


@dataclass(frozen=True, slots=True)
class Hooks:
    """Who else wants to know."""

    changed: Callable[[], None] = _nothing
    """Called after each change; wakes the loop."""
    pod_gone: Callable[[str], None] = _nobody
    """Called with the UID of a pod that is deleted or terminal; a pod that waits in Permit is rejected."""
    other_changed: Callable[[], None] = _nothing
    """Called after a change of anything but nodes and pods; volume binding waits for it."""


class ClusterWriter:
    """Implements `feed.Sink`. `pods` has the newest version of every pod that is not terminal, by UID."""

    def __init__(
        self,
        cache: ClusterCache,
        queue: SchedulingQueue,
        ours: Ours,
        clock: Clock,
        hooks: Hooks | None = None,
        recorder: SchedulerRecorder = NOOP_RECORDER,
    ) -> None:
        self.pods: dict[str, Pod] = {}
        self._cache = cache
        self._queue = queue
        self._ours = ours
        self._clock = clock
        self._hooks = hooks or Hooks()
        self._recorder = recorder

    def put(self, kind: str, old: msgspec.Struct | None, new: msgspec.Struct) -> None:
        """See `Sink.put`."""
        began = perf_counter()
        if isinstance(new, Pod):
            self._put_pod(old if isinstance(old, Pod) else None, new)
        elif isinstance(new, Node):
            self._put_node(old if isinstance(old, Node) else None, new)
        else:
            self._put_other(kind, old, new)
            self._hooks.other_changed()
        action = "Add" if old is None else "Update"
        self._recorder.event_handling(f"{_subject(kind, new)}{action}", perf_counter() - began)
        self._hooks.changed()

    def drop(self, kind: str, old: msgspec.Struct) -> None:
        """See `Sink.drop`."""
        began = perf_counter()
        if isinstance(old, Pod):
            self._remove_pod(old)
        elif isinstance(old, Node):
            self._cache.remove_node(old.metadata.name)
            self._tell(Resource.NODE, Action.DELETE, old, None)
        else:
            self._cache.drop(kind, old)
            self._tell(_RESOURCES[kind], Action.DELETE, old, None)
            self._hooks.other_changed()
        self._recorder.event_handling(f"{_subject(kind, old)}Delete", perf_counter() - began)
        self._hooks.changed()

    # ---- nodes and the rest ----------------------------------------------------------------------------------------

    def _put_node(self, old: Node | None, new: Node) -> None:
        self._cache.upsert_node(new)
        changed = Action.ADD if old is None else node_changes(old, new)
        for action in singly(changed):
            self._tell(Resource.NODE, action, old, new)

    def _put_other(self, kind: str, old: msgspec.Struct | None, new: msgspec.Struct) -> None:
        self._cache.put(kind, new)
        changed = Action.ADD if old is None else other_changes(old, new)
        for action in singly(changed):
            self._tell(_RESOURCES[kind], action, old, new)

    # ---- pods ------------------------------------------------------------------------------------------------------

    def _put_pod(self, old: Pod | None, new: Pod) -> None:
        if new.status.phase in TERMINAL:
            self._remove_pod(old or new)
            return
        self.pods[new.metadata.uid] = new
        if new.spec.node_name:
            self._assigned(old, new)
        else:
            self._pending(old, new)

    def _assigned(self, old: Pod | None, new: Pod) -> None:
        uid = new.metadata.uid
        promised = self._cache.nominations.get(uid)
        self._cache.upsert_pod(new)
        self._cache.clear_nomination(uid)
        self._queue.delete(uid)
        if old is None or not old.spec.node_name:
            self._tell(Resource.ASSIGNED_POD, Action.ADD, old, new)
        else:
            for action in singly(assigned_pod_changes(old, new)):
                self._tell(Resource.ASSIGNED_POD, action, old, new)
        if promised is not None and promised.node != new.spec.node_name:
            self._freed(new, promised.node)

    def _pending(self, old: Pod | None, new: Pod) -> None:
        uid = new.metadata.uid
        self._follow_nomination(old, new)
        if not self._ours.holds(new):
            return
        if new.metadata.deletion_timestamp:
            self._queue.delete(uid)
        elif uid in self._queue or self._cache.placed(uid) is None:
            self._queue.update(old, new, self._clock.monotonic())

    def _follow_nomination(self, old: Pod | None, new: Pod) -> None:
        """Take over a nomination that somebody changed in the object; our own is newer than its echo."""
        before = old.status.nominated_node_name if old is not None else ""
        after = new.status.nominated_node_name
        if before == after:
            return
        uid = new.metadata.uid
        known = self._cache.nominations.get(uid)
        if after:
            if known is None or old is None or not self._ours.holds(new):
                self._cache.nominate(new, after)
        elif known is not None and known.node == before:
            self._cache.clear_nomination(uid)
            self._freed(new, before)

    def _remove_pod(self, old: Pod) -> None:
        uid = old.metadata.uid
        self.pods.pop(uid, None)
        promised = self._cache.nominations.get(uid)
        placed = self._cache.remove_pod(uid)
        self._queue.delete(uid)
        self._hooks.pod_gone(uid)
        if placed is not None:
            self._tell(Resource.ASSIGNED_POD, Action.DELETE, placed.pod, None)
        elif promised is not None:
            self._freed(old, promised.node)

    def _freed(self, pod: Pod, node: str) -> None:
        """Room promised to `pod` on `node` is free again: for those who wait that is as good as a deleted pod."""
        spec = msgspec.structs.replace(pod.spec, node_name=node)
        self._tell(Resource.ASSIGNED_POD, Action.DELETE, msgspec.structs.replace(pod, spec=spec), None)

    def _tell(self, resource: Resource, action: Action, old: msgspec.Struct | None, new: msgspec.Struct | None) -> None:
        self._queue.on_event(ClusterEvent(resource, action, old, new), self._clock.monotonic())
