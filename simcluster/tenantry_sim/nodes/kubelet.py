"""The kubelet stand-in: one actor for all simulated nodes, driven by the stages of the settings."""

import heapq
import re
from collections.abc import Sequence
from typing import NamedTuple

from tenantry_sim.clock import Cancellable
from tenantry_sim.kinds.deletion import DeleteOptions, delete
from tenantry_sim.nodes import podstatus, resize
from tenantry_sim.nodes.fleet import LOST, SIMULATED, report_ready
from tenantry_sim.stages.model import Stage
from tenantry_sim.store.records import Change, Object, Record
from tenantry_sim.world import World

_BATCH = 128
"""Pods per turn of the loop, so that requests are served in between."""
_SHORTEST = 0.005
_DEFERRED_SECONDS = 5.0
"""A resize for which there is no room is tried again after this."""
_GENERATION = re.compile(rb'"generation":(\d+)')
_READY = b'"type":"Ready"'
_LOOK = frozenset({"ready", "unready", "crashed"})
"""States that only the decoded pod tells."""


class _Due(NamedTuple):
    """A planned step. `epoch` is the pod's own count of such states: a plan for an earlier one is void."""

    at: float
    sequence: int
    namespace: str
    name: str
    uid: str
    stage: Stage
    epoch: int


