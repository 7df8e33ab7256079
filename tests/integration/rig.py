"""What an integration test holds: a cluster, a namespace of its own, schedulers to start, questions to ask."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import msgspec
from clusters import Target

from tenantry.wiring import Outside, Scheduler, build_scheduler
from tenantry_core.bind.job import BindSettings
from tenantry_core.config import Config, PluginRef, Plugins, PluginSet, Profile
from tenantry_core.framework.registry import Entry
from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.http import HttpTransport
from tenantry_core.kube.resources import EVENTS, NAMESPACES, NODES, PODS, PRIORITY_CLASSES
from tenantry_core.kube.stream import StreamSettings
from tenantry_core.kube.values import (
    CALL,
    BindRequest,
    BindResult,
    Bound,
    CallOptions,
    DeleteOptions,
    Key,
    ListOptions,
    Patch,
    PatchType,
    Written,
)
from tenantry_core.model.objects import Node, Pod
from tenantry_core.model.requests import amounts, effective_request
from tenantry_core.plugins.defaults import Factory
from tenantry_core.plugins.loader import Catalog

TIMEOUT = 20.0
FAST_STREAMS = StreamSettings(backoff_base=0.05, backoff_cap=0.2)
FAST_BINDS = BindSettings(retry_base=0.02, retry_cap=0.1, bind_timeout=5.0)


class CountingClient(KubeClient):
    """Remembers what was answered to each bind, by UID of the pod."""

    def __init__(self, transport: HttpTransport) -> None:
        super().__init__(transport, rng=random.Random(1))
        self.binds: defaultdict[str, list[tuple[str, BindResult]]] = defaultdict(list)
        self.before_bind: Callable[[BindRequest], Awaitable[None]] | None = None

    async def bind(self, binding: BindRequest, call: CallOptions = CALL) -> BindResult:
        if self.before_bind is not None:
            await self.before_bind(binding)
        result = await super().bind(binding, call)
        self.binds[binding.uid].append((binding.node, result))
        return result


class Rig:
    """Everything is made under names of its own, so that a cluster with other tenants can be used."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.client = CountingClient(HttpTransport(target.connection))
        self.id = f"it-{uuid.uuid4().hex[:8]}"
        self.namespace = self.id
        self.scheduler_name = self.id
        self._running: list[tuple[Scheduler, list[asyncio.Task[Any]]]] = []
        self._nodes: list[str] = []
        self._classes: list[str] = []

    async def open(self) -> None:
        await self._written(self.client.create(NAMESPACES, "", {"metadata": {"name": self.namespace}}))

    async def close(self) -> None:
        for scheduler, _ in list(self._running):
            await self.halt(scheduler)
        for name in self._nodes:
            await self.client.delete(NODES, Key("", name), DeleteOptions())
        for name in self._classes:
            await self.client.delete(PRIORITY_CLASSES, Key("", name), DeleteOptions())
        await self.client.delete(NAMESPACES, Key("", self.namespace), DeleteOptions())
        await self.client.close()

    # ---- schedulers ------------------------------------------------------------------------------------------------

    def build(
        self,
        *plugins: Entry[Factory],
        client: KubeClient | None = None,
        binding: BindSettings = FAST_BINDS,
        **outside: Any,
    ) -> Scheduler:
        """A scheduler for this test's scheduler name, put together but not started."""
        names = tuple(PluginRef(entry.name) for entry in plugins)
        catalog = Catalog()
        for entry in plugins:
            catalog.registry.add(entry)
        profile = Profile(scheduler_name=self.scheduler_name, plugins=Plugins(multi_point=PluginSet(enabled=names)))
        config = Config()
        config = replace(
            config,
            scheduler=replace(config.scheduler, profiles=(profile,)),
            tenantry=replace(config.tenantry, audit_interval_seconds=0),
        )
        given = Outside(
            client or self.client,
            streams=FAST_STREAMS,
            rng=random.Random(2),
            catalog=catalog,
            binding=binding,
            **outside,
        )
        return build_scheduler(config, given)

    async def follow(self, scheduler: Scheduler) -> None:
        """Start its watches and wait until they are in sync."""
        scheduler.start()
        self._running.append((scheduler, [asyncio.create_task(scheduler.loop.follow())]))
        async with asyncio.timeout(TIMEOUT):
            await scheduler.feeds.wait_ready()

    def decide(self, scheduler: Scheduler) -> None:
        """Let it decide."""
        tasks = next(tasks for known, tasks in self._running if known is scheduler)
        tasks.append(asyncio.create_task(scheduler.loop.decide()))

    async def start(self, *plugins: Entry[Factory], **options: Any) -> Scheduler:
        """A scheduler in sync and deciding."""
        scheduler = self.build(*plugins, **options)
        await self.follow(scheduler)
        self.decide(scheduler)
        return scheduler

    async def halt(self, scheduler: Scheduler) -> None:
        """Stop it cleanly."""
        entry = next(entry for entry in self._running if entry[0] is scheduler)
        self._running.remove(entry)
        await scheduler.stop(4.0)
        for task in entry[1]:
            task.cancel()
        await asyncio.gather(*entry[1], return_exceptions=True)

    # ---- objects ---------------------------------------------------------------------------------------------------

    async def node(self, name: str, cpu: str = "2", pods: str = "110", **labels: str) -> str:
        """A node that only this test's pods select; returns its full name."""
        full = f"{self.id}-{name}"
        room = {"cpu": cpu, "memory": "8Gi", "pods": pods}
        body = {
            "metadata": {"name": full, "labels": {"tenantry-test": self.id, "kubernetes.io/hostname": full, **labels}},
            "status": {"capacity": room, "allocatable": room},
        }
        await self._written(self.client.create(NODES, "", body))
        status = Patch(PatchType.MERGE, {"status": body["status"]})
        await self._written(self.client.patch_status(NODES, Key("", full), status))
        if full not in self._nodes:
            self._nodes.append(full)
        return full

    async def remove_node(self, full: str) -> None:
        await self._written(self.client.delete(NODES, Key("", full), DeleteOptions()))

    async def pod(self, name: str, cpu: str = "1", **spec: Any) -> Pod:
        """A pending pod for this test's scheduler."""
        labels = spec.pop("labels", {})
        body = {
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "schedulerName": self.scheduler_name,
                "nodeSelector": {"tenantry-test": self.id},
                "terminationGracePeriodSeconds": 0,
                "containers": [{"name": "main", "image": "pause", "resources": {"requests": {"cpu": cpu}}}],
                **spec,
            },
        }
        result = await self.client.create(PODS, self.namespace, body)
        assert isinstance(result, Written), result
        return result.decode(Pod)

    async def priority(self, name: str, value: int, policy: str = "PreemptLowerPriority") -> str:
        """A priority class; returns its full name."""
        full = f"{self.id}-{name}"
        body = {"metadata": {"name": full}, "value": value, "preemptionPolicy": policy}
        await self._written(self.client.create(PRIORITY_CLASSES, "", body))
        self._classes.append(full)
        return full

    async def pods(self, *names: str, cpu: str = "1", **spec: Any) -> list[Pod]:
        return [await self.pod(name, cpu, **spec) for name in names]

    async def delete(self, name: str, grace: int = 0) -> None:
        await self._written(self.client.delete(PODS, self.key(name), DeleteOptions(grace_seconds=grace)))

    async def patch(self, name: str, **body: Any) -> None:
        await self._written(self.client.patch(PODS, self.key(name), Patch(PatchType.STRATEGIC, body)))

    async def patch_status(self, name: str, **status: Any) -> None:
        await self._written(self.client.patch_status(PODS, self.key(name), self.status(**status)))

    def status(self, **fields: Any) -> Patch:
        return Patch(PatchType.STRATEGIC, {"status": fields})

    def key(self, name: str) -> Key:
        return Key(self.namespace, name)

    # ---- questions -------------------------------------------------------------------------------------------------

    async def get(self, name: str) -> Pod | None:
        return await self.client.get_as(Pod, PODS, self.key(name))

    async def list(self) -> dict[str, Pod]:
        """Pods of this test by name."""
        listed = await self.client.list_all(PODS, ListOptions(namespace=self.namespace))
        found = [msgspec.json.decode(raw, type=Pod) for raw in listed.items]
        return {pod.metadata.name: pod for pod in found}

    async def until(self, question: Callable[[], Awaitable[Any]], what: str = "") -> Any:
        """Ask until the answer is true; returns it. AssertionError with `what` after TIMEOUT seconds."""
        try:
            async with asyncio.timeout(TIMEOUT):
                while not (answer := await question()):  # noqa: ASYNC110 - the server is asked, it does not tell
                    await asyncio.sleep(0.02)
                return answer
        except TimeoutError:
            raise AssertionError(f"did not happen in {TIMEOUT} s: {what}") from None

    async def bound(self, *names: str) -> dict[str, str]:
        """Wait until these pods have nodes; returns node by pod."""

        async def ask() -> dict[str, str]:
            pods = await self.list()
            nodes = {name: pods[name].spec.node_name for name in names if name in pods}
            return nodes if len(nodes) == len(names) and all(nodes.values()) else {}

        found: dict[str, str] = await self.until(ask, f"{names} bound")
        return found

    async def condition(self, name: str, reason: str) -> str:
        """Wait until PodScheduled is False for `reason`; returns the message."""

        async def ask() -> str:
            pod = await self.get(name)
            for condition in (pod.status.conditions or ()) if pod else ():
                if condition.type == "PodScheduled" and condition.status == "False" and condition.reason == reason:
                    return condition.message
            return ""

        message: str = await self.until(ask, f"{name} is {reason}")
        return message

    async def event_notes(self) -> dict[str, str]:
        """Notes of this test's events by reason."""
        listed = await self.client.list_all(EVENTS, ListOptions(namespace=self.namespace))
        found = [msgspec.json.decode(raw) for raw in listed.items]
        return {event["reason"]: event["note"] for event in found}

    async def idle(self, scheduler: Scheduler) -> None:
        """Wait until nothing is being decided or bound."""

        async def ask() -> bool:
            return not (
                scheduler.queue.in_flight or scheduler.binder.in_flight or scheduler.cache.sizes()["assumed_pods"]
            )

        await self.until(ask, "idle")

    async def invariants(self, scheduler: Scheduler) -> None:
        """No pod bound twice, no node overcommitted, no pod forgotten, nothing held for a pod that is not there.

        The server is a step ahead of the cache while anything still moves, so that the looks are repeated.
        """
        failed = AssertionError("never looked")

        async def hold() -> bool:
            nonlocal failed
            try:
                await self._look(scheduler)
            except AssertionError as error:
                failed = error
                return False
            return True

        try:
            await self.until(hold)
        except AssertionError:
            raise failed from None

    async def _look(self, scheduler: Scheduler) -> None:
        await self.idle(scheduler)
        pods = await self.list()
        await self._none_overcommitted(pods)
        for uid, answers in self.client.binds.items():
            assert sum(isinstance(result, Bound) for _, result in answers) <= 1, f"{uid} was bound twice: {answers}"
        for pod in pods.values():
            uid = pod.metadata.uid
            if pod.status.phase in ("Succeeded", "Failed"):
                assert scheduler.cache.placed(uid) is None
            elif pod.spec.node_name:
                placed = scheduler.cache.placed(uid)
                assert placed is not None and scheduler.cache.nodes.names[placed.row] == pod.spec.node_name
                assert uid not in scheduler.queue
            elif not pod.metadata.deletion_timestamp:
                assert uid in scheduler.queue, f"{pod.metadata.name} is forgotten"
        known = {pod.metadata.uid for pod in pods.values()}
        ours = [p for p in scheduler.cache.placed_pods() if p.pod.metadata.namespace == self.namespace]
        assert {p.uid for p in ours} <= known, "room is held for pods that are gone"
        assert scheduler.queue.events_kept == 0

    async def _none_overcommitted(self, pods: dict[str, Pod]) -> None:
        used: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for pod in pods.values():
            if pod.spec.node_name and pod.status.phase not in ("Succeeded", "Failed"):
                used[pod.spec.node_name].update({**effective_request(pod), "pods": 1})
        listed = await self.client.list_all(NODES)
        for raw in listed.items:
            node = msgspec.json.decode(raw, type=Node)
            room = amounts(node.status.allocatable)
            for resource, amount in used[node.metadata.name].items():
                assert amount <= room.get(resource, 0), f"{node.metadata.name} is over its {resource}"

    async def _written(self, call: Awaitable[Any]) -> None:
        result = await call
        assert isinstance(result, Written), result
