"""Extension points of the vector form, one Protocol each. A plugin implements those it needs.

Order: PreEnqueue, QueueSort, PreFilter, Filter, PostFilter, PreScore, Score, Reserve, Permit, PreBind, Bind, PostBind.
Masks are bool arrays, scores int64 arrays, over the rows asked for. Reserve and later are in `framework/binding.py`.
Source: framework interfaces of kube-scheduler 1.36.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Protocol, runtime_checkable

from tenantry_core.framework.columns import BoolArray, IntArray, Rows
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.status import Status
from tenantry_core.model.events import ClusterEvent, EventPattern
from tenantry_core.model.objects import Pod


class Scope(Enum):
    """What an answer for one row depends on besides the pod class; decides how long the engine may keep it."""

    STATIC = "static"
    """The node object alone: kept until a node changes."""
    ROW = "row"
    """The node and the pods on it: kept until that row changes."""
    GLOBAL = "global"
    """Anything else: asked again each cycle, about all rows or, with `GroupsRows`, about groups of them."""


class Normalize(Enum):
    """How raw scores become 0 to 100."""

    NONE = "none"
    DEFAULT = "default"
    """100 * raw // max; all 0 where max is 0."""
    REVERSE = "reverse"
    """100 - 100 * raw // max; all 100 where max is 0."""
    CUSTOM = "custom"
    """By the plugin's own `normalize`."""


class Refusal(NamedTuple):
    """One reason with the rows (a mask over the rows asked for) that it holds for."""

    reason: str
    rows: BoolArray
    unresolvable: bool = False


class Plugin(Protocol):
    """Every plugin has a unique name."""

    name: str


@runtime_checkable
class PreEnqueuePlugin(Protocol):
    """Decides whether a pod may enter the active queue."""

    def pre_enqueue(self, pod: Pod) -> Status: ...


class PreFilterResult(NamedTuple):
    """SUCCESS, SKIP (the plugin's Filter is not called) or a refusal; `nodes` narrows the search to these names."""

    status: Status
    nodes: frozenset[str] | None = None


@runtime_checkable
class PreFilterPlugin(Protocol):
    """Looks at the pod once per cycle and prepares Filter."""

    def pre_filter(self, ctx: CycleContext) -> PreFilterResult: ...


@runtime_checkable
class FilterPlugin(Protocol):
    """Refuses rows. `refusals` is asked only for rows that `filter` refused, to say why."""

    filter_scope: Scope

    def filter(self, ctx: CycleContext, rows: Rows) -> BoolArray: ...
    def refusals(self, ctx: CycleContext, rows: IntArray) -> Sequence[Refusal]: ...


@runtime_checkable
class RowFilter(Protocol):
    """A scalar twin of `filter` for one row, used after an assignment touched just that row."""

    def filter_row(self, ctx: CycleContext, row: int) -> bool: ...


@runtime_checkable
class PreScorePlugin(Protocol):
    """Prepares Score; SKIP makes the plugin add nothing."""

    def pre_score(self, ctx: CycleContext) -> Status: ...


@runtime_checkable
class ScorePlugin(Protocol):
    """Scores rows: raw int64, normalised as `normalization` says, then weighted by the profile."""

    score_scope: Scope
    normalization: Normalize

    def score(self, ctx: CycleContext, rows: Rows) -> IntArray: ...


@runtime_checkable
class CustomNormalize(Protocol):
    """Own normalisation over the feasible rows (`ctx.feasible`)."""

    def normalize(self, ctx: CycleContext, raw: IntArray) -> IntArray: ...


@runtime_checkable
class RowScore(Protocol):
    """A scalar twin of `score` for one row; only for Normalize.NONE and Scope.ROW."""

    def score_row(self, ctx: CycleContext, row: int) -> int: ...


@runtime_checkable
class SkipsClass(Protocol):
    """Says cheaply that the plugin has nothing to say on a pod, whatever the nodes: True skips Filter and Score."""

    def skips(self, ctx: CycleContext) -> bool: ...


class RowGroups(Protocol):
    """Rows sorted into groups that a plugin treats alike for one pod class. The engine keeps it between cycles.

    Which group a row is in may hang on its node and its pods; what the plugin says of a group, on anything that the
    groups can tell. Groups are numbered from 0 to `size` - 1; one may be empty.
    """

    size: int

    def place_all(self, ctx: CycleContext) -> IntArray | None:
        """int64[N]: the group of each row, all sums worked out afresh. None where `size` is too small by now."""
        ...

    def place(self, ctx: CycleContext, row: int) -> int:
        """The group of a row whose pods changed, sums kept up to date; -1 where `size` is too small by now."""
        ...

    def passing(self) -> BoolArray | None:
        """bool[size]: groups whose rows pass the plugin's filter; None for all."""
        ...

    def scores(self, feasible: IntArray) -> IntArray | None:
        """int64[size]: normalised scores. `feasible` counts each group's feasible rows; None where PreScore skips."""
        ...


@runtime_checkable
class GroupsRows(Protocol):
    """For plugins of Scope.GLOBAL whose answer is the same for many rows: keeps a pod on the short way.

    Where such a plugin alone has something to say beside the class evaluation, the engine asks it about groups, not
    about rows, and tells it of rows that changed. Answers must be those of `filter`, `score` and `normalize`; PreFilter
    is passed by, so it must not refuse a pod or narrow the nodes. Plugins under a guard are asked about rows.
    """

    def groups(self, ctx: CycleContext) -> RowGroups | None:
        """Sort the rows. None where groups would gain nothing."""
        ...

    def groups_version(self, ctx: CycleContext) -> object:
        """Compared by ==: what the sorting hangs on besides the nodes' `static_version`."""
        ...


@runtime_checkable
class EnqueueExtensions(Protocol):
    """Names the events that could help a pod this plugin rejected."""

    def events(self) -> Sequence[EventPattern]: ...


@runtime_checkable
class QueueingHint(Protocol):
    """Looks closer at an event that `events` covers: False leaves the pod where it is. A fault counts as True."""

    def hint(self, pod: Pod, event: ClusterEvent) -> bool: ...
