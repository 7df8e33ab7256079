"""The answer as a picture: utilisation before and after, over the cluster and per zone, and what is left per shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tenantry.simulate.answer import Answer
from tenantry.simulate.usage import Rooms

BEFORE, AFTER, OVER = "#b8c4d6", "#2f6db5", "#c0392b"
_MAIN = ("cpu", "memory")
MOST_ZONES = 12


def draw(answer: Answer, path: Path) -> None:
    """Write a PNG. Raises ImportError without matplotlib, OSError where the file cannot be written."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        zones = _zones(answer)
        rows = 1 + bool(zones) + bool(answer.capacity)
        heights = [_height(len(_cluster(answer))), *([_height(len(zones))] if zones else [])]
        heights += [_height(len(answer.capacity))] if answer.capacity else []
        figure = Figure(figsize=(9, sum(heights) + 0.6), layout="constrained", dpi=130)
        axes = figure.subplots(rows, 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
        _bars(axes[0], "Cluster: share of allocatable that is requested", _cluster(answer))
        if zones:
            _bars(axes[1], "Zones", zones)
        axes[0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, frameon=False)
        if answer.capacity:
            _room(axes[-1], answer)
        figure.suptitle(_title(answer), fontsize=11, fontweight="bold")
        figure.savefig(path, format="png")


def _height(bars: int) -> float:
    return 0.9 + 0.42 * max(bars, 1)


def _title(answer: Answer) -> str:
    outcomes = [
        f"{n} {name}" for name in ("placed", "unplaced", "gated", "refused", "preempted") if (n := answer.count(name))
    ]
    nodes = f"{answer.before.nodes} nodes"
    if answer.after.nodes != answer.before.nodes:
        nodes = f"{answer.before.nodes} → {answer.after.nodes} nodes"
    return ", ".join([nodes, *outcomes])


def _cluster(answer: Answer) -> list[tuple[str, float, float]]:
    return _pairs("", answer.before.cluster, answer.after.cluster, tuple(answer.after.cluster) or _MAIN)


def _zones(answer: Answer) -> list[tuple[str, float, float]]:
    names = sorted({*answer.before.zones, *answer.after.zones})
    if len(names) < 2:
        return []
    found = []
    for name in names[:MOST_ZONES]:
        found += _pairs(f"{name} ", answer.before.zones.get(name, {}), answer.after.zones.get(name, {}), _MAIN)
    return found


def _pairs(prefix: str, before: Rooms, after: Rooms, names: tuple[str, ...]) -> list[tuple[str, float, float]]:
    found = []
    for name in names:
        shares = [rooms[name].share * 100 if name in rooms else 0.0 for rooms in (before, after)]
        found.append((prefix + name, shares[0], shares[1]))
    return found


def _bars(axis: Any, title: str, pairs: list[tuple[str, float, float]]) -> None:
    places = range(len(pairs))
    before, after = [p[1] for p in pairs], [p[2] for p in pairs]
    axis.barh([p - 0.2 for p in places], before, 0.36, color=BEFORE, label="before")
    bars = axis.barh([p + 0.2 for p in places], after, 0.36, color=AFTER, label="after")
    for bar, value in zip(bars, after, strict=True):
        bar.set_color(OVER if value > 100 else AFTER)
    axis.bar_label(bars, [f"{value:.1f} %" for value in after], padding=3, fontsize=8)
    axis.set_yticks(list(places), [p[0] for p in pairs])
    axis.invert_yaxis()
    axis.set_xlim(0, max(100.0, *before, *after) * 1.08)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g} %")
    axis.set_title(title, loc="left", fontsize=10)


def _room(axis: Any, answer: Answer) -> None:
    names = [room.shape if len(room.shape) <= 40 else room.shape[:39] + "…" for room in answer.capacity]
    counts = [room.fits for room in answer.capacity]
    bars = axis.barh(range(len(names)), counts, 0.5, color=AFTER)
    axis.bar_label(
        bars, [f"{c:,}{'+' if r.at_least else ''}" for c, r in zip(counts, answer.capacity, strict=True)], padding=3
    )
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.set_xlim(0, max(1, *counts) * 1.12)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.set_title("Room left: more replicas of each shape", loc="left", fontsize=10)
