"""DefaultBinder: binds a pod through the function it was given, last in the list and never skipping."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.status import Status, fault
from tenantry_core.model.objects import Pod

Send = Callable[[Pod, str], Awaitable[Status]]
"""Sends the Binding of a pod to a node and says how it went. The sender settles unclear outcomes."""


class DefaultBinder:
    """Source: plugins/defaultbinder of kube-scheduler 1.36. Without a `send` (a what-if) every bind is a fault."""

    name = "DefaultBinder"

    def __init__(self, send: Send | None = None) -> None:
        self._send = send

    async def bind(self, ctx: CycleContext, node: str) -> Status:
        """Bind the pod to `node`."""
        if self._send is None:
            return fault("no connection to bind through")
        return await self._send(ctx.pod, node)
