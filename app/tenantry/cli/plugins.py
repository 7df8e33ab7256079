"""`tenantry plugins list`: what can run, and what a configuration makes of it."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import aiohttp
from rich.console import Console
from rich.table import Table

from tenantry.cli import exits
from tenantry.cli.run import read_config
from tenantry_core.config import Config, resolve_profile
from tenantry_core.config.points import Point
from tenantry_core.errors import ConfigError
from tenantry_core.framework.registry import PluginError
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.loader_folder import PluginsFolder

COLUMNS = ("name", "version", "order", "weight", "state", "points")
WIDE = ("profile", *COLUMNS[:-1], "origin", "calls", "errors", "seconds", "points")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--config", metavar="FILE", help="the configuration that the scheduler runs with")
    parser.add_argument(
        "--scheduler", metavar="URL", default="", help="a running scheduler, asked for errors and times"
    )
    parser.add_argument("-o", "--output", choices=("table", "wide", "json"), default="table")


def run(args: argparse.Namespace) -> int:
    """Print one line per plugin and profile. 2 where the configuration or the folder is bad."""
    catalog = Catalog()
    for problem in catalog.discover():
        print(f"warning: {problem}", file=sys.stderr)
    config = read_config(args.config, catalog)
    try:
        if config.tenantry.plugins_folder.enabled:
            PluginsFolder(Path(config.tenantry.plugins_folder.path), catalog).scan()
        lines = listed(catalog, config)
    except (ConfigError, PluginError, OSError) as error:
        raise exits.CommandFailed(str(error), exits.USAGE) from error
    if args.scheduler:
        _add_live(lines, asyncio.run(_ask(args.scheduler)))
    if args.output == "json":
        print(json.dumps(lines))
    else:
        _print(lines, WIDE if args.output == "wide" or args.scheduler else COLUMNS)
    return exits.DONE


def listed(catalog: Catalog, config: Config) -> list[dict[str, Any]]:
    """One entry per plugin and profile, in calling order; plugins that no profile runs come last and are off."""
    known = {line.name: line for line in catalog.listing()}
    found = []
    for given in config.scheduler.profiles:
        resolved = resolve_profile(given, catalog.points(), catalog.overrides(config.tenantry.plugins))
        order = {name: i for i, name in enumerate(resolved.plugins, 1)}
        for name in sorted(known, key=lambda n: (order.get(n, len(known) + 1), n)):
            line, runs = known[name], order.get(name)
            points = [p.value for p in Point if name in resolved.points[p]] if runs else list(line.points)
            found.append(
                {
                    **line._asdict(),
                    "points": points,
                    "profile": given.scheduler_name,
                    "order": runs,
                    "weight": resolved.weights.get(name) if "Score" in points else None,
                    "state": line.state if runs else "off",
                }
            )
    return found


async def _ask(url: str) -> list[dict[str, Any]]:
    try:
        timeout = aiohttp.ClientTimeout(total=5)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(f"{url.rstrip('/')}/plugins") as answer,
        ):
            answer.raise_for_status()
            found: list[dict[str, Any]] = await answer.json()
            return found
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise exits.CommandFailed(f"--scheduler: {url}: {error or type(error).__name__}") from error


def _add_live(lines: list[dict[str, Any]], live: list[dict[str, Any]]) -> None:
    by_name = {line["name"]: line for line in live}
    for line in lines:
        running = by_name.get(line["name"])
        if running is not None:
            line.update({key: running[key] for key in ("calls", "errors", "seconds")})
            if line["state"] != "off":
                line["state"] = running["state"]


def _print(lines: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, no_wrap=column != "points", overflow="fold")
    for line in lines:
        cells = {**line, "points": " ".join(line["points"]), "seconds": f"{line['seconds']:.3f}"}
        table.add_row(*("" if cells[c] is None else str(cells[c]) for c in columns))
    Console(highlight=False).print(table)
