"""`tenantry simulate`: what would happen on a cluster that is only read. Touches nothing."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from tenantry.cli import exits
from tenantry.cli.profiles import profiles_of_file
from tenantry.simulate.answer import Answer
from tenantry.simulate.capacity import LIMIT, Shape
from tenantry.simulate.inventory import Inventory
from tenantry.simulate.live import read_cluster
from tenantry.simulate.nodes import clones
from tenantry.simulate.progress import Progress
from tenantry.simulate.read import InputError, Item, Stray, read_items
from tenantry.simulate.render import show
from tenantry.simulate.run import simulate
from tenantry.simulate.shapes import parse_shape, shapes_of_items
from tenantry.simulate.state import Scenario
from tenantry_core.errors import TenantryError
from tenantry_core.model.objects import Node

MOST_NODES = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "cluster", nargs="*", metavar="CLUSTER", help="dumps: kubectl get … -A -o json|yaml; - reads stdin"
    )
    parser.add_argument("--kubeconfig", metavar="FILE", help="read this cluster instead of dumps")
    parser.add_argument("--add", action="append", default=[], metavar="FILE", help="workloads to add; may be repeated")
    parser.add_argument(
        "--add-nodes", type=int, default=None, metavar="N", help="nodes to add, with --like or --node-file"
    )
    parser.add_argument("--like", metavar="NODE", help="node of the cluster to clone")
    parser.add_argument("--node-file", metavar="FILE", help="nodes to add as they stand, or to clone with --add-nodes")
    parser.add_argument("--drain", action="append", default=[], metavar="NODE,…", help="nodes to drain and remove")
    parser.add_argument(
        "--shape", action="append", default=[], metavar="SHAPE", help="cpu=500m,memory=1Gi or a pod's file; repeatable"
    )
    parser.add_argument(
        "--limit", type=int, default=LIMIT, metavar="N", help=f"replicas tried of a shape (default {LIMIT})"
    )
    parser.add_argument("--config", metavar="FILE", help="the configuration that the scheduler runs with")
    parser.add_argument("--scheduler-name", metavar="NAME", help="schedule pods with this spec.schedulerName alone")
    parser.add_argument("-o", "--output", choices=("table", "json", "wide"), default="table")
    parser.add_argument("--json", dest="output", action="store_const", const="json", help="the same as -o json")
    parser.add_argument("--plot", metavar="FILE.png", help="draw utilisation and room (needs matplotlib)")


def run(args: argparse.Namespace) -> int:
    """Answer; 0 where everything fits, 1 where something does not."""
    _check(args)
    progress = Progress(sys.stderr.isatty())
    with progress:
        try:
            profiles = profiles_of_file(args.config, args.scheduler_name)
            found = _cluster(args, progress)
            scenario = _scenario(args, found, next(iter(profiles)))
            answer = simulate(found, scenario, profiles, progress.step)
        except InputError as error:
            raise exits.CommandFailed(str(error), exits.USAGE) from error
        except TenantryError as error:
            raise exits.CommandFailed(str(error)) from error
    if args.output == "json":
        print(json.dumps(answer.as_dict()))
    else:
        show(answer, args.output == "wide")
    if args.plot:
        _plot(answer, args.plot)
    return exits.DONE if answer.everything_fits else exits.NO


def _check(args: argparse.Namespace) -> None:
    problem = ""
    if bool(args.cluster) == bool(args.kubeconfig):
        problem = "give either dumps (kubectl get nodes,pods -A -o json > FILE) or --kubeconfig"
    elif [*args.cluster, *args.add].count("-") > 1:
        problem = "standard input can be read once"
    elif args.like and args.node_file:
        problem = "--like and --node-file exclude each other"
    elif args.add_nodes is not None and not (args.like or args.node_file):
        problem = "--add-nodes needs --like NODE or --node-file FILE"
    elif args.like and args.add_nodes is None:
        problem = "--like needs --add-nodes N"
    elif args.add_nodes is not None and not 0 < args.add_nodes <= MOST_NODES:
        problem = f"--add-nodes: {args.add_nodes} is not from 1 to {MOST_NODES}"
    elif args.limit < 1:
        problem = f"--limit: {args.limit} is not above 0"
    if problem:
        raise exits.CommandFailed(problem, exits.USAGE)


def _cluster(args: argparse.Namespace, progress: Progress) -> Inventory:
    found = Inventory()
    if args.kubeconfig:
        asyncio.run(read_cluster(args.kubeconfig, found, progress.step))
        return found
    for path in args.cluster:
        items = _items(path, progress)
        found.take(progress.over(f"loading {path}", items))
    return found


def _items(path: str, progress: Progress) -> list[Item | Stray]:
    progress.step(f"reading {path}", 0)
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise exits.CommandFailed(f"{path}: {error.strerror or error}", exits.USAGE) from error
    return read_items(data, "standard input" if path == "-" else path)


def _scenario(args: argparse.Namespace, found: Inventory, scheduler: str) -> Scenario:
    quiet = Progress(False)
    added = [item for path in args.add for item in _items(path, quiet)]
    drained = list(dict.fromkeys(name for names in args.drain for name in names.split(",") if name))
    unknown = [name for name in drained if name not in found.nodes]
    if unknown:
        raise exits.CommandFailed(f"--drain: there is no node {', '.join(unknown)}", exits.USAGE)
    shapes = [shape for text in args.shape for shape in _shapes(text, scheduler, found)]
    return Scenario(added, _new_nodes(args, found), args.like or "", drained, shapes, args.limit)


def _new_nodes(args: argparse.Namespace, found: Inventory) -> list[Node]:
    if args.like:
        if args.like not in found.nodes:
            raise exits.CommandFailed(f"--like: there is no node {args.like}", exits.USAGE)
        return clones(found.nodes[args.like], args.add_nodes, found.nodes)
    if not args.node_file:
        return []
    given = Inventory()
    given.take(_items(args.node_file, Progress(False)))
    for entry in given.left_out:
        print(f"warning: {args.node_file}: {entry.kind} left out: {entry.reason}", file=sys.stderr)
    nodes = list(given.nodes.values())
    if not nodes:
        raise exits.CommandFailed(f"{args.node_file}: holds no node", exits.USAGE)
    if args.add_nodes is not None:
        return clones(nodes[0], args.add_nodes, found.nodes)
    taken = [node.metadata.name for node in nodes if node.metadata.name in found.nodes]
    if taken:
        raise exits.CommandFailed(f"{args.node_file}: the cluster has {', '.join(taken[:3])} already", exits.USAGE)
    return nodes


def _shapes(text: str, scheduler: str, found: Inventory) -> list[Shape]:
    if "=" in text and not Path(text).exists():
        shape = parse_shape(text, scheduler)
        if isinstance(shape, str):
            raise exits.CommandFailed(f"--shape {text}: {shape}", exits.USAGE)
        return [shape]
    shapes = shapes_of_items(_items(text, Progress(False)), found)
    if isinstance(shapes, str):
        raise exits.CommandFailed(f"--shape {text}: {shapes}", exits.USAGE)
    return shapes


def _plot(answer: Answer, path: str) -> None:
    from tenantry.simulate.plot import draw

    try:
        draw(answer, Path(path))
    except ImportError as error:
        raise exits.CommandFailed("--plot needs matplotlib: pip install 'tenantry[plot]'") from error
    except OSError as error:
        raise exits.CommandFailed(f"{path}: {error.strerror or error}") from error
