"""`tenantry version`."""

from __future__ import annotations

import argparse
import json
import platform
from importlib.metadata import version

from tenantry.cli import exits

KUBERNETES = "1.36"
"""The minor version whose scheduling semantics are implemented."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(args: argparse.Namespace) -> int:
    """Print the version."""
    found = {"version": version("tenantry"), "kubernetes": KUBERNETES, "python": platform.python_version()}
    if args.json:
        print(json.dumps(found))
    else:
        print(f"tenantry {found['version']} (semantics of Kubernetes {KUBERNETES}, Python {found['python']})")
    return exits.DONE
