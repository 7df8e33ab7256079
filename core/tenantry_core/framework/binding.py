"""Extension points after the decision: Reserve, Permit, PreBind, Bind, PostBind; the bind stage calls them in order.

Reserve and Permit answer at once; PreBind, Bind and PostBind may wait. Every Unreserve runs once, in reverse order,
whatever failed. Source: framework interfaces of kube-scheduler 1.36.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.status import Status


@runtime_checkable
class ReservePlugin(Protocol):
    """Takes and gives back what the plugin keeps count of."""

    def reserve(self, ctx: CycleContext, node: str) -> Status: ...
    def unreserve(self, ctx: CycleContext, node: str) -> None: ...


class PermitResult(NamedTuple):
    """SUCCESS, a refusal, or WAIT for at most `timeout` seconds (capped at 15 minutes)."""

    status: Status
    timeout: float = 0.0


@runtime_checkable
class PermitPlugin(Protocol):
    """May hold a pod back before it is bound."""

    def permit(self, ctx: CycleContext, node: str) -> PermitResult: ...


@runtime_checkable
class PreBindPlugin(Protocol):
    """Work that must be done before the bind, such as binding volumes."""

    def pre_bind_needed(self, ctx: CycleContext, node: str) -> bool: ...
    async def pre_bind(self, ctx: CycleContext, node: str) -> Status: ...


@runtime_checkable
class BindPlugin(Protocol):
    """Binds the pod, or answers SKIP to leave it to the next."""

    async def bind(self, ctx: CycleContext, node: str) -> Status: ...


@runtime_checkable
class PostBindPlugin(Protocol):
    """Told after a bind."""

    def post_bind(self, ctx: CycleContext, node: str) -> None: ...
