"""The watched plugins folder: what is taken in, what is refused, and that changes take effect while we run."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from plugin_samples import guards

from tenantry_core.config.schema import Profile as ProfileSettings
from tenantry_core.config.settings import PluginOverride
from tenantry_core.framework.registry import PluginError
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.loader_folder import PluginsFolder
from tenantry_core.plugins.ports import Ports

SOURCE = """
from tenantry_core.framework.simple import ScorePlugin
class Dropped(ScorePlugin):
    version = "{version}"
    def name(self):
        return "{name}"
    def score(self, task, node):
        return 0.5
"""


class Place:
    """A safe folder with its catalog."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.chmod(0o700)
        self.catalog = Catalog(guards(hang_seconds=0.1))
        self.told = 0
        self.folder = PluginsFolder(path, self.catalog, self._tell)

    def _tell(self) -> None:
        self.told += 1

    def write(self, file: str, text: str) -> Path:
        """Put a file there in one step, writable by us alone."""
        part = self.path / f".{file}.part"
        part.write_text(text)
        part.chmod(0o600)
        return part.replace(self.path / file)

    def versions(self) -> dict[str, str]:
        """Plugins from the folder."""
        return {p.name: p.version for p in self.catalog.listing() if p.origin.startswith("folder")}

    def running(self, **overrides: PluginOverride) -> list[str]:
        """Names in a profile that names nothing itself."""
        return [s.name for s in self.catalog.build(ProfileSettings(), overrides, Ports()).score]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def _source(name: str = "Dropped", version: str = "1") -> str:
    return SOURCE.format(name=name, version=version)


def test_dropping_in_replacing_and_removing(place: Place) -> None:
    file = place.write("a.py", _source())
    assert place.folder.scan()
    assert place.versions() == {"Dropped": "1"}
    assert "Dropped" in place.running()
    assert not place.folder.scan()
    place.write("a.py", _source(version="2"))
    assert place.folder.scan()
    assert place.versions() == {"Dropped": "2"}
    file.unlink()
    assert place.folder.scan()
    assert place.versions() == {}
    assert "Dropped" not in place.running()
    assert place.told == 3


def test_a_plugin_of_the_folder_can_be_switched_off(place: Place) -> None:
    place.write("a.py", _source())
    place.folder.scan()
    assert "Dropped" not in place.running(Dropped=PluginOverride(enabled=False))


def test_a_replacement_may_change_the_name(place: Place) -> None:
    place.write("a.py", _source("One"))
    place.folder.scan()
    place.write("a.py", _source("Two"))
    place.folder.scan()
    assert place.versions() == {"Two": "1"}


def test_a_name_that_is_taken_is_refused(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    place.write("a.py", _source())
    place.write("b.py", _source(version="9"))
    place.folder.scan()
    assert place.versions() == {"Dropped": "1"}
    assert any("has this name" in str(getattr(r, "reason", "")) for r in caplog.records)


BROKEN = {
    "syntax": "def (",
    "raises": "raise RuntimeError('boom')",
    "hangs": "while True: pass",
    "no plugin": "x = 1",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_stops_nothing(place: Place, text: str) -> None:
    place.write("bad.py", text)
    place.write("good.py", _source())
    place.folder.scan()
    assert place.versions() == {"Dropped": "1"}


def test_a_broken_replacement_leaves_the_old_version(place: Place) -> None:
    place.write("a.py", _source())
    place.folder.scan()
    place.write("a.py", "def (")
    place.folder.scan()
    assert place.versions() == {"Dropped": "1"}


def _group_may_write(path: Path) -> None:
    path.chmod(0o620)


def _others_may_write(path: Path) -> None:
    path.chmod(0o602)


def _a_link(path: Path) -> None:
    target = path.parent / "elsewhere.txt"
    path.rename(target)
    path.symlink_to(target)


UNSAFE = {"group": _group_may_write, "others": _others_may_write, "link": _a_link}


@pytest.mark.parametrize("spoil", UNSAFE.values(), ids=UNSAFE)
def test_an_unsafe_file_is_refused_and_unloaded(place: Place, spoil: Callable[[Path], None]) -> None:
    file = place.write("a.py", _source())
    place.folder.scan()
    spoil(file)
    place.folder.scan()
    assert place.versions() == {}


@pytest.mark.parametrize("mode", [0o770, 0o702], ids=["group", "others"])
def test_an_unsafe_folder_is_refused(place: Place, mode: int) -> None:
    place.write("a.py", _source())
    place.path.chmod(mode)
    with pytest.raises(PluginError, match="may be written by others"):
        place.folder.scan()
    assert place.versions() == {}


def test_another_users_folder_is_refused(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    with pytest.raises(PluginError, match="belongs to user"):
        place.folder.scan()


def test_every_step_is_audited(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tenantry_core.plugins.audit")
    file = place.write("a.py", _source())
    place.folder.scan()
    place.write("a.py", _source(version="2"))
    place.folder.scan()
    file.unlink()
    place.folder.scan()
    audit = [r for r in caplog.records if r.name == "tenantry_core.plugins.audit"]
    steps = ["Plugin file loaded", "Plugin file replaced", "Plugin file removed"]
    assert [r.getMessage() for r in audit] == steps
    assert all(len(getattr(r, "sha256", "")) == 64 for r in audit)
    assert all(getattr(r, "plugins", "") == "Dropped" for r in audit)


async def test_changes_take_effect_while_we_run(place: Place) -> None:
    place.folder.scan()
    stop = asyncio.Event()
    task = asyncio.create_task(place.folder.watch(stop))
    try:
        for version in ("1", "2"):
            await _until(
                lambda v=version: place.versions() == {"Dropped": v},
                lambda v=version: place.write("a.py", _source(version=v)),
            )
        await _until(lambda: place.versions() == {}, lambda: (place.path / "a.py").unlink(missing_ok=True))
    finally:
        stop.set()
        await asyncio.wait_for(task, 10)


async def _until(condition: Callable[[], bool], act: Callable[[], object]) -> None:
    """Act, then wait for the condition; acts again now and then, as the watcher may not have been listening yet."""
    for attempt in range(500):
        if attempt % 100 == 0:
            act()
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("no effect")
