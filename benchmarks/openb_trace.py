"""Places a production GPU trace as one backlog, nothing ever deleted, and says how much of it found room.

    python benchmarks/openb_trace.py --traces DIR [--strategy MostAllocated]

DIR holds `openb/nodes.csv` and `openb/pods.csv` of the public cluster-trace-gpu-v2023 (alibaba/clusterdata). A node's
GPUs become the extended resource `example.com/gpu-milli`, its model a label; a pod's `gpu_spec` becomes a required node
affinity. Pods come in the order of their creation.
"""

import argparse
import csv
import json
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from tenantry.allocator import keep_freed_memory
from tenantry.simulate.place import Placer
from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.config import load_config, resolve_profile
from tenantry_core.cycle.decision import Placement
from tenantry_core.framework.profile import Profile
from tenantry_core.model.decode import from_builtins
from tenantry_core.plugins.ports import Ports
from tenantry_core.plugins.profiles import build_profile

GPU, MODEL = "example.com/gpu-milli", "example.com/gpu-model"
SLOTS = 256
"""Pods a node takes."""
HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
STRATEGIES = {
    "default": HEAD,
    "MostAllocated": HEAD
    + f"""
profiles:
- plugins:
    score: {{disabled: [{{name: NodeResourcesBalancedAllocation}}]}}
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources:
        - {{name: {GPU}, weight: 3}}
        - {{name: cpu, weight: 1}}
        - {{name: memory, weight: 1}}
""",
}
Row = dict[str, str]


def node(row: Row) -> dict[str, Any]:
    """A node of the trace as the API server would show it."""
    amounts = {"cpu": f"{row['cpu_milli']}m", "memory": f"{row['memory_mib']}Mi", "pods": str(SLOTS)}
    labels = {"kubernetes.io/hostname": row["sn"]}
    if int(row["gpu"]):
        amounts[GPU] = str(int(row["gpu"]) * 1000)
        labels[MODEL] = row["model"]
    return {"metadata": {"name": row["sn"], "labels": labels}, "status": {"allocatable": amounts}}


def pod(row: Row) -> dict[str, Any]:
    """A pod of the trace as the API server would show it."""
    amounts = {"cpu": f"{row['cpu_milli']}m", "memory": f"{row['memory_mib']}Mi"}
    if gpu_milli(row):
        amounts[GPU] = str(gpu_milli(row))
    spec: dict[str, Any] = {"containers": [{"name": "main", "resources": {"requests": amounts, "limits": amounts}}]}
    if row["gpu_spec"]:
        rule = {"matchExpressions": [{"key": MODEL, "operator": "In", "values": row["gpu_spec"].split("|")}]}
        spec["affinity"] = {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [rule]}}
        }
    return {"metadata": {"name": row["name"], "namespace": "openb", "uid": row["name"]}, "spec": spec}


def gpu_milli(row: Row) -> int:
    """Thousandths of a GPU that a pod asks for."""
    return int(row["num_gpu"]) * int(row["gpu_milli"] or 0)


def profile(strategy: str) -> Profile:
    """The scheduler profile of a strategy."""
    config = load_config(STRATEGIES[strategy])
    if isinstance(config, list):
        raise SystemExit("\n".join(map(str, config)))
    return build_profile(resolve_profile(config.scheduler.profiles[0]), Ports())


def place(nodes: list[Row], pods: list[Row], strategy: str) -> dict[str, float | int | str]:
    """Place the backlog; what it came to."""
    placer = Placer(ClusterCache(), profile(strategy))
    for row in nodes:
        placer.cache.upsert_node(from_builtins("Node", node(row)))
    asked = {row["name"]: gpu_milli(row) for row in pods}
    placer.submit((from_builtins("Pod", pod(row)) for row in pods), 0.0)
    placed, milli = 0, 0
    times: list[float] = []
    while True:
        start = time.perf_counter()
        attempt = placer.attempt(0.0)
        if attempt is None:
            break
        times.append(time.perf_counter() - start)
        if isinstance(attempt.decision, Placement):
            placed += 1
            milli += asked[attempt.queued.uid]
    return {
        "strategy": strategy,
        "nodes": len(nodes),
        "pods": len(pods),
        "placed": placed,
        "gpu_milli_placed": milli,
        "decision_mean_us": round(statistics.fmean(times) * 1e6, 1),
        "decision_p50_us": round(statistics.median(times) * 1e6, 1),
        "decision_p99_us": round(sorted(times)[len(times) * 99 // 100] * 1e6, 1),
    }


def main() -> int:
    """Place the trace and print the outcome."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--traces", type=Path, required=True, metavar="DIR", help="folder that holds openb/")
    parser.add_argument("--strategy", choices=STRATEGIES, default="default")
    parser.add_argument("--json", action="store_true", help="print as JSON")
    parser.add_argument("--seed", type=int, help="shuffle the nodes; they stand in the order of the file without it")
    given = parser.parse_args()
    try:
        nodes, pods = (_rows(given.traces / "openb" / name) for name in ("nodes.csv", "pods.csv"))
    except OSError as error:
        parser.error(f"--traces: {error}")
    keep_freed_memory()
    if given.seed is not None:
        random.Random(given.seed).shuffle(nodes)
    pods.sort(key=lambda row: int(row["creation_time"]))
    found = place(nodes, pods, given.strategy)
    print(json.dumps(found) if given.json else "\n".join(f"{name:20} {value}" for name, value in found.items()))
    return 0


def _rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    sys.exit(main())
