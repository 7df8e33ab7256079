"""What a plugin from outside has to pass before it may run."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from tenantry_core.config.points import Point
from tenantry_core.framework.guard import BadValueError
from tenantry_core.framework.registry import PluginError
from tenantry_core.framework.simple import SchedulerPlugin, ScorePlugin
from tenantry_core.framework.simple_adapter import points
from tenantry_core.framework.views import NodeView, Task
from tenantry_core.framework.watchdog import CallInterrupted, Watchdog
from tenantry_core.plugins.testing import node_view, task

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_METHODS = {
    "pre_enqueue": Point.PRE_ENQUEUE,
    "pre_filter": Point.PRE_FILTER,
    "filter": Point.FILTER,
    "post_filter": Point.POST_FILTER,
    "pre_score": Point.PRE_SCORE,
    "score": Point.SCORE,
    "reserve": Point.RESERVE,
    "permit": Point.PERMIT,
    "pre_bind": Point.PRE_BIND,
    "bind": Point.BIND,
    "post_bind": Point.POST_BIND,
    "allows": Point.FILTER,
    "constrain": Point.FILTER,
}
"""A constraint has no point of its own in a profile; it goes with the filters."""


def is_plugin(thing: object) -> bool:
    """Whether a module's member is a plugin class that can be made (not one of the abstract bases)."""
    if not inspect.isclass(thing) or inspect.isabstract(thing):
        return False
    if issubclass(thing, SchedulerPlugin):
        return True
    return isinstance(getattr(thing, "name", None), str) and bool(points_of(thing))


def points_of(thing: object) -> frozenset[Point]:
    """Extension points that a plugin, or its class, has methods for."""
    return frozenset(point for method, point in _METHODS.items() if callable(getattr(thing, method, None)))


def name_of(plugin: Any) -> str:
    """Name of a plugin of either form. Raises PluginError for one that no profile could write."""
    name = plugin.name() if isinstance(plugin, SchedulerPlugin) else plugin.name
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise PluginError(f"{name!r} is no plugin name: letters, digits, '.', '_' and '-', at most 63")
    return name


def make(cls: type[Any], args: Any, watchdog: Watchdog) -> Any:
    """An instance. Raises PluginError where that fails or hangs."""
    maker: Callable[[], Any] = (lambda: cls.create(args)) if hasattr(cls, "create") else cls
    return _asked(cls.__name__, "making it", maker, watchdog)


def check(plugin: Any, watchdog: Watchdog) -> str:
    """Name of the plugin. Raises PluginError where it breaks a rule of loading."""
    name: str = _asked(type(plugin).__name__, "name", lambda: name_of(plugin), watchdog)
    version = getattr(plugin, "version", "0")
    if not isinstance(version, str) or not version:
        raise PluginError(f"plugin {name}: version must be a text, not {version!r}")
    if not points_of(plugin):
        raise PluginError(f"plugin {name} serves no extension point")
    if isinstance(plugin, ScorePlugin):
        _check_score(name, plugin, watchdog)
    return name


def _check_score(name: str, plugin: ScorePlugin, watchdog: Watchdog) -> None:
    """The same question twice must have the same answer, inside the range."""
    task, nodes = _sample()
    for node in nodes:
        ask = partial(plugin.score, task, node)
        first, second = _asked(name, "score", ask, watchdog), _asked(name, "score", ask, watchdog)
        for answer in (first, second):
            try:
                points(answer)
            except BadValueError as error:
                raise PluginError(f"plugin {name}: score returned {error}") from error
        if first != second:
            raise PluginError(f"plugin {name}: score returned {first!r} and then {second!r} for the same input")


def _asked(name: str, what: str, work: Callable[[], Any], watchdog: Watchdog) -> Any:
    try:
        return watchdog.call(work)
    except CallInterrupted:
        raise PluginError(f"plugin {name}: {what} hangs") from None
    except PluginError:
        raise
    except Exception as error:
        raise PluginError(f"plugin {name}: {what} raised {type(error).__name__}: {error}") from error


def _sample() -> tuple[Task, list[NodeView]]:
    """A pod and two nodes as plain clusters have them."""
    names = [f"sample-{i}" for i in range(2)]
    common = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "topology.kubernetes.io/zone": "sample"}
    nodes = [node_view(name, {"kubernetes.io/hostname": name, **common}) for name in names]
    return task("sample", {"app": "sample"}, {"cpu": "100m", "memory": "200Mi"}), nodes
