"""The report as text for a terminal."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table

from tenantry.explain.report import PodReport

OUTLOOK = {"never": "no pod's going would help", "later": "may fit when others go"}


def render(report: PodReport) -> RenderableType:
    """Everything the report says, top down."""
    parts: list[RenderableType] = [f"[bold]{escape(report.pod)}[/]  {report.state}", escape(report.verdict)]
    if report.reasons:
        parts += ["", _reasons(report)]
    if report.candidates:
        parts += ["", _candidates(report)]
    if report.preemption:
        parts += ["", f"Preemption: {escape(report.preemption.removeprefix('preemption: '))}"]
    if report.helped_by:
        parts += ["", f"Tried again on: {', '.join(report.helped_by)}"]
    if report.queue:
        parts += ["", "Queue: " + ", ".join(f"{key} {value}" for key, value in report.queue.items())]
    return Group(*parts)


def show(report: PodReport, console: Console | None = None) -> None:
    """Print the report."""
    (console or Console()).print(render(report))


def _reasons(report: PodReport) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title, justify in (("nodes", "right"), ("reason", "left"), ("said by", "left"), ("outlook", "left")):
        table.add_column(title, justify="right" if justify == "right" else "left")
    table.add_column("for example")
    for reason in report.reasons:
        examples = [e for e in reason.examples if e["detail"]][:2]
        shown = "; ".join(f"{e['node']}: {e['detail']}" for e in examples)
        row = (str(reason.nodes), reason.text, reason.plugin, OUTLOOK[reason.outlook], shown)
        table.add_row(*(escape(cell) for cell in row))
    return table


def _candidates(report: PodReport) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    plugins = [p for p in report.candidates[0].scores if any(c.scores[p] for c in report.candidates)]
    table.add_column("node")
    table.add_column("total", justify="right")
    for plugin in plugins:
        table.add_column(plugin, justify="right")
    for candidate in report.candidates:
        table.add_row(candidate.node, str(candidate.total), *(str(candidate.scores[p]) for p in plugins))
    return table
