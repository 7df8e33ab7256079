"""The PostFilter point: what may be done for a pod that no node would take. The built-in one is preemption.

The cycle's caller asks each PostFilter plugin in order until one names a node. The answer is a value: nothing has been
deleted, patched or nominated yet; whoever called carries it out.
Source: PostFilterPlugin of kube-scheduler 1.36.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from tenantry_core.framework.columns import BoolArray
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.placed import PlacedPod
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.status import Status


class RowReason(Protocol):
    """One reason with the plugin that gave it and the rows it holds for."""

    @property
    def plugin(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def rows(self) -> BoolArray: ...
    @property
    def unresolvable(self) -> bool: ...


class Rejections(Protocol):
    """Why no node would do, as far as PostFilter needs it. The cycle's diagnosis fits."""

    @property
    def nodes(self) -> int:
        """Living nodes in the snapshot."""
        ...

    @property
    def reasons(self) -> Sequence[RowReason]: ...

    @property
    def pre_filter(self) -> Status:
        """A refusal by PreFilter, which stands for all nodes; SUCCESS where there was none."""
        ...

    @property
    def unresolvable(self) -> BoolArray | None:
        """bool[N]: rows where taking pods away would not help; None where no row was looked at."""
        ...


class PostFilterResult(NamedTuple):
    """What to do for the pod.

    With a node: delete `victims` (most important first; one that waits in Permit is rejected instead), nominate the pod
    to `nominated_node`, take back the nominations of `clear_nominations`. Without: keep or clear the pod's own
    nomination as `clear_own` says, and append `message` to the condition's text.
    """

    nominated_node: str | None = None
    victims: tuple[PlacedPod, ...] = ()
    message: str = ""
    """Text for the PodScheduled condition, such as `preemption: 0/3 nodes are available: …`; empty with a node."""
    clear_nominations: tuple[str, ...] = ()
    """UIDs of pods of lower priority that are nominated to the node."""
    clear_own: bool = False
    """Whether a nomination that the pod still has leads nowhere and must go."""
    eligible: bool = True
    """False where the pod may not preempt at all now (policy, or its victims are still ending)."""
    pdb_violations: int = 0
    """Victims beyond what disruption budgets allow."""
    candidates: int = 0
    """Nodes where preemption would have helped, of those looked at."""


@runtime_checkable
class PostFilterPlugin(Protocol):
    """Looks for a way to make room. Must leave the snapshot as it was."""

    name: str

    def post_filter(self, ctx: CycleContext, profile: Profile, rejected: Rejections) -> PostFilterResult: ...


@runtime_checkable
class RoomFilter(Protocol):
    """A filter that looks at pod slots and at sums of requests and at nothing else, so that preemption can do its sums.

    It must refuse a row exactly where the pod count would exceed the allocatable pods, or where a needed amount exceeds
    allocatable minus requested.
    """

    def room(self, ctx: CycleContext) -> Sequence[tuple[int, int]]:
        """(row of the resource axis, amount above 0) for each resource the pod is checked for, the pod slot aside."""
        ...
