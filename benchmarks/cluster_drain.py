"""Drains a backlog of pods against an embedded API server in a process of its own, and checks what came out.

    python benchmarks/cluster_drain.py [--nodes 5000] [--pods 5000] [--steady 100 --seconds 20] [--json]

Prints bound pods per second from the first decision to the last bind, beside what a plain client with as many requests
in flight binds on the same server; then, with --steady, the time from create to bound of pods that come at a steady
rate. Ends with 1 when a pod is bound twice, lost, or a node holds more than it has.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from tenantry.process import tune_collector
from tenantry.wiring import Outside, build_scheduler
from tenantry_core.config import Config
from tenantry_core.kube import credentials
from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.http import HttpTransport
from tenantry_core.kube.resources import NODES, PODS
from tenantry_core.kube.values import CALL, BindRequest, BindResult, Bound, CallOptions, ListOptions, Written
from tenantry_core.model.objects import Node, Pod
from tenantry_core.model.quantity import amount

IN_FLIGHT = 64
NAMESPACE = "default"
CPU, MEMORY = "100m", "500Mi"


def main() -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=5000)
    parser.add_argument("--raw", type=int, default=2000, help="pods that the plain client binds")
    parser.add_argument("--concurrency", type=int, default=IN_FLIGHT, help="bind requests in flight")
    parser.add_argument("--steady", type=int, default=0, help="pods a second that come after the backlog")
    parser.add_argument("--seconds", type=int, default=20, help="how long they come")
    parser.add_argument("--tls", action="store_true", help="serve over TLS, with a bearer token")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    try:
        import uvloop

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            found = runner.run(measure(args))
    except ImportError:
        found = asyncio.run(measure(args))
    if args.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:28} {value}")
    return 1 if found["problems"] else 0


async def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Start the server, bind with the plain client, then with the scheduler."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kubeconfig"
        async with server(args, path):
            client = TimingClient(HttpTransport(await credentials.load(str(path))))
            try:
                raw = await raw_rate(client, args)
                return await drain(client, args) | raw
            finally:
                await client.close()


class TimingClient(KubeClient):
    """Notes when each pod was asked for and when its bind was answered."""

    def __init__(self, transport: HttpTransport) -> None:
        super().__init__(transport)
        self.asked: dict[str, float] = {}
        self.bound: dict[str, float] = {}

    async def bind(self, binding: BindRequest, call: CallOptions = CALL) -> BindResult:
        result = await super().bind(binding, call)
        if isinstance(result, Bound):
            self.bound[binding.name] = time.perf_counter()
        return result


@asynccontextmanager
async def server(args: argparse.Namespace, kubeconfig: Path) -> AsyncIterator[None]:
    """The embedded cluster in another process; pods stay as they are bound, so that binds are all it does."""
    command = [sys.executable, "-m", "tenantry_sim", "--nodes", str(args.nodes), "--no-kubelet"]
    command += [] if args.tls else ["--plain-http"]
    process = await asyncio.create_subprocess_exec(
        *command, "--kubeconfig-out", str(kubeconfig), stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            await process.stdout.readline()
        yield
    finally:
        process.terminate()
        await process.wait()


async def raw_rate(client: TimingClient, args: argparse.Namespace) -> dict[str, Any]:
    """Binds per second of a client that does nothing else, and what they cost it."""
    pods = await create(client, args.raw, "raw")

    async def bind(item: tuple[int, Pod]) -> None:
        number, pod = item
        request = BindRequest(NAMESPACE, pod.metadata.name, pod.metadata.uid, f"node-{number % args.nodes}")
        assert isinstance(await client.bind(request), Bound)

    cpu, began = time.process_time(), time.perf_counter()
    await in_parallel(bind, enumerate(pods), args.concurrency)
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    return {
        "raw_binds_per_second": round(len(pods) / seconds),
        "raw_cpu_seconds_per_1000_pods": round(used / len(pods) * 1000, 3),
    }


async def drain(client: TimingClient, args: argparse.Namespace) -> dict[str, Any]:
    """Let the scheduler bind a backlog; returns figures and problems."""
    config = Config()
    config = replace(config, tenantry=replace(config.tenantry, bind_concurrency=args.concurrency))
    scheduler = build_scheduler(config, Outside(client))
    scheduler.start()
    following = asyncio.create_task(scheduler.loop.follow())
    await scheduler.feeds.wait_ready()
    await create(client, args.pods, "pod")
    while len(scheduler.queue) < args.pods:  # noqa: ASYNC110 - the queue has no event for its length
        await asyncio.sleep(0.05)
    tune_collector()
    cpu, began = time.process_time(), time.perf_counter()
    deciding = asyncio.create_task(scheduler.loop.decide())
    bound_at = began
    while len(scheduler.queue) + scheduler.queue.in_flight + scheduler.binder.in_flight > 0:
        await asyncio.sleep(0.01)
        bound_at = time.perf_counter()
        if bound_at - began > 120:
            break
    seconds, used = bound_at - began, time.process_time() - cpu
    steady_figures = await steady(client, args) if args.steady else {}
    await scheduler.stop(8.0)
    for task in (deciding, following):
        task.cancel()
    await asyncio.gather(deciding, following, return_exceptions=True)
    return {
        "nodes": args.nodes,
        "pods": args.pods,
        "bound_per_second": round(args.pods / seconds),
        "cpu_seconds_per_1000_pods": round(used / args.pods * 1000, 3),
        "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "events_sent": scheduler.events.counters.sent,
        "events_dropped": scheduler.events.counters.dropped,
        **steady_figures,
        "problems": await problems(client, args.pods + args.raw + args.steady * args.seconds),
    }


async def steady(client: TimingClient, args: argparse.Namespace) -> dict[str, Any]:
    """Create pods at a steady rate; returns quantiles of the time from create to bound, in milliseconds."""
    client.asked.clear()
    began, tasks = time.perf_counter(), []
    for i in range(args.steady * args.seconds):
        await asyncio.sleep(max(0.0, began + i / args.steady - time.perf_counter()))
        tasks.append(asyncio.create_task(create_one(client, f"steady-{i}", "default-scheduler")))
    await asyncio.gather(*tasks)
    async with asyncio.timeout(60):
        while not client.asked.keys() <= client.bound.keys():  # noqa: ASYNC110 - the client has no event for it
            await asyncio.sleep(0.05)
    took = sorted(client.bound[name] - asked for name, asked in client.asked.items())
    quantiles = {"p50": 0.5, "p99": 0.99, "max": 1.0}
    return {f"create_to_bound_ms_{n}": round(took[int(q * (len(took) - 1))] * 1000, 1) for n, q in quantiles.items()}


async def problems(client: KubeClient, expected: int) -> list[str]:
    """What is wrong with the cluster as the server has it now."""
    everything = ListOptions(page_size=0)
    pods = [msgspec.json.decode(raw, type=Pod) for raw in (await client.list_all(PODS, everything)).items]
    nodes = [msgspec.json.decode(raw, type=Node) for raw in (await client.list_all(NODES, everything)).items]
    found = [f"{pod.metadata.name} is not bound" for pod in pods if not pod.spec.node_name][:10]
    if len(pods) != expected:
        found.append(f"{len(pods)} pods in place of {expected}")
    count = Counter(pod.spec.node_name for pod in pods)
    for node in nodes:
        allocatable = node.status.allocatable or {}
        fits = min(
            amount("cpu", allocatable["cpu"]) // amount("cpu", CPU),
            amount("memory", allocatable["memory"]) // amount("memory", MEMORY),
            amount("pods", allocatable["pods"]),
        )
        if count[node.metadata.name] > fits:
            found.append(f"{node.metadata.name} holds {count[node.metadata.name]} of {fits}")
    return found


async def create(client: TimingClient, number: int, prefix: str) -> list[Pod]:
    """Create plain pods."""
    made: list[Pod] = []

    async def one(i: int) -> None:
        made.append(await create_one(client, f"{prefix}-{i}", "nobody" if prefix == "raw" else "default-scheduler"))

    await in_parallel(one, range(number), 32)
    return made


async def create_one(client: TimingClient, name: str, scheduler: str) -> Pod:
    """Create one plain pod."""
    container = {"name": "main", "image": "pause", "resources": {"requests": {"cpu": CPU, "memory": MEMORY}}}
    body = {"metadata": {"name": name}, "spec": {"schedulerName": scheduler, "containers": [container]}}
    client.asked[name] = time.perf_counter()
    result = await client.create(PODS, NAMESPACE, body)
    assert isinstance(result, Written), result
    return result.decode(Pod)


async def in_parallel(work: Callable[[Any], Awaitable[None]], items: Iterable[Any], width: int) -> None:
    """Call `work` for each item, `width` at a time."""
    left = iter(items)

    async def worker() -> None:
        for item in left:
            await work(item)

    await asyncio.gather(*(worker() for _ in range(width)))


if __name__ == "__main__":
    sys.exit(main())
