"""Intern table: hashable values to small integers, so that columns hold numbers."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class InternTable(Generic[T]):
    """Gives each distinct value the next integer, from 0; ids are never reused."""

    __slots__ = ("_ids", "values")

    def __init__(self) -> None:
        self._ids: dict[T, int] = {}
        self.values: list[T] = []

    def __len__(self) -> int:
        return len(self.values)

    def id_of(self, value: T) -> int:
        """Id of `value`, taking a new one where it is unknown."""
        found = self._ids.get(value)
        if found is None:
            found = self._ids[value] = len(self.values)
            self.values.append(value)
        return found

    def find(self, value: T) -> int:
        """Id of `value`, or -1."""
        return self._ids.get(value, -1)
