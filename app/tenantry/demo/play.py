"""The demo from first to last: cluster, scheduler, burst, the pod that fits nowhere, the preemption.

1. Serve a cluster of simulated nodes; start the scheduler on it.
2. Create a burst of pods in three namespaces and wait until all are bound.
3. Create a pod that fits nowhere and explain it.
4. Create an urgent pod and watch others make room.
5. Check what must hold: nothing bound twice, nothing lost, no node over its allocatable.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tenantry.cli import exits
from tenantry.demo import story
from tenantry.demo.cluster import embedded_cluster
from tenantry.demo.load import Load
from tenantry.demo.observer import Observer, Seen
from tenantry.demo.result import DemoResult, overcommitted, unfit_findings
from tenantry.demo.view import Screen
from tenantry.explain.report import PodReport, report
from tenantry.wiring import Outside, Scheduler, build_scheduler
from tenantry_core.clock import SystemClock
from tenantry_core.config import Config
from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.credentials import load as connect
from tenantry_core.kube.http import HttpTransport
from tenantry_core.kube.resources import NAMESPACES, PODS, PRIORITY_CLASSES
from tenantry_core.kube.stream import ResourceStream

GIVE_UP_SECONDS = 120.0
"""Longest wait for any step of the story."""
PODS_PER_NODE = 10


@dataclass(frozen=True)
class DemoOptions:
    """What the command line asks for."""

    nodes: int = 200
    duration: float = 0.0
    """Seconds to go on with a trickle of pods after the story; 0 ends with the story."""


@dataclass
class Stage:
    """Everything on stage while the demo runs."""

    options: DemoOptions
    scheduler: Scheduler
    load: Load
    observer: Observer
    screen: Screen
    result: DemoResult
    explained: PodReport | None = None


@asynccontextmanager
async def stage(options: DemoOptions) -> AsyncIterator[Stage]:
    """Cluster, scheduler and observer, running; all ended with the block."""
    with tempfile.TemporaryDirectory(prefix="tenantry-demo-") as folder:
        kubeconfig = Path(folder) / "kubeconfig"
        async with embedded_cluster(options.nodes, kubeconfig):
            clock = SystemClock()
            connection = await connect(str(kubeconfig), clock=clock)
            api, outside = (KubeClient(HttpTransport(connection)) for _ in range(2))
            scheduler = build_scheduler(Config(), Outside(api, clock=clock))
            observer = Observer(clock.monotonic)
            pods = options.nodes * PODS_PER_NODE
            screen = Screen(options.nodes, pods, observer)
            stream = ResourceStream(outside, PODS, clock, random.Random())
            scheduler.start()
            tasks = [
                asyncio.ensure_future(work)
                for work in (scheduler.loop.follow(), observer.follow(stream.events()), _mirror(scheduler, screen))
            ]
            try:
                await asyncio.wait_for(scheduler.feeds.wait_ready(), GIVE_UP_SECONDS)
                tasks.append(asyncio.ensure_future(scheduler.loop.decide()))
                load = Load(outside, observer)
                yield Stage(options, scheduler, load, observer, screen, DemoResult(options.nodes, pods))
            finally:
                await scheduler.stop(4.0)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await asyncio.gather(api.close(), outside.close())


async def play(on: Stage) -> DemoResult:
    """The story. Ends the command where a step takes longer than GIVE_UP_SECONDS."""
    await _prepare(on)
    await _burst(on)
    await _unfit(on)
    await _preempt(on)
    await _go_on(on)
    _check(on)
    return on.result


async def _prepare(on: Stage) -> None:
    on.screen.say(f"{on.options.nodes} nodes in three zones are up; the scheduler is in sync")
    for name in story.NAMESPACES:
        await on.load.create(NAMESPACES, story.namespace(name))
    await on.load.create(PRIORITY_CLASSES, story.priority_class())


async def _burst(on: Stage) -> None:
    pods, observer, result = on.result.pods, on.observer, on.result
    on.screen.say(f"burst: {pods} pods of {len(story.SHAPES)} shapes in {len(story.NAMESPACES)} namespaces")
    began = observer.clock()
    await on.load.create_all(story.burst(pods, on.options.nodes))
    await _until(on, lambda: observer.bound() >= pods, f"all {pods} pods of the burst bound")
    result.burst_seconds = round(observer.last_bound - began, 3)
    result.pods_per_second = round(pods / max(result.burst_seconds, 1e-6), 1)
    result.create_to_bound_p50 = round(observer.percentile(50), 4)
    result.create_to_bound_p99 = round(observer.percentile(99), 4)
    result.bound_by_namespace = {n: c.total() - c["pending"] for n, c in sorted(observer.by_namespace().items())}
    on.screen.say(f"all bound in {result.burst_seconds:.1f} s, {result.pods_per_second:,.0f} pods per second")


async def _unfit(on: Stage) -> None:
    await on.load.create(PODS, story.unfit())
    await _until(on, lambda: bool(_seen(on, story.UNFIT).message), "the pod that fits nowhere told why")
    message = _seen(on, story.UNFIT).message
    cache = on.scheduler.cache
    pod = next(p for p in on.scheduler.writer.pods.values() if (p.metadata.namespace, p.metadata.name) == story.UNFIT)
    on.explained = report(cache, on.scheduler.profiles["default-scheduler"], pod)
    on.result.unfit = {**unfit_findings(on.explained), "condition": message}
    on.screen.say(f"{'/'.join(story.UNFIT)} fits nowhere: {message}")


async def _preempt(on: Stage) -> None:
    before = set(on.observer.gone)
    await on.load.create(PODS, story.urgent())
    await _until(on, lambda: bool(_seen(on, story.URGENT).node), "the urgent pod bound")
    await _until(on, lambda: bool(set(on.observer.gone) - before), "a victim gone")
    victims = sorted("/".join(key) for key in set(on.observer.gone) - before)
    node = _seen(on, story.URGENT).node
    on.result.preemption = {"pod": "/".join(story.URGENT), "node": node, "victims": victims}
    on.screen.say(f"{'/'.join(story.URGENT)} (priority {story.PRIORITY}) took {node} from {', '.join(victims)}")


async def _go_on(on: Stage) -> None:
    """A trickle of pods that come and go, until the duration is over."""
    if on.options.duration <= 0:
        return
    until, number = on.observer.clock() + on.options.duration, 0
    on.screen.say(f"going on for {on.options.duration:.0f} s with a pod every 100 ms")
    shape = story.Shape("extra", "search", 1, "10m", "16Mi")
    while on.observer.clock() < until:
        await on.load.create(PODS, story.pod(shape, number))
        number += 1
        await asyncio.sleep(0.1)
    extras = [(shape.namespace, f"{shape.name}-{i}") for i in range(number)]
    await _until(on, lambda: all(_seen(on, key).node for key in extras), "the extra pods bound")


def _check(on: Stage) -> None:
    result, observer = on.result, on.observer
    result.bound = observer.bound()
    lost = [k for k in observer.created if k not in observer.pods and k not in observer.gone]
    pending = [k for k, s in observer.pods.items() if not s.node and k != story.UNFIT]
    result.broken += [f"{'/'.join(k)} was bound twice" for k in observer.twice]
    result.broken += [f"{'/'.join(k)} is lost" for k in lost]
    result.broken += [f"{'/'.join(k)} is not bound" for k in pending]
    result.broken += overcommitted(on.scheduler.cache)
    on.screen.say(
        "checked: no pod bound twice, none lost, no node over its allocatable" if result.good else "CHECK FAILED"
    )


def _seen(on: Stage, key: tuple[str, str]) -> Seen:
    return on.observer.pods.get(key, Seen(key[0]))


async def _mirror(scheduler: Scheduler, screen: Screen) -> None:
    while True:
        screen.queue = {place.value: length for place, length in scheduler.queue.lengths().items()}
        await asyncio.sleep(0.1)


async def _until(on: Stage, holds: Callable[[], bool], what: str) -> None:
    """Wait until `holds` after some change of the pods seen."""
    try:
        async with asyncio.timeout(GIVE_UP_SECONDS):
            while not holds():
                on.observer.changed.clear()
                await on.observer.changed.wait()
    except TimeoutError as error:
        raise exits.CommandFailed(f"waited {GIVE_UP_SECONDS:.0f} s in vain for: {what}") from error
