"""Measures the embedded API server, in a process of its own, with a client that does next to nothing.

    python benchmarks/sim_server.py [--pods 5000] [--no-memory] [--mode plain|tls] [--json]

For plain HTTP and for TLS: pods created and bound per second, each alone, with 64 requests in flight; how long an event
takes from the request that causes it to each of 20 watchers, at 500 writes per second. Then the memory of a server that
holds 10,000 nodes and 100,000 bound pods. Ends with 1 when a figure is not what it has to be. Takes about two minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lean_http import Connection, Target, connect, read_kubeconfig, send_all, watch

IN_FLIGHT = 64
LIMIT_SECONDS = 240.0
"""The whole of it ends by then."""
WATCHERS, WRITES_PER_SECOND, WATCH_SECONDS = 20, 500, 6
FULL_NODES, FULL_PODS = 10_000, 100_000
NODES = 1000
PODS = "/api/v1/namespaces/default/pods"
_MARK = b'"name":"w-'

NEEDED: dict[str, tuple[str, float]] = {
    "creates_per_second": ("at least", 2000),
    "binds_per_second": ("at least", 3000),
    "watch_p99_ms": ("at most", 50),
    "memory_gib": ("at most", 3),
}
"""What each figure has to be."""


def main() -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=int, default=5000, help="pods to create and to bind")
    parser.add_argument("--mode", choices=("plain", "tls"), help="one of the two alone")
    parser.add_argument("--no-memory", action="store_true", help="leave the memory out")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = _run(args)
    missed = [text for name, value in found.items() if (text := _missed(name, value))]
    if args.json:
        print(json.dumps(found | {"missed": missed}))
    else:
        for name, value in found.items():
            print(f"{name:28} {value:12,.2f}")
        print("\n".join(missed))
    return 1 if missed else 0


def _run(args: argparse.Namespace) -> dict[str, float]:
    try:
        import uvloop
    except ImportError:
        return asyncio.run(measure(args))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(measure(args))


def _missed(name: str, value: float) -> str:
    for suffix, (word, bound) in NEEDED.items():
        if name.endswith(suffix) and (value < bound if word == "at least" else value > bound):
            return f"{name} is {value:g}, and has to be {word} {bound:g}"
    return ""


async def measure(args: argparse.Namespace) -> dict[str, float]:
    """All figures, by name."""
    found: dict[str, float] = {}
    async with asyncio.timeout(LIMIT_SECONDS):
        for mode in (args.mode,) if args.mode else ("plain", "tls"):
            async with server(mode, NODES) as (target, pid):
                rates = await throughput(target, pid, args.pods)
                delays = await watch_delays(target)
            found |= {f"{mode}_{name}": value for name, value in (rates | delays).items()}
        if not args.no_memory:
            found |= await memory(args.mode or "plain")
    return found


@asynccontextmanager
async def server(mode: str, nodes: int) -> AsyncIterator[tuple[Target, int]]:
    """The embedded cluster in another process: where it listens, and its process id. Pods stay as they are bound."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kubeconfig"
        command = [sys.executable, "-m", "tenantry_sim", "--nodes", str(nodes), "--no-kubelet"]
        command += ["--kubeconfig-out", str(path), *(["--plain-http"] if mode == "plain" else [])]
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
        try:
            assert process.stdout is not None
            async with asyncio.timeout(60):
                await process.stdout.readline()
            yield read_kubeconfig(path), process.pid
        finally:
            process.terminate()
            await process.wait()


def pod(name: str) -> dict[str, Any]:
    """A pod with one container, as the benchmarks of kube-scheduler have it."""
    container = {"name": "main", "image": "pause", "resources": {"requests": {"cpu": "100m", "memory": "500Mi"}}}
    return {"metadata": {"name": name}, "spec": {"containers": [container]}}


def create_request(target: Target, name: str) -> bytes:
    return target.request("POST", PODS, json.dumps(pod(name)).encode())


