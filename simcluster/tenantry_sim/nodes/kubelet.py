"""The kubelet stand-in: one actor for all simulated nodes, driven by the stages of the settings."""

import heapq
from collections.abc import Sequence

from tenantry_sim.clock import Cancellable
from tenantry_sim.config import Stage
from tenantry_sim.kinds.deletion import DeleteOptions, delete
from tenantry_sim.nodes.fleet import SIMULATED
from tenantry_sim.nodes.podstatus import completed, running
from tenantry_sim.store.records import Change, Record
from tenantry_sim.world import World

_BATCH = 128
"""Pods per turn of the loop, so that requests are served in between."""
_SHORTEST = 0.005


class Kubelet:
    """Follows pods and nodes; moves pods of simulated nodes through their stages."""

    def __init__(self, world: World, stages: Sequence[Stage]) -> None:
        self.world = world
        self.stages: dict[str, list[Stage]] = {}
        for stage in stages:
            self.stages.setdefault(stage.when, []).append(stage)
        self.nodes: dict[str, str] = {}
        """Simulated node to its address."""
        self._due: list[tuple[float, int, str, str, str, Stage]] = []
        self._sequence = 0
        self._timer: Cancellable | None = None
        self._addresses = 0

    def start(self) -> None:
        """Take over the nodes and pods that exist, then follow changes."""
        for record in self.world.kind("/nodes").ordered():
            self._learn(record)
        for record in self.world.kind("/pods").ordered():
            self._plan(record)
        self.world.kind("/nodes").listeners.append(self._on_node)
        self.world.kind("/pods").listeners.append(self._on_pod)

    def stop(self) -> None:
        for key, listener in (("/nodes", self._on_node), ("/pods", self._on_pod)):
            if listener in self.world.kind(key).listeners:
                self.world.kind(key).listeners.remove(listener)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_node(self, change: Change) -> None:
        if change.type == "DELETED":
            self.nodes.pop(change.record.name, None)
        elif change.record.name not in self.nodes:
            self._learn(change.record)

    def _learn(self, record: Record) -> None:
        node = record.decode()
        if (node["metadata"].get("annotations") or {}).get(SIMULATED) == "true":
            addresses = node.get("status", {}).get("addresses") or ()
            inner = [a.get("address", "") for a in addresses if a.get("type") == "InternalIP"]
            self.nodes[record.name] = inner[0] if inner else "127.0.0.1"

    def _on_pod(self, change: Change) -> None:
        if change.type != "DELETED":
            self._plan(change.record)

    def _plan(self, record: Record) -> None:
        """Plan the stages that the pod's present state calls for. Stale plans are dropped when they come due."""
        if record.fields.get("spec.nodeName", "") not in self.nodes:
            return
        phase = record.fields.get("status.phase")
        if record.deleting:
            state = "ending"
        elif phase == "Pending":
            state = "bound"
        elif phase == "Running":
            state = "running"
        else:
            return
        for stage in self.stages.get(state, ()):
            seconds = self._seconds(record, stage)
            if seconds is not None:
                self._sequence += 1
                due = self.world.clock.now() + seconds
                item = (due, self._sequence, record.namespace, record.name, record.uid, stage)
                heapq.heappush(self._due, item)
        self._arm()

    def _seconds(self, record: Record, stage: Stage) -> float | None:
        if not stage.annotation and stage.to != "gone":
            return stage.after_seconds
        if stage.annotation and stage.annotation.encode() not in record.raw:
            return None
        pod = record.decode()
        if stage.to == "gone":
            return min(stage.after_seconds, float(pod["metadata"].get("deletionGracePeriodSeconds", 0)))
        try:
            return float((pod["metadata"].get("annotations") or {})[stage.annotation])
        except (KeyError, ValueError):
            return None

    def _arm(self) -> None:
        if self._timer is None and self._due:
            wait = max(self._due[0][0] - self.world.clock.now(), _SHORTEST)
            self._timer = self.world.clock.call_later(wait, self._turn)

    def _turn(self) -> None:
        self._timer = None
        now = self.world.clock.now()
        for _ in range(_BATCH):
            if not self._due or self._due[0][0] > now:
                break
            _, _, namespace, name, uid, stage = heapq.heappop(self._due)
            record = self.world.kind("/pods").get(namespace, name)
            if record is not None and record.uid == uid:
                self._step(record, stage)
        self._arm()

    def _step(self, record: Record, stage: Stage) -> None:
        """Carry out a stage, if the pod is still in the state that it was planned for."""
        store = self.world.kind("/pods")
        if stage.to == "gone":
            if record.deleting and record.fields.get("spec.nodeName", "") in self.nodes:
                delete(self.world, store, record, DeleteOptions(grace=0, uid=record.uid))
            return
        phase = record.fields.get("status.phase")
        if record.deleting or phase != ("Pending" if stage.when == "bound" else "Running"):
            return
        address = self.nodes.get(record.fields.get("spec.nodeName", ""))
        if address is None:
            return
        pod, now = record.decode(), self.world.stamp()
        if stage.to == "Running":
            self._addresses += 1
            number = self._addresses
            running(pod, address, f"10.{64 + number // 62500 % 64}.{number // 250 % 250}.{number % 250 + 1}", now)
        else:
            completed(pod, stage.to, now)
        self.world.store.replace(store, record, pod)
