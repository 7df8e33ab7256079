"""Plugins by name: how to make each, what it serves and where it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from tenantry_core.config.points import Point
from tenantry_core.config.problems import nearest
from tenantry_core.errors import TenantryError

F = TypeVar("F")


class PluginError(TenantryError):
    """A plugin that cannot be used; the text says which and why."""


class DuplicatePluginError(PluginError):
    """Two plugins of one name."""


class UnknownPluginError(PluginError):
    """A name that nothing is registered under; the text offers the nearest."""


@dataclass(frozen=True, slots=True)
class Entry(Generic[F]):
    """One plugin that could run."""

    name: str
    factory: F
    points: frozenset[Point]
    version: str
    origin: str
    """`built-in`, `package NAME VERSION`, or `folder FILE`."""
    on: bool = False
    """Whether it runs without being named in a profile."""


class Registry(Generic[F]):
    """Entries in order of registration."""

    def __init__(self) -> None:
        self.version = 0
        """Rises with every change."""
        self._entries: dict[str, Entry[F]] = {}

    def __iter__(self) -> Iterator[Entry[F]]:
        return iter(list(self._entries.values()))

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def add(self, entry: Entry[F]) -> None:
        """Register. Raises DuplicatePluginError where the name is taken."""
        taken = self._entries.get(entry.name)
        if taken is not None:
            raise DuplicatePluginError(
                f'plugin name "{entry.name}" of {entry.origin} is taken by {taken.origin}; names must be unique'
            )
        self.put(entry)

    def put(self, entry: Entry[F]) -> None:
        """Register, in place of an entry of the same name."""
        self._entries[entry.name] = entry
        self.version += 1

    def get(self, name: str) -> Entry[F]:
        """The entry. Raises UnknownPluginError."""
        found = self._entries.get(name)
        if found is None:
            raise UnknownPluginError(f'unknown plugin "{name}"{nearest(name, self._entries)}')
        return found

    def points(self) -> Mapping[str, frozenset[Point]]:
        """Extension points by name, as the configuration resolver takes them."""
        return {e.name: e.points for e in self._entries.values()}

    def factories(self) -> Mapping[str, F]:
        """Factories by name."""
        return {e.name: e.factory for e in self._entries.values()}
