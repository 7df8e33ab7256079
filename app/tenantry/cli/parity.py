"""`tenantry parity`: agreement with recorded decisions of kube-scheduler, per category and in total."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tenantry.cli import exits
from tenantry.parity.replay import Case, disagreements


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--cases", required=True, type=Path, help="JSON lines, one case each; .gz is unpacked")
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(args: argparse.Namespace) -> int:
    """Replay every case; 1 where any disagrees."""
    total: Counter[str] = Counter()
    agreed: Counter[str] = Counter()
    disagree: dict[str, list[str]] = {}
    for case in read_cases(args.cases):
        total[case["category"]] += 1
        differences = disagreements(case)
        if differences:
            disagree[case["id"]] = differences
        else:
            agreed[case["category"]] += 1
    if not total:
        raise exits.CommandFailed(f"{args.cases} holds no cases", exits.USAGE)
    by_category = {name: {"agree": agreed[name], "total": total[name]} for name in sorted(total)}
    if args.json:
        summary = {"agree": agreed.total(), "total": total.total(), "by_category": by_category, "disagree": disagree}
        print(json.dumps(summary))
    else:
        _print(by_category, disagree)
        print(f"{agreed.total()}/{total.total()}")
    return exits.NO if disagree else exits.DONE


def read_cases(path: Path) -> Iterator[Case]:
    """Cases of a file, in order. Ends the command with the line number where a line is no case."""
    try:
        text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise exits.CommandFailed(f"--cases: {error}", exits.USAGE) from error
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
            missing = {"id", "category", "namespaces", "objects", "nodes", "existing", "pod", "result"} - case.keys()
        except (ValueError, AttributeError) as error:
            raise exits.CommandFailed(f"{path}:{number}: not a case: {error}", exits.USAGE) from error
        if missing:
            raise exits.CommandFailed(f"{path}:{number}: fields missing: {', '.join(sorted(missing))}", exits.USAGE)
        yield case


def _print(by_category: dict[str, dict[str, int]], disagree: dict[str, list[str]]) -> None:
    for ident, differences in disagree.items():
        print(f"{ident}: {differences[0]}", file=sys.stderr)
    width = max(map(len, by_category))
    for name, counts in by_category.items():
        print(f"{name:<{width}}  {counts['agree']}/{counts['total']}")
