"""The three kinds of cluster that the integration tests run against, behind one small interface."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import aiohttp

from tenantry_core.kube.connection import Connection, StaticCredentials
from tenantry_core.kube.credentials import load
from tenantry_sim import SimCluster, SimConfig
from tenantry_sim.faults import Faults

TOKEN = "integration-test-token"
START_SECONDS = 60.0
KINDS = ("embedded", "assets", "existing")
"""The embedded cluster, a kube-apiserver and etcd of our own, and a cluster that exists."""


@dataclass(frozen=True)
class Target:
    """A cluster to test against."""

    connection: Connection
    faults: Faults | None = None
    """Switches of the embedded cluster; None for a real one."""
    kubeconfig: Path | None = None


@asynccontextmanager
async def embedded(folder: Path) -> AsyncIterator[Target]:
    """The embedded API server, in this process. Its nodes are what the test makes; no kubelet runs pods."""
    async with SimCluster(SimConfig(kubelet=True, bookmark_seconds=1.0)) as cluster:
        path = folder / "kubeconfig"
        cluster.write_kubeconfig(path)
        yield Target(Connection(cluster.url), cluster.faults, path)


@asynccontextmanager
async def existing(kubeconfig: str) -> AsyncIterator[Target]:
    """A cluster that runs already."""
    yield Target(await load(kubeconfig), kubeconfig=Path(kubeconfig))


@asynccontextmanager
async def assets(binaries: Path, folder: Path) -> AsyncIterator[Target]:
    """A kube-apiserver and an etcd of our own, as envtest starts them."""
    etcd_port, peer_port, port = free_port(), free_port(), free_port()
    tokens = folder / "tokens.csv"
    tokens.write_text(f"{TOKEN},admin,admin,system:masters\n")
    key = folder / "sa.key"
    make_key = ["openssl", "genrsa", "-out", str(key), "2048"]
    await asyncio.to_thread(subprocess.run, make_key, check=True, capture_output=True)
    etcd = [
        str(binaries / "etcd"),
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls=http://127.0.0.1:{etcd_port}",
        f"--advertise-client-urls=http://127.0.0.1:{etcd_port}",
        f"--listen-peer-urls=http://127.0.0.1:{peer_port}",
        "--unsafe-no-fsync",
    ]
    server = [
        str(binaries / "kube-apiserver"),
        f"--etcd-servers=http://127.0.0.1:{etcd_port}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={folder / 'certs'}",
        f"--token-auth-file={tokens}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://127.0.0.1",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        # No controllers run here: nobody makes service accounts or takes away the taint of new nodes.
        "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
    ]
    with (folder / "etcd.log").open("w") as first, (folder / "apiserver.log").open("w") as second:
        async with _process(etcd, first), _process(server, second):
            trust = ssl.create_default_context()
            trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
            url = f"https://127.0.0.1:{port}"
            await _answers(url, trust)
            yield Target(Connection(url, ssl=trust, credentials=StaticCredentials(TOKEN)))


@asynccontextmanager
async def _process(command: list[str], log: IO[str]) -> AsyncIterator[None]:
    process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


async def _answers(url: str, trust: ssl.SSLContext) -> None:
    async with asyncio.timeout(START_SECONDS), aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(
                    f"{url}/readyz",
                    ssl=trust,
                    headers={"Authorization": f"Bearer {TOKEN}"},
                ) as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.2)


def free_port() -> int:
    """A port of loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def why_not(kind: str) -> str:
    """Why a kind of cluster can't be had here, "" where it can."""
    if kind == "assets":
        folder = os.environ.get("KUBEBUILDER_ASSETS", "")
        if not folder:
            return "KUBEBUILDER_ASSETS is not set: no kube-apiserver and etcd to start"
        missing = [name for name in ("kube-apiserver", "etcd") if not (Path(folder) / name).is_file()]
        return f"KUBEBUILDER_ASSETS={folder} has no {' and no '.join(missing)}" if missing else ""
    if kind == "existing" and not os.environ.get("TENANTRY_TEST_KUBECONFIG"):
        return "TENANTRY_TEST_KUBECONFIG is not set: no existing cluster to test against"
    return ""


def open_cluster(kind: str, folder: Path) -> AbstractAsyncContextManager[Target]:
    """The cluster of a kind that can be had here; `folder` takes what it writes."""
    if kind == "assets":
        return assets(Path(os.environ["KUBEBUILDER_ASSETS"]), folder)
    if kind == "existing":
        return existing(os.environ["TENANTRY_TEST_KUBECONFIG"])
    return embedded(folder)
