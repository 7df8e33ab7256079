"""Plays the demo and writes its last screen, with the explanation under it, as docs/images/demo.svg.

python docs/images/render.py
"""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from rich.console import Console

from tenantry.demo.play import DemoOptions, play, stage
from tenantry.eventloop import run_fast
from tenantry.explain.render import show

OUT = Path(__file__).with_name("demo.svg")


async def picture() -> str:
    """The SVG text."""
    console = Console(record=True, width=110, highlight=False, file=StringIO())
    async with stage(DemoOptions()) as on:
        await play(on)
        console.print(on.screen.draw())
        console.print("\n[dim]$ tenantry explain pod batch/too-big[/]")
        if on.explained is not None:
            show(on.explained, console)
    return console.export_svg(title="make demo")


if __name__ == "__main__":
    svg = run_fast(picture())
    # The embedded style sheet names a font to fetch; a picture in a repository should need nothing from outside.
    head, _, rest = svg.partition("@font-face")
    while rest:
        _, _, rest = rest.partition("}")
        before, marker, rest = rest.partition("@font-face")
        head += before
        if not marker:
            break
    OUT.write_text("\n".join(line.rstrip() for line in head.splitlines()) + "\n")