def bind_request(target: Target, name: str, node: str) -> bytes:
    body = {"metadata": {"name": name}, "target": {"kind": "Node", "name": node}}
    return target.request("POST", f"{PODS}/{name}/binding", json.dumps(body).encode())


def _cpu_seconds(pid: int) -> float:
    """What a process has used of the processor."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def throughput(target: Target, pid: int, pods: int) -> dict[str, float]:
    """Creates, then binds: how many a second, and the server's processor time for each, whatever else runs here."""
    creates = [create_request(target, f"p-{i}") for i in range(pods)]
    binds = [bind_request(target, f"p-{i}", f"node-{i % NODES}") for i in range(pods)]
    found: dict[str, float] = {}
    for name, requests in (("create", creates), ("bind", binds)):
        used = _cpu_seconds(pid)
        found[f"{name}s_per_second"] = round(pods / await send_all(target, requests, IN_FLIGHT))
        found[f"{name}_cpu_us"] = round((_cpu_seconds(pid) - used) / pods * 1e6)
    return found


async def watch_delays(target: Target) -> dict[str, float]:
    """Quantiles of the time from sending a create to its event at a watcher, in milliseconds."""
    sent: dict[bytes, float] = {}
    delays: list[float] = []

    def seen(data: bytes) -> None:
        now, at = time.perf_counter(), data.find(_MARK)
        while at >= 0:
            end = data.find(b'"', at + len(_MARK))
            began = sent.get(data[at + len(_MARK) : end])
            if began is not None:
                delays.append(now - began)
            at = data.find(_MARK, end)

    path = f"{PODS}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
    watchers = await asyncio.gather(*(watch(target, path, seen) for _ in range(WATCHERS)))
    total = WRITES_PER_SECOND * WATCH_SECONDS
    await _write_steadily(target, total, sent)
    end = time.perf_counter() + 10
    while len(delays) < total * WATCHERS * 0.99 and time.perf_counter() < end:  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.05)
    for watcher in watchers:
        watcher.close()
    if len(delays) < total * WATCHERS * 0.99:
        raise RuntimeError(f"{len(delays)} of {total * WATCHERS} events came")
    delays.sort()
    return {f"watch_p{q}_ms": round(delays[len(delays) * q // 100] * 1000, 2) for q in (50, 99)}


async def _write_steadily(target: Target, total: int, sent: dict[bytes, float]) -> None:
    """Create pods at a steady rate, over as many connections as it takes."""
    idle: list[Connection] = []
    tasks = set[asyncio.Task[None]]()

    async def one(number: int) -> None:
        connection = idle.pop() if idle else await connect(target)
        request = create_request(target, f"w-{number}")
        sent[str(number).encode()] = time.perf_counter()
        if await connection.send(request) != 201:
            raise RuntimeError("a create was refused")
        idle.append(connection)

    began = time.perf_counter()
    for i in range(total):
        wait = began + i / WRITES_PER_SECOND - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        task = asyncio.create_task(one(i))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    for connection in idle:
        connection.close()


def _status(pid: int) -> str:
    return Path(f"/proc/{pid}/status").read_text()


async def memory(mode: str) -> dict[str, float]:
    """Resident memory of a server that holds many nodes and bound pods, in GiB."""
    async with server(mode, FULL_NODES) as (target, pid):
        names = [f"p-{i}" for i in range(FULL_PODS)]
        await send_all(target, (create_request(target, name) for name in names), IN_FLIGHT)
        binds = (bind_request(target, name, f"node-{i % FULL_NODES}") for i, name in enumerate(names))
        await send_all(target, binds, IN_FLIGHT)
        status = _status(pid)
    found = dict(line.split(":", 1) for line in status.splitlines())
    gib = {"memory_gib": found["VmRSS"], "peak_memory_gib": found["VmHWM"]}
    return {name: round(int(value.split()[0]) / 1024**2, 3) for name, value in gib.items()}


if __name__ == "__main__":
    sys.exit(main())
