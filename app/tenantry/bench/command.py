"""`tenantry bench engine`: scheduling decisions per second, without a server."""

from __future__ import annotations

import argparse
import difflib
import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tenantry.bench.engine import default_size, measure
from tenantry.bench.report import NoPlotter, plot, print_table
from tenantry.bench.result import Run
from tenantry.bench.workloads import LATER, WORKLOADS
from tenantry.cli import exits

ALL = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--nodes", type=_positive, default=5000, metavar="N", help="nodes (5000)")
    parser.add_argument(
        "--pods", type=_positive, metavar="M", help="measured pods; in proportion to the nodes when not given"
    )
    parser.add_argument(
        "--workload", default="SchedulingBasic", metavar="NAME", help=f"one of {', '.join(WORKLOADS)}, or {ALL}"
    )
    parser.add_argument("--json", action="store_true", help="print as JSON: an object, or a list of them for `all`")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the figures into a file")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="order in which the nodes come (0)")
    parser.add_argument(
        "--repeat", type=_positive, default=1, metavar="K", help="runs of each workload; the median is reported (1)"
    )


def run(args: argparse.Namespace) -> int:
    """Measure and report."""
    names = list(WORKLOADS) if args.workload == ALL else [_known(args.workload)]
    if args.plot is not None and not args.plot.absolute().parent.is_dir():
        raise exits.CommandFailed(f"--plot: no folder {args.plot.parent}", exits.USAGE)
    runs = [_run(name, args) for name in names] if len(names) == 1 else _run_apart(names, args)
    if args.json:
        found = [each.result.as_json() for each in runs]
        print(json.dumps(found if args.workload == ALL else found[0]))
    else:
        print_table(runs)
    if args.plot is not None:
        try:
            plot(runs, args.plot)
        except (NoPlotter, OSError, ValueError) as error:
            raise exits.CommandFailed(f"--plot: {error}") from error
    return exits.DONE


def _run(name: str, args: argparse.Namespace) -> Run:
    workload = WORKLOADS[name]
    return measure(workload, default_size(workload, args.nodes, args.pods, args.seed), args.repeat)


def _run_apart(names: list[str], args: argparse.Namespace) -> list[Run]:
    """Each workload in a process of its own, one after the other, so that memory peaks are each one's own."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as pool:
        return [pool.submit(_run, name, args).result() for name in names]


def _known(name: str) -> str:
    """The name of a workload that can run; ends the command otherwise."""
    if name in WORKLOADS:
        return name
    if name in LATER:
        raise exits.CommandFailed(f"workload {name} cannot run yet: {LATER[name]}", exits.USAGE)
    lower = {known.lower(): known for known in (*WORKLOADS, *LATER, ALL)}
    found = difflib.get_close_matches(name.lower(), lower, 1, 0.4)
    hint = f" Did you mean {lower[found[0]]}?" if found else ""
    raise exits.CommandFailed(f"unknown workload {name!r}.{hint} There are {', '.join((*WORKLOADS, ALL))}", exits.USAGE)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {value}")
    return value
