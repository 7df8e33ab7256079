"""Runs the benchmark table and writes one JSON file a workload: `make bench`.

Each row is one call of `tenantry bench engine`, in a process of its own, so that memory peaks are each workload's own.
A row that fails or takes too long is named at the end, and the exit code is 1.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

WORKLOADS = {
    "SchedulingBasic": 10_000,
    "SchedulingStatefulSet": 10_000,
    "SchedulingStatefulSetOwned": 10_000,
    "TopologySpreading": 10_000,
    "PreferredTopologySpreading": 10_000,
    "DefaultTopologySpreading": 10_000,
    "SchedulingPodAffinity": 5_000,
    "SchedulingPodAntiAffinity": 5_000,
    "SchedulingPreferredPodAffinity": 5_000,
    "SchedulingNodeAffinity": 10_000,
    "Unschedulable": 10_000,
    "PreemptionAsync": 5_000,
    "SchedulingWithMixedChurn": 10_000,
    "MixedSchedulingBasePod": 10_000,
}
"""Workload -> number of nodes."""
LIMIT = 44.0
"""Seconds for one workload: the whole table ends within ten minutes."""


def run(workload: str, nodes: int, folder: Path) -> str:
    """Run one row and write its file. Returns what went wrong, or ""."""
    command = [str(Path(sys.executable).with_name("tenantry")), "bench", "engine"]
    command += ["--workload", workload, "--nodes", str(nodes), "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"took longer than {LIMIT:g} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    try:
        result = json.loads(done.stdout)
    except ValueError:
        return "printed no JSON"
    (folder / f"{workload}.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"{workload:32} {nodes:6} nodes {result.get('decisions_per_second', 0):12,.0f} decisions/s", flush=True)
    return ""


def main() -> int:
    """Run the table, or the workloads that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("workloads", nargs="*", help="workloads to run; all when none is named")
    parser.add_argument("--out", type=Path, default=Path(".bench"), help="folder for the JSON files")
    parser.add_argument("--nodes", type=int, help="nodes for every workload, instead of the table's")
    given = parser.parse_args()
    if unknown := sorted(set(given.workloads) - set(WORKLOADS)):
        parser.error(f"unknown workload {', '.join(unknown)}; there are {', '.join(WORKLOADS)}")
    given.out.mkdir(parents=True, exist_ok=True)
    failed = {}
    for workload in given.workloads or WORKLOADS:
        if wrong := run(workload, given.nodes or WORKLOADS[workload], given.out):
            failed[workload] = wrong
    for workload, wrong in failed.items():
        print(f"{workload}: {wrong}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
