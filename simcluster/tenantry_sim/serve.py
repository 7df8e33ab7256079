"""The cluster as a process of its own."""

import asyncio
import gc
import signal
from collections.abc import Callable
from pathlib import Path

from tenantry_sim.cluster import SimCluster
from tenantry_sim.config import SimConfig


async def serve(config: SimConfig, kubeconfig_out: str | Path | None, ready: Callable[[SimCluster], None]) -> None:
    """Run a cluster until SIGTERM or SIGINT; `ready` is called once it listens."""
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, done.set)
    async with SimCluster(config) as cluster:
        if kubeconfig_out is not None:
            cluster.write_kubeconfig(kubeconfig_out)
        # Stored objects are bytes and stay; full collections over them would only cost time.
        gc.collect()
        gc.freeze()
        ready(cluster)
        await done.wait()


def run(config: SimConfig, kubeconfig_out: str | Path | None = None) -> None:
    """`serve` on a fresh event loop, uvloop where it is present. Prints the address when ready."""

    def ready(cluster: SimCluster) -> None:
        print(f"serving at {cluster.url}", flush=True)
        if kubeconfig_out is None and config.token:
            print(f"token {config.token}", flush=True)

    try:
        import uvloop
    except ImportError:
        asyncio.run(serve(config, kubeconfig_out, ready))
        return
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(config, kubeconfig_out, ready))
