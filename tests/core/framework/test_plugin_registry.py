"""Names in the registry are unique, and a wrong one is met with the nearest."""

from __future__ import annotations

import pytest

from tenantry_core.config.points import Point
from tenantry_core.framework.registry import DuplicatePluginError, Entry, Registry, UnknownPluginError


def _entry(name: str, origin: str = "built-in") -> Entry[int]:
    return Entry(name, 1, frozenset({Point.SCORE}), "1", origin)


def test_duplicates_are_refused_with_both_origins() -> None:
    registry: Registry[int] = Registry()
    registry.add(_entry("A"))
    with pytest.raises(DuplicatePluginError, match=r'"A" of package x 1 is taken by built-in'):
        registry.add(_entry("A", "package x 1"))


def test_unknown_names_are_met_with_the_nearest() -> None:
    registry: Registry[int] = Registry()
    registry.add(_entry("NodeAffinity"))
    with pytest.raises(UnknownPluginError, match='unknown plugin "nodeafinity"; did you mean "NodeAffinity"'):
        registry.get("nodeafinity")


def test_version_rises_with_every_change() -> None:
    registry: Registry[int] = Registry()
    registry.add(_entry("A"))
    registry.put(_entry("A"))
    assert registry.version == 2
    assert (registry.factories(), registry.points()) == ({"A": 1}, {"A": frozenset({Point.SCORE})})
    assert "A" in registry
    assert [e.name for e in registry] == ["A"]
