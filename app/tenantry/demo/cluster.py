"""The embedded cluster in a process of its own, so that server and scheduler each have a core."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tenantry.cli import exits

START_SECONDS = 30.0
STOP_SECONDS = 5.0


@asynccontextmanager
async def embedded_cluster(nodes: int, kubeconfig: Path) -> AsyncIterator[str]:
    """Serve `nodes` simulated nodes and write a kubeconfig; yields the address. The process ends with the block."""
    process = await asyncio.create_subprocess_exec(
        # Plain HTTP: encryption would cost a third of the binds per second and protect nothing on loopback.
        *(sys.executable, "-m", "tenantry_sim", "--plain-http"),
        *("--nodes", str(nodes), "--kubeconfig-out", str(kubeconfig)),
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield await asyncio.wait_for(_address(process), START_SECONDS)
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), STOP_SECONDS)
            except TimeoutError:
                process.kill()
                await process.wait()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode().strip()
    if not line:
        raise exits.CommandFailed("the embedded cluster did not start")
    return line.rpartition(" ")[2]
