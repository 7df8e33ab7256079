"""The bind stage over an API server that answers as it is told, with a queue and a cache that are real."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

from builders import NodeBuilder, a_node, a_pod
from deciding import profile_with
from fakes.clock import FakeClock

from tenantry_core.bind.binder import Binder
from tenantry_core.bind.evictor import Evictor
from tenantry_core.bind.job import BindJob, BindPorts, BindSettings
from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.errors import TenantryError
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.profile import Profile
from tenantry_core.kube.resources import Resource
from tenantry_core.kube.values import CALL, BindRequest, BindResult, Bound, CallOptions, DeleteOptions, Key, Written
from tenantry_core.model.objects import Pod
from tenantry_core.plugins.default_binder import DefaultBinder
from tenantry_core.plugins.default_preemption import Evictions
from tenantry_core.queue import QueuedPod, SchedulingQueue

NAME = "default-scheduler"
OK = Written(b"{}")


@dataclass
class Api:
    """Answers from lists; an exception in a list is raised. Without one: bound, as the pod is, written."""

    binds: deque[BindResult | Exception] = field(default_factory=deque)
    reads: deque[Pod | Exception | None] = field(default_factory=deque)
    patches: deque[Any] = field(default_factory=deque)
    deletes: deque[Any] = field(default_factory=deque)
    calls: list[str] = field(default_factory=list)
    timeouts: list[float] = field(default_factory=list)
    now: Pod | None = None
    blocked: asyncio.Event | None = None

    async def bind(self, binding: BindRequest, call: CallOptions = CALL) -> BindResult:
        self.calls.append(f"bind {binding.name} {binding.node} {binding.uid}")
        self.timeouts.append(call.timeout)
        if self.blocked is not None:
            await self.blocked.wait()
        result: BindResult = self._next(self.binds, Bound())
        return result

    async def get_as(self, cls: type[Pod], resource: Resource, key: Key, call: CallOptions = CALL) -> Pod | None:
        self.calls.append(f"read {key.name}")
        found: Pod | None = self._next(self.reads, self.now)
        return found

    async def patch_status(self, resource: Resource, key: Key, patch: Any, call: CallOptions = CALL) -> Any:
        self.calls.append(f"patch {key.name}")
        return self._next(self.patches, OK)

    async def delete(self, resource: Resource, key: Key, options: DeleteOptions, call: CallOptions = CALL) -> Any:
        self.calls.append(f"delete {key.name} {options.uid}")
        return self._next(self.deletes, OK)

    def _next(self, answers: deque[Any], default: Any) -> Any:
        answer = answers.popleft() if answers else default
        if isinstance(answer, Exception):
            raise answer
        return answer


class Reports:
    """Stands in for the reporter; writes down what would be said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def scheduled(self, pod: Pod, node: str) -> None:
        self.lines.append(f"scheduled {pod.metadata.name} {node}")

    def failed(self, pod: Pod, reason: str, message: str) -> None:
        self.lines.append(f"{reason}: {message}")

    def warn(self, pod: Pod, message: str) -> None:
        self.lines.append(f"warn: {message}")

    def nominated(self, pod: Pod, node: str) -> None:
        self.lines.append(f"nominated {pod.metadata.name} {node}".rstrip())

    def preempted(self, victim: Pod, preemptor: Pod, node: str) -> None:
        self.lines.append(f"preempted {victim.metadata.name} by {preemptor.metadata.name} on {node}")

    def forget(self, uid: str) -> None:
        return


class Stage:
    """Everything that a job needs. `try_pod` pops a pod and starts to bind it to n1."""

    def __init__(self, profile: Profile | None = None, lease: float = float("inf"), **settings: Any) -> None:
        self.profile = replace(profile or profile_with(), bind=(*(profile.bind if profile else ()), DefaultBinder()))
        self.clock = FakeClock()
        self.api = Api()
        self.reports = Reports()
        self.cache = ClusterCache()
        self.queue = SchedulingQueue({NAME: self.profile.plugins})
        self.pods: dict[str, Pod] = {}
        self.lease = lease
        ports = BindPorts(
            api=self.api,  # type: ignore[arg-type]
            cache=self.cache,
            queue=self.queue,
            clock=self.clock,
            reporter=self.reports,  # type: ignore[arg-type]
            lease_left=lambda: self.lease,
            latest=self.pods.get,
            settings=BindSettings(**settings),
        )
        self.ports = ports
        self.binder = Binder(ports, random.Random(1))
        self.evictions = Evictions()
        self.evictor = Evictor(ports, self.binder.permits, self.evictions, random.Random(1))
        self.add_node(a_node("n1"))

    def add_node(self, node: NodeBuilder) -> None:
        self.cache.upsert_node(node.build())

    def pop(self, name: str = "pod", priority: int = 0) -> QueuedPod:
        """A pod that was just popped."""
        pod = a_pod(name).asking(cpu="1").priority(priority).build()
        self.pods[pod.metadata.uid] = pod
        self.queue.add(pod, self.clock.monotonic())
        entry = self.queue.pop(self.clock.monotonic())
        assert entry is not None
        return entry

    def launch(self, entry: QueuedPod, node: str = "n1") -> BindJob:
        ctx = CycleContext(self.cache, self.cache.classes.class_of(entry.pod), entry.pod)
        row = self.cache.nodes.row_of(node)
        job = BindJob(entry, entry.pod, ctx, self.profile, node, row, self.clock.monotonic())
        self.binder.launch(job)
        return job

    async def try_pod(self, name: str = "pod") -> QueuedPod:
        entry = self.pop(name)
        self.launch(entry)
        await self.clock.settle()
        return entry

    def held(self) -> int:
        """Milli-CPU in use on n1."""
        return int(self.cache.nodes.requested[0, self.cache.nodes.row_of("n1")])

    def on(self, node: str, uid: str = "default/pod") -> Pod:
        """The pod as the server would show it, bound."""
        return a_pod().meta(uid=uid).asking(cpu="1").on(node).build()  # type: ignore[no-any-return]

    def unbound(self) -> Pod:
        """The pod as the server would show it, pending."""
        return a_pod().asking(cpu="1").build()  # type: ignore[no-any-return]


FAULT = TenantryError("no answer")
