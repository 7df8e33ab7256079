"""Measures one workload on the engine alone: pop, class lookup, decide and assume are timed, nothing else is.

Objects are made, decoded and queued before the clock starts. What happens beside the measured pods (rejected pods,
preemptions, nodes that come and go) costs time, but is not counted as a decision.
"""

from __future__ import annotations

import gc
import resource
import sys
import time
from typing import NamedTuple

import numpy as np

from tenantry.allocator import keep_freed_memory
from tenantry.bench.cluster import Size, Stage, build
from tenantry.bench.result import Result, Run
from tenantry.bench.workloads import Workload, scaled
from tenantry.bench.yardstick import passes_per_second
from tenantry_core.cycle.decision import Placement

BESIDE_PRIORITY = 1
"""Pods of at least this priority are not measured ones."""
RESIDENT_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in a unit of ru_maxrss."""


class _Drain(NamedTuple):
    times: list[int]
    """Nanoseconds of each measured pod's attempt, pop to assume."""
    placed: int
    beside: int
    wall: float
    """Seconds."""
    cpu: float
    """Seconds, all threads."""


def default_size(workload: Workload, nodes: int, pods: int | None, seed: int) -> Size:
    """The size asked for; pods in the table's proportion where no number is given."""
    return Size(nodes, scaled(workload.measured.pods, nodes) if pods is None else pods, seed)


def measure(workload: Workload, size: Size, repeat: int = 1) -> Run:
    """The median of `repeat` runs by decisions per second, each on a cluster of its own."""
    keep_freed_memory()  # as `run` does
    runs = sorted((_once(workload, size) for _ in range(repeat)), key=lambda r: r.result.decisions_per_second)
    return runs[(len(runs) - 1) // 2]


def _once(workload: Workload, size: Size) -> Run:
    stage = build(workload, size)
    gc.collect()
    gc.freeze()  # as `run` does after its first sync: what stands is not walked again and again
    try:
        drain = _drain(stage, size.pods)
    finally:
        gc.unfreeze()
    rate, yardstick = len(drain.times) / drain.wall, passes_per_second(stage.nodes)
    p50, p99 = (float(p) / 1000 for p in np.percentile(drain.times, (50, 99)))
    result = Result(
        workload=workload.name,
        nodes=size.nodes,
        pods=size.pods,
        decisions_per_second=rate,
        p50_us=p50,
        p99_us=p99,
        cpu_seconds_per_1000_pods=drain.cpu / len(drain.times) * 1000,
        peak_memory_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RESIDENT_UNIT,
        yardstick_per_second=yardstick,
        ratio=rate / yardstick,
    )
    return Run(result, drain.placed, drain.beside, stage.placer.evicted, stage.decode_us)


def _drain(stage: Stage, pods: int) -> _Drain:
    """Try every measured pod once, with what happens beside them."""
    placer, pace, side, clock = stage.placer, stage.pace, stage.side, time.perf_counter_ns
    times: list[int] = []
    placed = beside = events = 0
    cpu, start = time.process_time(), time.perf_counter()
    while (done := len(times)) < pods:
        if side.every and done == events * side.every:
            side.happen(events, placer, pace.now)
            events += 1
        before = clock()
        attempt = placer.attempt(pace.tick())
        spent = clock() - before
        if attempt is None:
            break
        if attempt.queued.priority >= BESIDE_PRIORITY or attempt.queued.attempts > 1:
            beside += 1
            continue
        times.append(spent)
        placed += type(attempt.decision) is Placement
    return _Drain(times, placed, beside, time.perf_counter() - start, time.process_time() - cpu)
