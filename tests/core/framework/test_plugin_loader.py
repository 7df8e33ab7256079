"""What the catalog takes in, and what it refuses."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import pytest
from plugin_samples import ByIndex, EvenOnly, NotLast, guards
from stevedore import ExtensionManager

from tenantry_core.config.schema import PluginConfig, PluginRef, Plugins, PluginSet
from tenantry_core.config.schema import Profile as ProfileSettings
from tenantry_core.config.settings import PluginOverride
from tenantry_core.cycle.constraints import constraints_of
from tenantry_core.errors import ConfigError
from tenantry_core.framework.registry import DuplicatePluginError, PluginError
from tenantry_core.framework.simple import NodeView, ScorePlugin, Task
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.ports import Ports


class Flat(ScorePlugin):
    """The same for all nodes."""

    version = "2.0"
    value = 0.5

    @classmethod
    def create(cls, args: Mapping[str, object]) -> Self:
        made = cls()
        value = args.get("value", 0.5)
        assert isinstance(value, float)
        made.value = value
        return made

    def name(self) -> str:
        return "Flat"

    def score(self, task: Task, node: NodeView) -> float:
        return self.value


class Fickle(Flat):
    """Answers differently each time."""

    def score(self, task: Task, node: NodeView) -> float:
        self.value /= 2
        return self.value


class Wide(Flat):
    """Out of range."""

    value = 1.5

    @classmethod
    def create(cls, args: Mapping[str, object]) -> Self:
        return cls()


class Hanging(Flat):
    """Never answers."""

    def score(self, task: Task, node: NodeView) -> float:
        while True:
            pass


class Raising(Flat):
    """Raises at once."""

    def score(self, task: Task, node: NodeView) -> float:
        raise RuntimeError("boom")


class Misnamed(Flat):
    """A name that no file could write."""

    def name(self) -> str:
        return "not a name"


class Unversioned(Flat):
    """A version that is no text."""

    version = None  # type: ignore[assignment]


class Pointless:
    """A vector plugin without an extension point."""

    name = "Pointless"


REFUSED = {
    "not idempotent": (Fickle, "for the same input"),
    "out of range": (Wide, "not a number from 0 to 1: 1.5"),
    "hangs": (Hanging, "hangs"),
    "raises": (Raising, "score raised RuntimeError: boom"),
    "bad name": (Misnamed, "is no plugin name"),
    "no version": (Unversioned, "version must be a text"),
    "no point": (Pointless, "serves no extension point"),
    "no class": (3, "is no plugin class"),
}


@pytest.mark.parametrize(("cls", "text"), REFUSED.values(), ids=REFUSED)
def test_refused_at_load(cls: Any, text: str) -> None:
    catalog = Catalog(guards(hang_seconds=0.1))
    with pytest.raises(PluginError, match=text):
        catalog.add(cls, "package x 1")
    assert catalog.listing() == Catalog().listing()


def test_names_are_unique() -> None:
    class Again(Flat):
        def name(self) -> str:
            return "ImageLocality"

    with pytest.raises(DuplicatePluginError, match="built-in has this name"):
        Catalog().add(Again, "package x 1")


def test_listing_shows_version_points_and_origin() -> None:
    catalog = Catalog(guards())
    catalog.add(Flat, "package x 1")
    assert catalog.listing()[-1][:5] == ("Flat", "2.0", ("Score",), "package x 1", "on")


def _settings(*names: str, args: Mapping[str, object] | None = None) -> ProfileSettings:
    enabled = tuple(PluginRef(n, 3) for n in names)
    config = tuple(PluginConfig(n, raw=args or {}) for n in names)
    return ProfileSettings(plugins=Plugins(multi_point=PluginSet(enabled=enabled)), plugin_config=config)


def test_a_named_plugin_runs_with_its_weight_and_arguments() -> None:
    catalog = Catalog(guards())
    catalog.add(Flat, "package x 1")
    profile = catalog.build(_settings("Flat", args={"value": 0.25}), {}, Ports())
    (found,) = [s for s in profile.score if s.name == "Flat"]
    plugin: Any = found.plugin
    assert (found.weight, plugin.plugin.value) == (3, 0.25)


def test_a_plugin_nobody_names_does_not_run() -> None:
    catalog = Catalog(guards())
    catalog.add(Flat, "package x 1")
    assert "Flat" not in [p.name for p in catalog.build(ProfileSettings(), {}, Ports()).plugins]


def test_order_and_switch_come_from_the_settings() -> None:
    catalog = Catalog(guards())
    for cls in (EvenOnly, NotLast):
        catalog.add(_safe(cls), "package x 1")
    on = {"EvenOnly": PluginOverride(enabled=True, order=-1), "NotLast": PluginOverride(enabled=True)}
    profile = catalog.build(ProfileSettings(), on, Ports())
    assert profile.filter[0].name == "EvenOnly"
    assert [c.name for c in constraints_of(profile)] == ["NotLast"]
    off = {"EvenOnly": PluginOverride(enabled=False)}
    names = [p.name for p in catalog.build(_settings("EvenOnly"), off, Ports()).plugins]
    assert "EvenOnly" not in names


def test_a_removed_plugin_is_left_out_of_a_profile_that_names_it() -> None:
    catalog = Catalog(guards())
    catalog.add(Flat, "folder flat.py")
    before = catalog.version
    catalog.remove("Flat")
    assert catalog.version > before
    profile = catalog.build(_settings("Flat"), {}, Ports())
    assert "Flat" not in [s.name for s in profile.score]
    catalog.add(Flat, "folder flat.py")
    assert "Flat" in [s.name for s in catalog.build(_settings("Flat"), {}, Ports()).score]


def test_an_unknown_name_is_met_with_the_nearest() -> None:
    catalog = Catalog(guards())
    catalog.add(Flat, "package x 1")
    with pytest.raises(ConfigError, match='unknown plugin "Flatt"; did you mean "Flat"'):
        catalog.build(_settings("Flatt"), {}, Ports())


def test_installed_packages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sample_plugins_pkg.py").write_text(
        "from tenantry_core.framework.simple import ScorePlugin\n"
        "class Found(ScorePlugin):\n"
        "    version = '3.1'\n"
        "    def name(self): return 'Found'\n"
        "    def score(self, task, node): return 1.0\n"
    )
    info = tmp_path / "sample_plugins_pkg-3.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sample-plugins-pkg\nVersion: 3.1\n")
    (info / "entry_points.txt").write_text(
        "[tenantry.plugins]\nFound = sample_plugins_pkg:Found\nGone = sample_plugins_pkg:Gone\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(ExtensionManager, "ENTRY_POINT_CACHE", {})  # it remembers the path of earlier tests
    catalog = Catalog(guards())
    problems = catalog.discover()
    assert ("Found", "3.1", ("Score",), "package sample-plugins-pkg 3.1", "on") in [
        line[:5] for line in catalog.listing()
    ]
    assert len([p for p in problems if p.startswith("plugin Gone")]) == 1
    sys.modules.pop("sample_plugins_pkg", None)


def _safe(cls: type[Any]) -> type[Any]:
    """The sample plugins read labels that the loader's sample nodes lack; only scores are tried at load."""
    assert not issubclass(cls, ByIndex)
    return cls
