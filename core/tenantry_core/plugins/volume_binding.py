"""VolumeBinding: a pod's claims are bound, or bindable on the node; Reserve promises volumes, PreBind binds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tenantry_core.clock import Clock, SystemClock
from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import PreFilterResult, Refusal, Scope
from tenantry_core.framework.status import SKIP, SUCCESS, Status, fault, unresolvable, unschedulable
from tenantry_core.model.events import ClusterEvent, EventPattern
from tenantry_core.model.objects import Pod
from tenantry_core.model.storage import PersistentVolumeClaim
from tenantry_core.plugins.volume_api import VolumeApi, WaitForChange
from tenantry_core.plugins.volume_binding_hints import EVENTS, could_help
from tenantry_core.plugins.volume_binding_write import Promise, bind_volumes, promise, take_back
from tenantry_core.plugins.volume_claims import (
    belongs_to,
    claim_not_found,
    fully_bound,
    has_claims,
    used_claims,
    waits_for_consumer,
)
from tenantry_core.plugins.volume_search import VolumeSearch

UNBOUND_IMMEDIATE = "pod has unbound immediate PersistentVolumeClaims"
NOT_REACHED = "node(s) didn't match PersistentVolume's node affinity"
NOT_BINDABLE = "node(s) didn't find available persistent volumes to bind"
NO_SPACE = "node(s) did not have enough free storage"
VOLUME_GONE = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"

_PROMISE = "VolumeBinding/promise"
"""Key in ctx.state: what Reserve assumed."""


@dataclass(frozen=True)
class VolumeBindingSettings:
    """How long PreBind waits."""

    bind_timeout: float = 600.0
    """Seconds for the claims of a pod to become bound once asked for; `bindTimeoutSeconds` of VolumeBindingArgs."""


DEFAULT_SETTINGS = VolumeBindingSettings()


class VolumeBinding:
    """Source: plugins/volumebinding of kube-scheduler 1.36, without scoring by free capacity (alpha).

    `api` and `wait_for_change` are needed from PreBind on; without them PreBind is a fault, everything before works.
    The same CycleContext must be handed to Reserve, Unreserve and PreBind.
    """

    name = "VolumeBinding"
    filter_scope = Scope.GLOBAL

    def __init__(
        self,
        api: VolumeApi | None = None,
        wait_for_change: WaitForChange | None = None,
        settings: VolumeBindingSettings = DEFAULT_SETTINGS,
        clock: Clock | None = None,
    ) -> None:
        self._api = api
        self._wait_for_change = wait_for_change
        self._settings = settings
        self._clock = clock or SystemClock()
        self._last: tuple[str, VolumeSearch | None] = ("", None)
        """UID of the pod asked about last, and its search."""

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod mounts no claim."""
        return not has_claims(ctx.cls)

    def pre_filter(self, ctx: CycleContext) -> PreFilterResult:
        """Refuse claims that are missing, lost, on their way out or not bound though they should be."""
        if not has_claims(ctx.cls):
            return PreFilterResult(SKIP)
        claims = _claims(ctx)
        if isinstance(claims, str):
            return PreFilterResult(unresolvable(claims))
        ready = self._searched(ctx) is not None
        return PreFilterResult(SUCCESS if ready else unresolvable(UNBOUND_IMMEDIATE))

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray:
        """bool: rows where every claim is served."""
        search = self._searched(ctx)
        if search is None:
            return np.zeros(ctx.snapshot.nodes.size, dtype=np.bool_)[rows]
        return search.masks.all[rows]

    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]:
        """Up to three reasons a row: about bound volumes, about the others, about space."""
        search = self._searched(ctx)
        if search is None:
            return (Refusal(UNBOUND_IMMEDIATE, np.ones(len(rows), dtype=np.bool_), True),)
        masks = search.masks
        return tuple(
            Refusal(reason, ~passed[rows], True)
            for reason, passed in (
                (NOT_REACHED, masks.reached),
                (NOT_BINDABLE, masks.bindable),
                (NO_SPACE, masks.spacious),
                (VOLUME_GONE, masks.existing),
            )
            if not passed[rows].all()
        )

    def events(self) -> Sequence[EventPattern]:
        """Storage objects and nodes that came or changed."""
        return EVENTS

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """Whether the event can have opened a way for the pod's claims."""
        return could_help(pod, event)

    def reserve(self, ctx: CycleContext, node: str) -> Status:
        """Show the chosen volumes as the claims', and the other claims as ordered for the node."""
        ctx.state.pop(_PROMISE, None)
        if self.skips(ctx):
            return SUCCESS
        search, row = self._searched(ctx), ctx.snapshot.nodes.row_of(node)
        if search is None or row < 0 or not search.masks.all[row]:
            return unschedulable(NOT_BINDABLE)
        if search.delayed:
            ctx.state[_PROMISE] = promise(ctx.snapshot.storage, search.plan(row), node)
        return SUCCESS

    def unreserve(self, ctx: CycleContext, node: str) -> None:
        """Show everything as the API server last sent it. Nothing that was written is undone there: a volume stays
        promised to its claim, which finds it again in the next attempt."""
        promised: Promise | None = ctx.state.pop(_PROMISE, None)
        if promised is not None:
            take_back(ctx.snapshot.storage, promised)

    def pre_bind_needed(self, ctx: CycleContext, node: str) -> bool:
        """Whether Reserve assumed anything."""
        return _PROMISE in ctx.state

    async def pre_bind(self, ctx: CycleContext, node: str) -> Status:
        """Write what was assumed and wait until every claim is bound. A fault sends the pod round again."""
        promised: Promise | None = ctx.state.get(_PROMISE)
        if promised is None:
            return SUCCESS
        if self._api is None or self._wait_for_change is None:
            return fault("no connection to bind volumes through")
        return await bind_volumes(
            ctx.snapshot, promised, self._api, self._wait_for_change, (self._clock, self._settings.bind_timeout)
        )

    def _searched(self, ctx: CycleContext) -> VolumeSearch | None:
        """The pod's search, begun again where storage or nodes changed since; None where its claims can't be used now.

        The last one is kept: preemption asks about many rows, each with a context of its own.
        """
        uid, search = self._last
        if uid == ctx.pod.metadata.uid and search is not None and search.is_current(ctx.snapshot.storage):
            return search
        claims = _claims(ctx)
        search = None if isinstance(claims, str) else _search(ctx, claims)
        self._last = (ctx.pod.metadata.uid, search)
        return search


