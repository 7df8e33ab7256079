"""`tenantry demo`: live in the terminal, or headless for scripts."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from rich.console import Console
from rich.live import Live

from tenantry.cli import exits
from tenantry.demo.play import DemoOptions, Stage, play, stage
from tenantry.demo.result import DemoResult
from tenantry.eventloop import run_fast
from tenantry.explain.render import show
from tenantry_core.errors import TenantryError
from tenantry_telemetry.logs import LogSettings, configure

REDRAWS_PER_SECOND = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--nodes", type=int, default=200, help="simulated nodes; ten pods each (default 200)")
    parser.add_argument("--duration", type=float, default=0.0, metavar="S", help="go on for S seconds after the story")
    parser.add_argument("--headless", action="store_true", help="print the story line by line instead of a live view")
    parser.add_argument("--json", action="store_true", help="print the result as JSON (with --headless: nothing else)")


def run(args: argparse.Namespace) -> int:
    """Play the demo; 1 where something that was promised did not hold."""
    if args.nodes < 4:
        raise exits.CommandFailed("--nodes: must be 4 or more", exits.USAGE)
    if args.duration < 0:
        raise exits.CommandFailed("--duration: must be 0 or more", exits.USAGE)
    pipe = configure(LogSettings(level="error", format="text"))
    try:
        result, on = run_fast(_run(args))
    except TenantryError as error:
        raise exits.CommandFailed(str(error)) from error
    finally:
        pipe.close()
    if args.json:
        print(json.dumps(result.as_dict()))
    else:
        _print(result, on)
    return exits.DONE if result.good else exits.NO


async def _run(args: argparse.Namespace) -> tuple[DemoResult, Stage]:
    async with stage(DemoOptions(args.nodes, args.duration)) as on:
        if args.headless or not sys.stdout.isatty():
            on.screen.listener = None if args.json else print_line
            return await play(on), on
        with Live(on.screen.draw(), refresh_per_second=REDRAWS_PER_SECOND) as live:
            drawing = asyncio.ensure_future(_redraw(on, live))
            try:
                return await play(on), on
            finally:
                drawing.cancel()
                live.update(on.screen.draw(), refresh=True)


async def _redraw(on: Stage, live: Live) -> None:
    while True:
        live.update(on.screen.draw())
        await asyncio.sleep(1 / REDRAWS_PER_SECOND)


def print_line(text: str) -> None:
    """One line of the story, at once."""
    print(text, flush=True)


def _print(result: DemoResult, on: Stage) -> None:
    console = Console()
    if on.explained is not None:
        console.print("\n[dim]$ tenantry explain pod " + on.explained.pod + "[/]")
        show(on.explained, console)
    console.print(
        f"\n{result.bound} pods bound on {result.nodes} nodes; burst of {result.pods} in {result.burst_seconds:.1f} s "
        f"({result.pods_per_second:,.0f}/s), create to bound p50 {result.create_to_bound_p50 * 1000:,.0f} ms, "
        f"p99 {result.create_to_bound_p99 * 1000:,.0f} ms"
    )
    for problem in result.broken:
        console.print(f"[red]{problem}[/]")
