"""The plugin API for authors: one node at a time, plain Python, no arrays.

    from tenantry_core.framework.simple import NodeView, ScorePlugin, Task

    class Roomy(ScorePlugin):
        version = "1.0"

        def name(self) -> str:
            return "Roomy"

        def score(self, task: Task, node: NodeView) -> float:
            return node.free("memory") / max(1, node.allocatable["memory"])

One class may take several of the roles below by inheriting from each. Plugins must answer the same on the same input,
and must not keep a `Task` or `NodeView` beyond the call: both look at live data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

from tenantry_core.framework.plugin import Normalize, Scope
from tenantry_core.framework.views import NodeView, Task
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Pod

Verdict = bool | str
"""True keeps the node; False refuses it; a text refuses it and says why (a short phrase, the same for many nodes)."""

ANY_CHANGE = (EventPattern(Resource.WILDCARD, Action.ALL),)


class SchedulerPlugin(ABC):
    """Base of all plugins."""

    version: str = "0"
    """Shown by `tenantry plugins list`."""
    scope: Scope = Scope.GLOBAL
    """What an answer depends on beside the pod. GLOBAL: ask each time. ROW: the node and its pods, so that answers are
    kept until they change. STATIC: the node object alone."""
    required: bool = False
    """Whether every node is refused while this plugin is isolated; otherwise scheduling goes on without it."""

    @abstractmethod
    def name(self) -> str:
        """Unique name, as profiles write it."""

    @classmethod
    def create(cls, args: Mapping[str, object]) -> Self:
        """Make the plugin from its `pluginConfig` arguments, empty where there are none. Override to read them."""
        return cls()

    def events(self) -> Sequence[EventPattern]:
        """Changes that could help a pod this plugin refused; any change unless overridden."""
        return ANY_CHANGE

    def hint(self, pod: Pod, event: ClusterEvent) -> bool:
        """Whether such a change is worth another try for this pod."""
        return True


class FilterPlugin(SchedulerPlugin):
    """Keeps or refuses nodes."""

    @abstractmethod
    def filter(self, task: Task, node: NodeView) -> Verdict:
        """Whether the pod may go there."""


class ScorePlugin(SchedulerPlugin):
    """Rates nodes that passed all filters."""

    normalization: Normalize = Normalize.NONE
    """How the scores of one decision are stretched to 0 to 100: NONE, DEFAULT (best gets 100) or REVERSE."""

    @abstractmethod
    def score(self, task: Task, node: NodeView) -> float:
        """0 to 1, higher is better. Times 100, cut to an integer, then normalised and multiplied by the weight."""


class ConstraintPlugin(SchedulerPlugin):
    """A hard rule, asked last and only about the node that is about to be taken; then about the next best."""

    @abstractmethod
    def allows(self, task: Task, node: NodeView) -> Verdict:
        """Whether the node may be taken."""


__all__ = [
    "ConstraintPlugin",
    "FilterPlugin",
    "NodeView",
    "Normalize",
    "SchedulerPlugin",
    "Scope",
    "ScorePlugin",
    "Task",
    "Verdict",
]
