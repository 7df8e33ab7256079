"""Plugins from a watched folder: dropping in, replacing or removing a `.py` file takes effect while we run.

The files are code with our rights. So the folder is off by default, it and every file must belong to our user and be
writable by nobody else, symbolic links are refused, and every load, replacement, removal and refusal is written to the
log `tenantry_core.plugins.audit` with the hash of the file. All plugin classes that a file defines are registered and
run without being named in a profile, unless `plugins.NAME.enabled` is false.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from watchfiles import awatch

from tenantry_core.framework.registry import PluginError
from tenantry_core.framework.watchdog import CallInterrupted
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.loader_checks import is_plugin

AUDIT = logging.getLogger("tenantry_core.plugins.audit")
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
LARGEST = 1 << 20
"""Bytes of a plugin file at most."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file as last looked at."""

    digest: str
    names: tuple[str, ...]


class PluginsFolder:
    """Keeps the catalog in step with the files of one folder. `on_change` is called after the catalog changed."""

    def __init__(self, path: Path, catalog: Catalog, on_change: Callable[[], None] | None = None) -> None:
        self._path = path
        self._catalog = catalog
        self._on_change = on_change
        self._seen: dict[str, _Seen] = {}

    def scan(self) -> bool:
        """Compare the folder with what is loaded and make up the difference; whether anything changed.

        Raises PluginError where the folder itself is not safe; a bad file is audited and left out.
        """
        check_owner(os.lstat(self._path), self._path, directory=True)
        before = self._catalog.version
        files = {p.name: p for p in sorted(self._path.glob("*.py")) if not p.name.startswith((".", "_"))}
        for name in [n for n in self._seen if n not in files]:
            self._remove(name)
        for name, path in files.items():
            self._look_at(name, path)
        changed = self._catalog.version != before
        if changed and self._on_change is not None:
            self._on_change()
        return changed

    async def watch(self, stop: asyncio.Event) -> None:
        """Follow the folder until `stop` is set. A folder that becomes unsafe unloads all its plugins."""
        async for _ in awatch(self._path, stop_event=stop, debounce=200, recursive=False):
            try:
                self.scan()
            except (PluginError, OSError) as error:
                AUDIT.error("Plugins folder refused", extra={"reason": str(error)})
                self._drop_all()

    def _look_at(self, name: str, path: Path) -> None:
        seen = self._seen.get(name)
        try:
            source = read_safely(path)
        except FileNotFoundError:
            return
        except (PluginError, OSError) as error:
            AUDIT.error("Plugin file refused", extra={"file": name, "reason": str(error)})
            if seen is not None and seen.names:
                self._remove(name)
            return
        digest = hashlib.sha256(source).hexdigest()
        if seen is None or seen.digest != digest:
            self._load(name, path, source, digest)

    def _load(self, name: str, path: Path, source: bytes, digest: str) -> None:
        """Take in a new or changed file. Where it does not even run, an older version of it stays."""
        old = self._seen.get(name, _Seen("", ()))
        try:
            classes = self._classes(path, source)
        except PluginError as error:
            AUDIT.error("Plugin file not loaded", extra=_facts(name, digest, reason=str(error)))
            self._seen[name] = _Seen(digest, old.names)
            return
        for plugin in old.names:
            self._catalog.remove(plugin)
        names: list[str] = []
        for cls in classes:
            try:
                names.append(self._catalog.add(cls, f"folder {name}", on=True))
            except PluginError as error:
                AUDIT.error("Plugin not loaded", extra=_facts(name, digest, reason=str(error)))
        self._seen[name] = _Seen(digest, tuple(names))
        text = "Plugin file replaced" if old.names else "Plugin file loaded"
        AUDIT.warning(text, extra=_facts(name, digest, plugins=", ".join(names)))

    def _classes(self, path: Path, source: bytes) -> list[type[Any]]:
        module = ModuleType(f"tenantry_plugins_folder.{path.stem}")
        module.__file__ = str(path)
        sys.modules[module.__name__] = module
        try:
            code = compile(source, str(path), "exec")
            self._catalog.guards.watchdog.call(lambda: exec(code, module.__dict__))
        except CallInterrupted:
            raise PluginError("the file hangs when it is run") from None
        except Exception as error:
            raise PluginError(f"{type(error).__name__}: {error}") from error
        own = (v for v in vars(module).values() if is_plugin(v) and v.__module__ == module.__name__)
        return list(dict.fromkeys(own))

    def _remove(self, name: str) -> None:
        seen = self._seen.pop(name)
        for plugin in seen.names:
            self._catalog.remove(plugin)
        sys.modules.pop(f"tenantry_plugins_folder.{Path(name).stem}", None)
        AUDIT.warning("Plugin file removed", extra=_facts(name, seen.digest, plugins=", ".join(seen.names)))

    def _drop_all(self) -> None:
        for name in list(self._seen):
            self._remove(name)
        if self._on_change is not None:
            self._on_change()


def read_safely(path: Path) -> bytes:
    """Content of a plugin file. Raises PluginError where another user could have written it, OSError."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        # The open file is what is checked, so that nobody can swap it between the check and the reading.
        check_owner(os.fstat(file.fileno()), path, directory=False)
        source = file.read(LARGEST + 1)
    if len(source) > LARGEST:
        raise PluginError(f"{path.name} is larger than {LARGEST} bytes")
    return source


def check_owner(found: os.stat_result, path: Path, directory: bool) -> None:
    """Raise PluginError unless it is ours and only we may write it."""
    right_kind = stat.S_ISDIR(found.st_mode) if directory else stat.S_ISREG(found.st_mode)
    if not right_kind:
        raise PluginError(f"{path.name} is not a {'folder' if directory else 'regular file'}")
    if found.st_uid != os.getuid():
        raise PluginError(f"{path.name} belongs to user {found.st_uid}, not to ours ({os.getuid()})")
    if found.st_mode & OTHERS_MAY_WRITE:
        raise PluginError(f"{path.name} may be written by others (mode {stat.S_IMODE(found.st_mode):o})")


def _facts(name: str, digest: str, **more: str) -> dict[str, str]:
    return {"file": name, "sha256": digest, **more}
