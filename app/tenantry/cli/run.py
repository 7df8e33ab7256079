"""`tenantry run`: the scheduler against a cluster, until SIGTERM."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from tenantry.cli import exits
from tenantry.process import RunOptions, run_process
from tenantry_core.config import Config, load_config
from tenantry_core.config.schema import LeaderElection
from tenantry_core.errors import ConfigError
from tenantry_core.framework.registry import PluginError
from tenantry_core.kube.errors import KubeError
from tenantry_core.plugins.loader import Catalog
from tenantry_telemetry.logs import LogSettings, configure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--kubeconfig", metavar="FILE", help="default: $KUBECONFIG, ~/.kube/config, the pod we run in")
    parser.add_argument("--config", metavar="FILE", help="KubeSchedulerConfiguration, TenantryConfiguration or both")
    parser.add_argument("--scheduler-name", metavar="NAME", help="serve pods with this spec.schedulerName alone")
    parser.add_argument("--tenant-namespace", metavar="NS", default="", help="serve pods of this namespace alone")
    parser.add_argument("--no-leader-elect", action="store_true", help="decide without holding the lease")
    parser.add_argument("--metrics-bind", metavar="HOST:PORT", help="metrics and health; empty turns them off")


def run(args: argparse.Namespace) -> int:
    """Run until told to stop. 0 after a clean stop, 1 when the lease was lost, 2 for a bad configuration."""
    catalog = Catalog()
    problems = catalog.discover()
    config = read_config(args.config, catalog)
    for problem in problems:
        print(f"tenantry run: {problem}", file=sys.stderr)
    if args.scheduler_name:
        config = for_name(config, args.scheduler_name)
    settings = config.tenantry
    bind = settings.metrics_bind_address if args.metrics_bind is None else args.metrics_bind
    _check_address(bind)
    pipe = configure(LogSettings(settings.logging.level, "json" if settings.logging.format == "json" else "text"))
    try:
        options = RunOptions(
            args.kubeconfig, args.tenant_namespace, not args.no_leader_elect, bind, version("tenantry"), catalog
        )
        return run_process(config, options)
    except ConfigError as error:
        raise exits.CommandFailed("\n".join(error.problems), exits.USAGE) from error
    except (KubeError, PluginError, OSError) as error:
        raise exits.CommandFailed(str(error), exits.FAULT) from error
    finally:
        pipe.close()


def read_config(path: str | None, catalog: Catalog) -> Config:
    """The configuration of a file, or the default one. Every error is printed; ends the command with 2 then."""
    if path is None:
        return Config()
    try:
        text = Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise exits.CommandFailed(f"{path}: {error}", exits.USAGE) from error
    found = load_config(text, catalog.points())
    if isinstance(found, Config):
        for note in found.notes:
            print(f"{path}: {note}", file=sys.stderr)
        return found
    lines = "\n".join(f"  {error}" for error in found)
    raise exits.CommandFailed(f"{path}: {len(found)} error(s)\n{lines}", exits.USAGE)


def for_name(config: Config, name: str) -> Config:
    """The configuration reduced to one scheduler name: its profile, or the only profile under that name.

    A lease of its own goes with it unless the file names one, so that it can run beside kube-scheduler.
    """
    profiles = [profile for profile in config.scheduler.profiles if profile.scheduler_name == name]
    if not profiles:
        if len(config.scheduler.profiles) > 1:
            known = ", ".join(profile.scheduler_name for profile in config.scheduler.profiles)
            raise exits.CommandFailed(f"--scheduler-name: no profile {name!r} among {known}", exits.USAGE)
        profiles = [replace(config.scheduler.profiles[0], scheduler_name=name)]
    election = config.scheduler.leader_election
    if election.resource_name == LeaderElection().resource_name and name != "default-scheduler":
        election = replace(election, resource_name=f"tenantry-{name}")
    return replace(config, scheduler=replace(config.scheduler, profiles=tuple(profiles), leader_election=election))


def _check_address(address: str) -> None:
    _, colon, port = address.rpartition(":")
    if address and not (colon and port.isdigit() and int(port) < 65536):
        raise exits.CommandFailed(f"--metrics-bind: {address!r} is not HOST:PORT", exits.USAGE)
