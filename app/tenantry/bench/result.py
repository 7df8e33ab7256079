"""What one measurement found."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Result:
    """The fields of the JSON form, in their order."""

    workload: str
    nodes: int
    pods: int
    """Measured pods."""
    decisions_per_second: float
    """Measured pods over wall time, from the first pop to the last assume; what happens beside them costs time too."""
    p50_us: float
    """Median over the measured pods, in microseconds, of pop, class lookup, decide and assume together. Each pod is
    timed by itself: nothing is amortised."""
    p99_us: float
    cpu_seconds_per_1000_pods: float
    """CPU time of the process, all threads."""
    peak_memory_bytes: int
    """Largest resident set of the process so far."""
    yardstick_per_second: float
    """Pods per second of a plain NumPy pass over the same nodes, just after."""
    ratio: float
    """decisions_per_second / yardstick_per_second."""

    def as_json(self) -> dict[str, str | int | float]:
        """As builtins; figures rounded to what a clock can tell."""
        return {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(self).items()}


@dataclass(frozen=True)
class Run:
    """A result with what the text form adds to it."""

    result: Result
    placed: int
    """Measured pods that got a node."""
    beside: int
    """Attempts on other pods meanwhile."""
    evicted: int
    """Pods that preemption took away."""
    decode_us: float
    """Microseconds to decode and check one pod, which is not in the other figures."""
