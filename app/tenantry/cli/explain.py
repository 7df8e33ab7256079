"""`tenantry explain pod NS/NAME`."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import aiohttp

from tenantry.cli import exits
from tenantry.cli.profiles import profiles_of_file
from tenantry.explain.load import LoadedCluster, load_cluster
from tenantry.explain.render import show
from tenantry.explain.report import report
from tenantry_core.errors import TenantryError
from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.credentials import load
from tenantry_core.kube.http import HttpTransport

SCHEDULER = "http://127.0.0.1:10259"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("pod", metavar="NS/NAME", help="the pod; without a namespace, `default`")
    parser.add_argument("--kubeconfig", help="file to connect with (default: KUBECONFIG, ~/.kube/config, in-cluster)")
    parser.add_argument("--config", metavar="FILE", help="the configuration that the scheduler runs with")
    parser.add_argument(
        "--scheduler",
        default=SCHEDULER,
        metavar="URL",
        help=f"running scheduler, asked for the queue (default {SCHEDULER})",
    )
    parser.add_argument("-o", "--output", choices=("table", "json"), default="table")
    parser.add_argument("--json", dest="output", action="store_const", const="json", help="the same as -o json")


def run(args: argparse.Namespace) -> int:
    """Explain one pod; 1 where it is nowhere for a reason, 0 where it is placed or fits."""
    namespace, _, name = args.pod.rpartition("/")
    key = (namespace or "default", name)
    try:
        cluster, queue = asyncio.run(_read(args.kubeconfig, args.scheduler, key))
    except TenantryError as error:
        raise exits.CommandFailed(str(error)) from error
    for warning in cluster.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    pod = cluster.pods.get(key)
    if pod is None:
        raise exits.CommandFailed(f"there is no pod {key[0]}/{key[1]}", exits.NO)
    profile = profiles_of_file(args.config, pod.spec.scheduler_name)[pod.spec.scheduler_name]
    found = report(cluster.cache, profile, pod)
    if queue is not None and found.state in ("pending", "gated"):
        found = replace(found, queue=queue)
    if args.output == "json":
        print(json.dumps(found.as_dict()))
    else:
        show(found)
    return exits.NO if found.reasons or found.state == "gated" else exits.DONE


async def _read(
    kubeconfig: str | None, scheduler: str, key: tuple[str, str]
) -> tuple[LoadedCluster, dict[str, Any] | None]:
    connection = await load(kubeconfig)
    api = KubeClient(HttpTransport(connection))
    try:
        return await load_cluster(api), await _queue(scheduler, key)
    finally:
        await api.close()


async def _queue(scheduler: str, key: tuple[str, str]) -> dict[str, Any] | None:
    """What a running scheduler says of the pod; None where none answers, which is no fault."""
    url = f"{scheduler.rstrip('/')}/queue/{quote(key[0])}/{quote(key[1])}"
    try:
        timeout = aiohttp.ClientTimeout(total=2)
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(url) as answer:
            if answer.status != 200:
                return None
            found: dict[str, Any] = await answer.json()
            return found
    except (aiohttp.ClientError, TimeoutError, ValueError):
        return None
