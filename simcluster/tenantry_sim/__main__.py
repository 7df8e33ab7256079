"""`python -m tenantry_sim`: serve the embedded cluster until it is told to stop."""

import argparse
import sys

from tenantry_sim.access import options
from tenantry_sim.config import CONTROLLERS, DEFAULT_STAGES, SimConfig, controllers_of
from tenantry_sim.serve import run
from tenantry_sim.stages import load


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and serve. Exit code 2 for wrong usage, 3 when the port cannot be had."""
    parser = argparse.ArgumentParser(prog="tenantry_sim", description="Embedded Kubernetes API server")
    parser.add_argument("--port", type=int, default=0, help="port on loopback; 0 lets the system choose")
    parser.add_argument("--nodes", type=int, default=0, help="simulated nodes")
    parser.add_argument("--zones", type=int, default=3, help="zones that the nodes are dealt out to")
    parser.add_argument("--kubeconfig-out", help="file to write a kubeconfig to")
    parser.add_argument("--no-kubelet", action="store_true", help="leave pods as they are bound")
    parser.add_argument(
        "--controllers", default="", help="controllers to run, separated by commas: " + ", ".join(sorted(CONTROLLERS))
    )
    parser.add_argument("--stages", metavar="FILE", help="YAML file with the life of simulated pods")
    parser.add_argument("--heartbeats", type=float, default=0.0, metavar="S", help="seconds between leases of nodes")
    parser.add_argument("--seed", type=int, help="seed of UIDs and generated names")
    options.add_arguments(parser)
    given = parser.parse_args(arguments)
    try:
        access = options.settings(given)
        stages = load(given.stages) if given.stages else DEFAULT_STAGES
    except (OSError, ValueError) as problem:
        print(problem, file=sys.stderr)
        return 2
    config = SimConfig(
        **access,
        controllers=controllers_of(given.controllers),
        nodes=given.nodes,
        zones=given.zones,
        port=given.port,
        kubelet=not given.no_kubelet,
        stages=stages,
        heartbeat_seconds=given.heartbeats,
        seed=given.seed,
    )
    problems = config.problems()
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 2
    try:
        run(config, given.kubeconfig_out)
    except OSError as problem:
        print(f"cannot serve: {problem}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
