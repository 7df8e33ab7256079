"""All plugins that could run: the built-in ones, those of installed packages, and those of the plugins folder.

An installed package offers plugins through the entry-point group `tenantry.plugins`; the value of an entry is a plugin
class. They run once a profile names them, or `plugins.NAME.enabled: true` of our own configuration does.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import distributions
from typing import Any, NamedTuple

from stevedore import ExtensionManager

from tenantry_core.config.points import BUILTIN_PLUGINS, Point
from tenantry_core.config.resolve import resolve_profile
from tenantry_core.config.schema import Profile as ProfileSettings
from tenantry_core.config.settings import PluginOverride
from tenantry_core.framework.guard import Guards
from tenantry_core.framework.guarded import GuardedPlugin
from tenantry_core.framework.plugin import Plugin
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.registry import DuplicatePluginError, Entry, PluginError, Registry
from tenantry_core.framework.simple import SchedulerPlugin
from tenantry_core.framework.simple_adapter import adapt
from tenantry_core.plugins.defaults import Factory, builtin_factories
from tenantry_core.plugins.loader_checks import check, make, points_of
from tenantry_core.plugins.ports import Ports
from tenantry_core.plugins.profiles import build_profile

GROUP = "tenantry.plugins"
BUILT_IN = "built-in"
REMOVED = "removed"
_log = logging.getLogger(__name__)


@dataclass
class Absent:
    """Stands for a plugin that was removed while a profile still names it: serves no extension point."""

    name: str


class Listed(NamedTuple):
    """One line of `tenantry plugins list`."""

    name: str
    version: str
    points: tuple[str, ...]
    origin: str
    state: str
    """`on`, `isolated` or `unloaded`: whether its guard lets it run where a profile has it."""
    calls: int = 0
    """Guarded calls since it was loaded; built-in plugins are not counted."""
    errors: int = 0
    seconds: float = 0.0


class Catalog:
    """Registry of all plugins, with guards around those from outside.

    `built_in` are the factories of the built-in plugins where the caller makes some of them in its own way.
    """

    def __init__(self, guards: Guards | None = None, built_in: Mapping[str, Factory] | None = None) -> None:
        self.guards = guards if guards is not None else Guards()
        self.registry: Registry[Factory] = Registry()
        for name, factory in (builtin_factories() if built_in is None else built_in).items():
            self.registry.add(Entry(name, factory, BUILTIN_PLUGINS.get(name, frozenset()), "", BUILT_IN))

    @property
    def version(self) -> int:
        """Rises whenever profiles must be built again: a plugin came, changed or went."""
        return self.registry.version

    def add(self, cls: type[Any], origin: str, on: bool = False) -> str:
        """Check a plugin class and register it; returns its name. Raises PluginError."""
        if not inspect.isclass(cls):
            raise PluginError(f"{cls!r} of {origin} is no plugin class")
        watchdog = self.guards.watchdog
        sample = make(cls, {}, watchdog)
        name = check(sample, watchdog)
        version = getattr(sample, "version", "0")
        if name in self.registry and self.registry.get(name).origin != REMOVED:
            raise DuplicatePluginError(f'plugin "{name}" of {origin}: {self.registry.get(name).origin} has this name')
        guard = self.guards.make(name, bool(getattr(sample, "required", False)))

        def factory(profile: ProfileSettings, ports: Ports) -> Plugin:
            plugin = make(cls, profile.raw_args(name), watchdog)
            return adapt(plugin, guard) if isinstance(plugin, SchedulerPlugin) else GuardedPlugin(plugin, guard)

        self.registry.put(Entry(name, factory, points_of(sample), version, origin, on))
        return name

    def remove(self, name: str) -> None:
        """Take a plugin from outside away; a profile that names it goes on without it."""
        entry = self.registry.get(name)
        self.guards.drop(name)

        def factory(profile: ProfileSettings, ports: Ports) -> Plugin:
            return Absent(name)

        self.registry.put(Entry(name, factory, entry.points, "", REMOVED))

    def discover(self) -> list[str]:
        """Register what installed packages offer. Returns what could not be used, one line each."""
        problems: list[str] = []

        def failed(manager: object, entry_point: Any, error: BaseException) -> None:
            problems.append(f"plugin {entry_point.name} ({entry_point.value}): {type(error).__name__}: {error}")

        found: Any = ExtensionManager(GROUP, invoke_on_load=False, on_load_failure_callback=failed)
        for extension in found:
            try:
                self.add(extension.plugin, f"package {_package(extension.entry_point)}")
            except PluginError as error:
                problems.append(str(error))
        for problem in problems:
            _log.error("Plugin not loaded", extra={"reason": problem})
        return problems

    def points(self) -> Mapping[str, frozenset[Point]]:
        """Extension points by plugin name, for reading and resolving a configuration."""
        return {**BUILTIN_PLUGINS, **self.registry.points()}

    def overrides(self, configured: Mapping[str, PluginOverride]) -> Mapping[str, PluginOverride]:
        """The configured changes, with plugins switched on that run without being named."""
        found = dict(configured)
        for entry in self.registry:
            own = found.get(entry.name, PluginOverride())
            if entry.on and own.enabled is None:
                found[entry.name] = replace(own, enabled=True)
        return found

    def build(
        self, profile: ProfileSettings, configured: Mapping[str, PluginOverride], ports: Ports, percentage: int = 0
    ) -> Profile:
        """The profile to run. Raises ConfigError where it cannot be resolved, PluginError where a plugin fails."""
        resolved = resolve_profile(profile, self.points(), self.overrides(configured))
        return build_profile(resolved, ports, self.registry.factories(), percentage)

    def listing(self) -> Sequence[Listed]:
        """All plugins that could run."""
        return [self._listed(entry) for entry in self.registry if entry.origin != REMOVED]

    def _listed(self, entry: Entry[Factory]) -> Listed:
        served = tuple(p.value for p in Point if p in entry.points)
        line = Listed(entry.name, entry.version, served, entry.origin, self.guards.state(entry.name).value)
        guard = self.guards.get(entry.name)
        return line if guard is None else line._replace(calls=guard.calls, errors=guard.errors, seconds=guard.seconds)


def _package(entry_point: Any) -> str:
    """Name and version of the package that offers an entry point; the module where that is not known."""
    wanted = (GROUP, entry_point.name, entry_point.value)
    for dist in distributions():
        if any((e.group, e.name, e.value) == wanted for e in dist.entry_points):
            return f"{dist.name} {dist.version}"
    return str(entry_point.value).partition(":")[0]
