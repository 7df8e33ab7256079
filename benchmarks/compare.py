"""Prints the ratios of two benchmark runs, workload by workload.

    python benchmarks/compare.py A.json B.json

Each file holds what `tenantry bench engine --json` prints, an object or a list; a folder holds such files (`.bench`).
A ratio is B over A. `against yardstick` compares decisions per second after dividing by each run's own yardstick, so it
can be read across machines and loads.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

COLUMNS = {
    "decisions/s": "decisions_per_second",
    "against yardstick": "ratio",
    "p50": "p50_us",
    "p99": "p99_us",
    "CPU": "cpu_seconds_per_1000_pods",
    "memory": "peak_memory_bytes",
}
Result = dict[str, Any]
Key = tuple[str, int]


def read(path: Path) -> dict[Key, Result]:
    """Results of a file or folder by workload and number of nodes. Raises OSError, ValueError."""
    found: dict[Key, Result] = {}
    for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
        content = json.loads(file.read_text(encoding="utf-8"))
        for result in content if isinstance(content, list) else [content]:
            if not isinstance(result, dict) or not {"workload", "nodes", *COLUMNS.values()} <= result.keys():
                raise ValueError(f"{file}: not the output of `tenantry bench engine --json`")
            found[result["workload"], result["nodes"]] = result
    return found


def ratio(before: float, after: float) -> str:
    """`after` over `before`."""
    return f"{after / before:.2f}" if before else "-"


def main() -> int:
    """Compare two runs; 1 where they have nothing in common."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("before", type=Path, metavar="A.json")
    parser.add_argument("after", type=Path, metavar="B.json")
    given = parser.parse_args()
    try:
        before, after = read(given.before), read(given.after)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    both = [key for key in before if key in after]
    print(f"{'workload':32} {'nodes':>6} " + " ".join(f"{name:>17}" for name in COLUMNS))
    for key in both:
        cells = [ratio(before[key][field], after[key][field]) for field in COLUMNS.values()]
        print(f"{key[0]:32} {key[1]:>6} " + " ".join(f"{cell:>17}" for cell in cells))
    for key in sorted(before.keys() ^ after.keys()):
        print(f"{key[0]} at {key[1]} nodes is only in {'A' if key in before else 'B'}", file=sys.stderr)
    return 0 if both else 1


if __name__ == "__main__":
    sys.exit(main())
