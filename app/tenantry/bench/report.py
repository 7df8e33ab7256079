"""The text table and the picture of a set of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tenantry.bench.result import Run

NOTE = (
    "Latencies are per pod, not amortised: pop, class lookup, decide, assume. Decoding is not part of any other figure."
)
_COLUMNS = ("workload", "nodes", "pods", "placed", "beside", "per s", "p50 µs", "p99 µs")
_MORE = ("CPU s/1000", "peak MiB", "yardstick/s", "ratio", "decode µs")


class NoPlotter(Exception):
    """The library that draws is not installed."""


def print_table(runs: Sequence[Run]) -> None:
    """Print one line a run on standard output."""
    console = Console()
    table = Table(box=None, pad_edge=False)
    for number, name in enumerate((*_COLUMNS, *_MORE)):
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    for run in runs:
        table.add_row(*_cells(run))
    wide = Console(width=max(console.width, 150)) if not console.is_terminal else console
    wide.print(table)
    wide.print(NOTE)


def _cells(run: Run) -> tuple[str, ...]:
    r = run.result
    return (
        r.workload,
        f"{r.nodes}",
        f"{r.pods}",
        f"{run.placed}",
        f"{run.beside}",
        f"{r.decisions_per_second:,.0f}",
        f"{r.p50_us:.1f}",
        f"{r.p99_us:.1f}",
        f"{r.cpu_seconds_per_1000_pods:.4f}",
        f"{r.peak_memory_bytes / 2**20:.0f}",
        f"{r.yardstick_per_second:,.0f}",
        f"{r.ratio:.2f}",
        f"{run.decode_us:.1f}",
    )


def plot(runs: Sequence[Run], path: Path) -> None:
    """Draw decisions per second beside the yardstick, and latencies. Raises NoPlotter, OSError, ValueError (format)."""
    try:
        import matplotlib
    except ImportError as error:
        raise NoPlotter(
            "matplotlib is not installed; it comes with the dev extra: pip install 'tenantry[dev]'"
        ) from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    results = [run.result for run in runs]
    names = [f"{r.workload}\n{r.nodes} nodes" for r in results]
    places = list(range(len(results)))
    figure, (rates, latencies) = pyplot.subplots(1, 2, figsize=(14, 1.5 + 0.5 * len(results)), sharey=True)
    rates.barh([p - 0.2 for p in places], [r.decisions_per_second for r in results], 0.4, label="decisions")
    rates.barh([p + 0.2 for p in places], [r.yardstick_per_second for r in results], 0.4, label="plain NumPy pass")
    rates.set_xlabel("per second")
    rates.set_yticks(places, names)
    rates.invert_yaxis()
    latencies.barh([p - 0.2 for p in places], [r.p50_us for r in results], 0.4, label="p50")
    latencies.barh([p + 0.2 for p in places], [r.p99_us for r in results], 0.4, label="p99")
    latencies.set_xscale("log")
    latencies.set_xlabel("µs per pod")
    for axes in (rates, latencies):
        axes.legend()
    figure.tight_layout()
    try:
        figure.savefig(path)
    finally:
        pyplot.close(figure)
