"""Runs the plugins of each point after the decision. A plugin that raises gives an ERROR status in its name."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tenantry_core.bind.job import BindJob
from tenantry_core.framework.status import SKIP, SUCCESS, Code, Status, fault
from tenantry_core.plugins.default_binder import DefaultBinder

_log = logging.getLogger(__name__)


class Permission(NamedTuple):
    """What Permit said: SUCCESS, a refusal, or WAIT with the seconds that each plugin grants."""

    status: Status
    timeouts: dict[str, float]


def reserve(job: BindJob) -> Status:
    """Reserve in order, up to the first that refuses."""
    job.reserved = True
    for plugin in job.profile.reserve:
        try:
            status = plugin.reserve(job.ctx, job.node)
        except Exception as error:
            status = raised(plugin, "Reserve", error)
        if not status.ok:
            return status.by(name_of(plugin))
    return SUCCESS


def unreserve(job: BindJob) -> None:
    """Every Unreserve in reverse order, whichever Reserve was reached; a second call does nothing.

    Source: RunReservePluginsUnreserve of kube-scheduler: Unreserve must be idempotent and may not fail.
    """
    if not job.reserved:
        return
    job.reserved = False
    for plugin in reversed(job.profile.reserve):
        try:
            plugin.unreserve(job.ctx, job.node)
        except Exception as error:
            raised(plugin, "Unreserve", error)


def permit(job: BindJob) -> Permission:
    """Permit in order, up to the first that refuses."""
    timeouts: dict[str, float] = {}
    for plugin in job.profile.permit:
        name = name_of(plugin)
        try:
            status, seconds = plugin.permit(job.ctx, job.node)
        except Exception as error:
            status, seconds = raised(plugin, "Permit", error), 0.0
        if status.code is Code.WAIT:
            timeouts[name] = seconds
        elif not status.ok:
            return Permission(status.by(name), {})
    return Permission(Status(Code.WAIT) if timeouts else SUCCESS, timeouts)


async def pre_bind(job: BindJob) -> Status:
    """PreBind of those plugins that have something to do."""
    for plugin in job.profile.pre_bind:
        try:
            status = SUCCESS
            if plugin.pre_bind_needed(job.ctx, job.node):
                status = await plugin.pre_bind(job.ctx, job.node)
        except Exception as error:
            status = raised(plugin, "PreBind", error)
        if not status.ok:
            return status.by(name_of(plugin))
    return SUCCESS


async def bind(job: BindJob) -> Status:
    """Ask the profile's binders; SKIP where the turn is DefaultBinder's, whose work the sender does."""
    for plugin in job.profile.bind:
        if isinstance(plugin, DefaultBinder):
            return SKIP
        try:
            status = await plugin.bind(job.ctx, job.node)
        except Exception as error:
            status = raised(plugin, "Bind", error)
        if status.code is not Code.SKIP:
            return status.by(name_of(plugin))
    return fault("no bind plugin took the pod")


def post_bind(job: BindJob) -> None:
    """Tell those who want to know."""
    for plugin in job.profile.post_bind:
        try:
            plugin.post_bind(job.ctx, job.node)
        except Exception as error:
            raised(plugin, "PostBind", error)


def name_of(plugin: object) -> str:
    """Name of a plugin instance."""
    return str(getattr(plugin, "name", type(plugin).__name__))


def names_of(plugins: Iterable[object]) -> Iterator[str]:
    """Names of plugin instances, in order."""
    return (name_of(plugin) for plugin in plugins)


def raised(plugin: object, point: str, error: Exception) -> Status:
    """Log a plugin's exception and turn it into a status."""
    name = name_of(plugin)
    _log.error(
        "A plugin raised", exc_info=error, extra={"plugin": name, "point": point, "reason": type(error).__name__}
    )
    return fault(f"running {point} plugin {name}: {error}").by(name)
