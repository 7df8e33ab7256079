"""What a long simulation is at, on standard error; silent where nobody watches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import Protocol, Self, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

EVERY = 500
"""Steps between two updates."""
T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class SizedIterable(Sized, Iterable[T_co], Protocol[T_co]):
    """Something that is gone through once and knows its length."""


class Progress:
    """One line that says what is going on, with a bar where the end is known."""

    def __init__(self, on: bool) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bars = Bars(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True, disable=not on)
        self._on = on
        self._what = ""
        self._task = self._bars.add_task("", total=None, visible=False)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bars.stop()

    def step(self, what: str, done: int) -> None:
        """Say what is going on; cheap enough to be called for every pod."""
        if not self._on:
            return
        if what != self._what:
            self._begin(what, None)
        elif done % EVERY == 0:
            self._bars.update(self._task, completed=done)

    def over(self, what: str, items: SizedIterable[T]) -> Iterator[T]:
        """Go through items whose number is known."""
        if not self._on:
            yield from items
            return
        self._begin(what, len(items))
        for number, item in enumerate(items, 1):
            yield item
            if number % EVERY == 0:
                self._bars.update(self._task, completed=number)

    def _begin(self, what: str, total: int | None) -> None:
        self._what = what
        self._bars.remove_task(self._task)
        self._task = self._bars.add_task(what, total=total)
        self._bars.refresh()
