"""The demo in the terminal: one screen, redrawn a few times a second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table

from tenantry.demo.observer import Observer

LINES = 8
"""Newest lines of the story that are shown."""


@dataclass
class Screen:
    """What the screen shows; the demo fills it, `draw` reads it."""

    nodes: int
    goal: int
    observer: Observer
    queue: Mapping[str, int] = field(default_factory=dict)
    """Length of each part of the scheduling queue."""
    lines: list[str] = field(default_factory=list)

    listener: Callable[[str], None] | None = None
    """Told every line of the story at once, where there is no screen."""

    def say(self, text: str) -> None:
        """Add a line to the story."""
        self.lines.append(text)
        if self.listener is not None:
            self.listener(text)

    def draw(self) -> RenderableType:
        """The whole screen."""
        return Group(
            self._headline(),
            Padding(ProgressBar(max(1, self.goal), min(self.goal, self.observer.ever_bound), width=60), (0, 0, 1, 0)),
            self._figures(),
            "",
            self._namespaces(),
            Panel("\n".join(escape(line) for line in self.lines[-LINES:]) or " ", title="story", title_align="left"),
        )

    def _headline(self) -> str:
        bound = min(self.goal, self.observer.ever_bound)
        return f"[bold]tenantry demo[/]  {self.nodes} simulated nodes  {bound} of {self.goal} pods bound"

    def _figures(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="dim")
        names = ("active", "backoff", "unschedulable", "gated")
        for title in (*(f"queue: {n}" for n in names), "bound/s", "create to bound p50", "p99"):
            table.add_column(title, justify="right")
        observer = self.observer
        table.add_row(
            *(str(self.queue.get(n, 0)) for n in names),
            f"{observer.rate():,.0f}",
            f"{observer.percentile(50) * 1000:,.0f} ms",
            f"{observer.percentile(99) * 1000:,.0f} ms",
        )
        return table

    def _namespaces(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("namespace", min_width=12)
        for title in ("pending", "bound", "running"):
            table.add_column(title, justify="right", min_width=8)
        for name, counts in sorted(self.observer.by_namespace().items()):
            table.add_row(name, *(str(counts[state]) for state in ("pending", "bound", "running")))
        return table
