"""DynamicResources, a stand-in: a pod with resource claims waits with a clear reason; nothing allocates them."""

from __future__ import annotations

from collections.abc import Sequence

from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import PreFilterResult
from tenantry_core.framework.status import unresolvable
from tenantry_core.model.events import Action, EventPattern, Resource


class DynamicResources:
    """Refuses what it can't serve instead of placing the pod where its devices may be missing."""

    name = "DynamicResources"

    def skips(self, ctx: CycleContext) -> bool:
        """Whether the pod asks for no resource claim."""
        return not ctx.cls.pod.spec.resource_claims

    def pre_filter(self, ctx: CycleContext) -> PreFilterResult:
        """Refuse, naming the claims."""
        names = " ".join(c.name for c in ctx.cls.pod.spec.resource_claims or ())
        return PreFilterResult(
            unresolvable(f"pod has resource claims [{names}], which this scheduler does not allocate")
        )

    def events(self) -> Sequence[EventPattern]:
        """Nothing but a change of the pod itself."""
        return (EventPattern(Resource.UNSCHEDULED_POD, Action.UPDATE),)