def _claims(ctx: CycleContext) -> list[PersistentVolumeClaim] | str:
    """The pod's claims, or why one of them can't be used at all."""
    found, pod, namespace = [], ctx.pod, ctx.pod.metadata.namespace
    for name, ephemeral in used_claims(ctx.cls, pod):
        claim = ctx.snapshot.storage.claims.get((namespace, name))
        if claim is None:
            waiting = f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"'
            return waiting if ephemeral else claim_not_found(name)
        if claim.status.phase == "Lost":
            return f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{claim.spec.volume_name}"'
        if claim.metadata.deletion_timestamp:
            return f'persistentvolumeclaim "{name}" is being deleted'
        if ephemeral and not belongs_to(claim, pod):
            return f"PVC {namespace}/{name} was not created for pod {namespace}/{pod.metadata.name} (pod is not owner)"
        found.append(claim)
    return found


def _search(ctx: CycleContext, claims: list[PersistentVolumeClaim]) -> VolumeSearch | None:
    """The search over nodes; None where a claim should be bound by now and is not.

    A claim that names its volume before it is bound counts as one of those, whatever its class says.
    """
    storage = ctx.snapshot.storage
    bound = [c for c in claims if fully_bound(c)]
    rest = [c for c in claims if not fully_bound(c)]
    if any(c.spec.volume_name or not waits_for_consumer(c, storage) for c in rest):
        return None
    return VolumeSearch(ctx.snapshot.nodes, storage, bound, rest)