class Kubelet:
    """Follows pods and nodes; moves pods of simulated nodes through their stages."""

    def __init__(self, world: World, stages: Sequence[Stage]) -> None:
        self.world = world
        self.stages: dict[str, list[Stage]] = {}
        for stage in stages:
            self.stages.setdefault(stage.when, []).append(stage)
        self._needles = {name: name.encode() for s in stages for name in (s.annotation, *s.has, *s.unless) if name}
        self._looked = [s for s in stages if s.when in _LOOK and s.when != "crashed"]
        self.nodes: dict[str, str] = {}
        """Simulated node that reports, to its address."""
        self._epochs: dict[str, int] = {}
        self._due: list[_Due] = []
        self._sequence = 0
        self._timer: Cancellable | None = None
        self._armed = 0.0
        self._addresses = 0

    def start(self) -> None:
        """Take over the nodes and pods that exist, then follow changes."""
        for record in self.world.kind("/nodes").ordered():
            self._learn(record)
        for record in self.world.kind("/pods").ordered():
            self._plan(record, None)
        self.world.kind("/nodes").listeners.append(self._on_node)
        self.world.kind("/pods").listeners.append(self._on_pod)

    def stop(self) -> None:
        for key, listener in (("/nodes", self._on_node), ("/pods", self._on_pod)):
            if listener in self.world.kind(key).listeners:
                self.world.kind(key).listeners.remove(listener)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # ---- what changes --------------------------------------------------------------------------------------------

    def _on_node(self, change: Change) -> None:
        name = change.record.name
        if change.type == "DELETED":
            self.nodes.pop(name, None)
        elif name not in self.nodes:
            self._learn(change.record)
            back = change.type == "MODIFIED" or _READY not in change.record.raw
            if name in self.nodes and back:
                self.world.clock.call_later(0.0, lambda: self._return(name))
        elif LOST.encode() in change.record.raw:
            del self.nodes[name]
            self._learn(change.record)

    def _learn(self, record: Record) -> None:
        node = record.decode()
        notes = node["metadata"].get("annotations") or {}
        if notes.get(SIMULATED) == "true" and notes.get(LOST) != "true":
            addresses = node.get("status", {}).get("addresses") or ()
            inner = [a.get("address", "") for a in addresses if a.get("type") == "InternalIP"]
            self.nodes[record.name] = inner[0] if inner else "127.0.0.1"

    def _return(self, name: str) -> None:
        """A node that is new or was cut off reports and takes up its pods."""
        record = self.world.find("/nodes", name)
        if record is None or name not in self.nodes:
            return
        report_ready(self.world, record)
        for pod in self.world.kind("/pods").ordered():
            if pod.fields.get("spec.nodeName") == name:
                self._plan(pod, None)

    def _on_pod(self, change: Change) -> None:
        if change.type != "DELETED":
            self._plan(change.record, change.previous)
        else:
            self._epochs.pop(change.record.uid, None)

    # ---- planning ------------------------------------------------------------------------------------------------

    def _plan(self, record: Record, previous: Record | None) -> None:
        """Plan the stages that the pod's present state calls for. Stale plans are dropped when they come due."""
        if record.fields.get("spec.nodeName", "") not in self.nodes:
            return
        state = _state(record)
        fresh = previous is None or state == "ending" or _state(previous) != state
        for stage in self.stages.get(state, ()) if state else ():
            new = fresh or (previous is not None and self._held_back(previous, stage))
            if new and self._holds(record, stage):
                self._push(record, stage, self._wait(record, stage), 0)
        if state == "running":
            self._plan_running(record, previous, fresh)
        self._arm()

    def _held_back(self, previous: Record, stage: Stage) -> bool:
        """Whether the stage's own annotation was not there before."""
        return bool(stage.annotation) and self._needles[stage.annotation] not in previous.raw

    def _plan_running(self, record: Record, previous: Record | None, fresh: bool) -> None:
        if not fresh and previous is not None and _generation(record) != _generation(previous):
            self._push_all("changed", record, 0)
        if b'"PodResizeInProgress"' in record.raw and (
            previous is None or b'"PodResizeInProgress"' not in previous.raw
        ):
            self._push_all("resizing", record, 0)
        if b'"CrashLoopBackOff"' not in record.raw and not any(self._holds(record, s) for s in self._looked):
            return
        now = _look(record.decode())
        if not fresh and previous is not None and _look(previous.decode()) == now:
            return
        epoch = self._epochs[record.uid] = self._epochs.get(record.uid, 0) + 1
        self._push_all(now, record, epoch)

    def _push_all(self, state: str, record: Record, epoch: int) -> None:
        for stage in self.stages.get(state, ()):
            if self._holds(record, stage):
                self._push(record, stage, self._wait(record, stage), epoch)

    def _push(self, record: Record, stage: Stage, seconds: float | None, epoch: int) -> None:
        if seconds is not None:
            self._sequence += 1
            due = self.world.clock.now() + seconds
            heapq.heappush(
                self._due, _Due(due, self._sequence, record.namespace, record.name, record.uid, stage, epoch)
            )

    def _holds(self, record: Record, stage: Stage) -> bool:
        """Selectors, on the bytes: names of annotations are long enough to stand for themselves."""
        raw, needles = record.raw, self._needles
        if stage.annotation and needles[stage.annotation] not in raw:
            return False
        if stage.unless and any(needles[name] in raw for name in stage.unless):
            return False
        if stage.has and not all(needles[name] in raw for name in stage.has):
            return False
        return not stage.labels or all(record.labels.get(key) == value for key, value in stage.labels.items())

    def _wait(self, record: Record, stage: Stage) -> float | None:
        """Seconds until the step; None when the stage does not hold after all."""
        more = self.world.chance.random() * stage.jitter_seconds if stage.jitter_seconds else 0.0
        if not (stage.annotation or stage.doubles_to or stage.times) and stage.to != "gone":
            return stage.after_seconds + more
        pod = record.decode()
        count = podstatus.restarts(pod)
        if stage.times and count >= stage.times:
            return None
        if stage.to == "gone":
            return min(stage.after_seconds, float(pod["metadata"].get("deletionGracePeriodSeconds", 0)))
        if stage.doubles_to:
            return _doubled(stage, count) + more
        if not stage.annotation:
            return stage.after_seconds + more
        try:
            return float((pod["metadata"].get("annotations") or {})[stage.annotation]) + more
        except (KeyError, ValueError):
            return None

    # ---- carrying out --------------------------------------------------------------------------------------------

    def _arm(self) -> None:
        if not self._due or (self._timer is not None and self._armed <= self._due[0].at):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._armed = self._due[0].at
        wait = max(self._armed - self.world.clock.now(), _SHORTEST)
        self._timer = self.world.clock.call_later(wait, self._turn)

    def _turn(self) -> None:
        self._timer = None
        now = self.world.clock.now()
        for _ in range(_BATCH):
            if not self._due or self._due[0].at > now:
                break
            due = heapq.heappop(self._due)
            record = self.world.kind("/pods").get(due.namespace, due.name)
            if record is not None and record.uid == due.uid and record.fields.get("spec.nodeName", "") in self.nodes:
                if due.epoch and due.epoch != self._epochs.get(due.uid):
                    continue
                self._step(record, due.stage)
        self._arm()

    def _step(self, record: Record, stage: Stage) -> None:
        """Carry out a stage, if the pod is still in the state that it was planned for."""
        store = self.world.kind("/pods")
        state = _state(record)
        if stage.to == "gone":
            if state == "ending":
                delete(self.world, store, record, DeleteOptions(grace=0, uid=record.uid))
            return
        if state != ("bound" if stage.when == "bound" else "running"):
            return
        pod = record.decode()
        if self._act(record, stage, pod):
            self.world.store.replace(store, record, pod)

    def _act(self, record: Record, stage: Stage, pod: Object) -> bool:
        """Change the decoded pod; False when there is nothing to write."""
        now, to = self.world.stamp(), stage.to
        if to == "Running" or (to == "Unready" and stage.when == "bound"):
            podstatus.running(pod, (self.nodes[pod["spec"]["nodeName"]], self._address()), now, to == "Running")
        elif to in ("Ready", "Unready"):
            podstatus.turned(pod, to == "Ready", now)
        elif to == "Crashed":
            podstatus.crashed(pod, now, self._backoff(pod))
        elif to == "Restarted":
            podstatus.restarted(pod, now)
        elif to == "Allocated":
            return self._grant(record, stage, pod, now)
        elif to == "Resized":
            resize.settle(pod, now)
        else:
            podstatus.completed(pod, to, now)
        return True

    def _address(self) -> str:
        self._addresses += 1
        number = self._addresses
        return f"10.{64 + number // 62500 % 64}.{number // 250 % 250}.{number % 250 + 1}"

    def _backoff(self, pod: Object) -> float:
        """What the restart stage will wait, for the message."""
        count = podstatus.restarts(pod)
        return next((_doubled(s, count) for s in self.stages.get("crashed", ()) if s.doubles_to), 0.0)

    def _grant(self, record: Record, stage: Stage, pod: Object, now: str) -> bool:
        refused = resize.refusal(self.world, pod) if resize.changed_resources(pod) else None
        before = record.decode()
        if refused is None:
            resize.grant(pod, now)
        else:
            resize.pend(pod, *refused, now)
            if refused[0] == "Deferred":
                self._push(record, stage, _DEFERRED_SECONDS, 0)
        return pod != before


def _state(record: Record) -> str:
    """`ending`, `bound` or `running`; empty for pods that have ended or have no node."""
    if record.deleting:
        return "ending"
    phase = record.fields.get("status.phase")
    if phase == "Running":
        return "running"
    return "bound" if phase == "Pending" and record.fields.get("spec.nodeName") else ""


def _look(pod: Object) -> str:
    if podstatus.is_crashed(pod):
        return "crashed"
    return "ready" if podstatus.is_ready(pod) else "unready"


def _generation(record: Record) -> bytes:
    match = _GENERATION.search(record.raw)
    return match.group(1) if match else b""


def _doubled(stage: Stage, restarts: int) -> float:
    return min(stage.after_seconds * 2.0 ** min(restarts - 1, 30), stage.doubles_to) if restarts else 0.0
