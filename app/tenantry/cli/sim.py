"""`tenantry sim serve`: the embedded Kubernetes API alone, for kubectl and for trying things."""

from __future__ import annotations

import argparse

from tenantry.cli import exits
from tenantry_sim import SimConfig
from tenantry_sim import run as serve_until_told
from tenantry_sim.access import options
from tenantry_sim.config import DEFAULT_STAGES, controllers_of
from tenantry_sim.stages import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--port", type=int, default=0, help="port on loopback; 0 lets the system choose (default)")
    parser.add_argument("--nodes", type=int, default=10, help="simulated nodes (default 10)")
    parser.add_argument("--zones", type=int, default=3, help="zones that the nodes are dealt out to (default 3)")
    options.add_arguments(parser)
    parser.add_argument(
        "--controllers",
        default="all",
        help="controllers to run, separated by commas (default all; none for a bare API server)",
    )
    parser.add_argument("--stages", metavar="FILE", help="YAML file with the life of simulated pods")
    parser.add_argument("--kubeconfig-out", metavar="FILE", help="write a kubeconfig that points at the server")


def run(args: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM."""
    names = controllers_of(args.controllers)
    try:
        access = options.settings(args)
        stages = load(args.stages) if args.stages else DEFAULT_STAGES
    except (OSError, ValueError) as error:
        raise exits.CommandFailed(str(error), exits.USAGE) from error
    config = SimConfig(nodes=args.nodes, zones=args.zones, port=args.port, controllers=names, stages=stages, **access)
    problems = config.problems()
    if problems:
        raise exits.CommandFailed("; ".join(problems), exits.USAGE)
    try:
        serve_until_told(config, args.kubeconfig_out)
    except OSError as error:
        raise exits.CommandFailed(f"cannot serve: {error}", exits.FAULT) from error
    return exits.DONE
