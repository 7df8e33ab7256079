"""Entry point: finds the command, loads only its module, turns its outcome into an exit code.

Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 fault.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple, NoReturn

from tenantry.cli import exits


class Command(NamedTuple):
    """Where a command lives and what it is for."""

    module: str
    summary: str


COMMANDS: dict[str, Command] = {
    "demo": Command("tenantry.cli.demo", "an embedded cluster, a scheduler and a burst of pods, live in the terminal"),
    "run": Command("tenantry.cli.run", "schedule the pods of a cluster"),
    "sim serve": Command("tenantry.cli.sim", "serve the embedded Kubernetes API with simulated nodes"),
    "simulate": Command("tenantry.cli.simulate", "what would happen on a cluster dump; touches nothing"),
    "explain pod": Command("tenantry.cli.explain", "why a pod is where it is, or why it is nowhere"),
    "plugins list": Command("tenantry.cli.plugins", "plugins that can run: version, points, order, weight, on or off"),
    "parity": Command("tenantry.cli.parity", "replay recorded scheduling cases and count agreement"),
    "bench engine": Command("tenantry.bench.command", "measure scheduling decisions without a server"),
    "version": Command("tenantry.cli.version", "print the version"),
}


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run one command and exit."""
    sys.exit(call(list(sys.argv[1:] if argv is None else argv)))


def call(argv: list[str]) -> int:
    """Run one command; returns its exit code."""
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(usage())
        return exits.DONE if argv else exits.USAGE
    if argv[0] == "--version":
        argv = ["version"]
    name, rest = _split(argv)
    if name is None:
        print(f"tenantry: unknown command {' '.join(argv[:2])!r}.{_nearest(argv)}\n\n{usage()}", file=sys.stderr)
        return exits.USAGE
    module = import_module(COMMANDS[name].module)
    parser = argparse.ArgumentParser(prog=f"tenantry {name}", description=COMMANDS[name].summary.capitalize() + ".")
    module.add_arguments(parser)
    try:
        return int(module.run(parser.parse_args(rest)))
    except KeyboardInterrupt:
        return exits.FAULT
    except BrokenPipeError:
        # The reader went away (`tenantry … | head`): nothing is left to say, and the flush at exit must not say it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.DONE
    except exits.CommandFailed as failed:
        print(f"tenantry {name}: {failed}", file=sys.stderr)
        return failed.code


def usage() -> str:
    """The list of commands."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    return (
        "usage: tenantry COMMAND [options]\n\n" + "\n".join(lines) + "\n\n`tenantry COMMAND --help` lists its options."
    )


def _split(argv: list[str]) -> tuple[str | None, list[str]]:
    for length in (2, 1):
        name = " ".join(argv[:length])
        if name in COMMANDS:
            return name, argv[length:]
    return None, argv


def _nearest(argv: list[str]) -> str:
    asked = " ".join(argv[:2])
    known = [*COMMANDS, *(name.split()[0] for name in COMMANDS)]
    found = difflib.get_close_matches(asked, known, 1) or difflib.get_close_matches(argv[0], known, 1)
    starts = [name for name in COMMANDS if name.split()[0] == argv[0]]
    found = starts or found
    return f" Did you mean {found[0]!r}?" if found else ""


if __name__ == "__main__":
    main()
