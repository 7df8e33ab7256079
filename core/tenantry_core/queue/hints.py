"""Which events wake which pods.

A plugin names the events that could help a pod it rejected (`EnqueueExtensions`) and may look closer at one of them
(`QueueingHint`). A plugin that names none of the two, or that no profile has any more, is taken to be helped by
everything. Source: isPodWorthRequeuing of kube-scheduler 1.36.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Literal, NamedTuple

from tenantry_core.framework.plugin import EnqueueExtensions, QueueingHint
from tenantry_core.model.events import Action, ClusterEvent, EventPattern, Resource
from tenantry_core.model.objects import Pod
from tenantry_core.queue.entry import QueuedPod
from tenantry_core.queue.parked import PluginIndex
from tenantry_telemetry.api import QueueRecorder

Profiles = Mapping[str, Sequence[object]]
"""Plugin instances of each profile, by scheduler name."""

_log = logging.getLogger(__name__)


class Wake(IntEnum):
    """What an event does to a waiting pod; the greater one wins."""

    NO = 0
    AFTER_BACKOFF = 1
    NOW = 2


class _Registration(NamedTuple):
    patterns: tuple[EventPattern, ...] | None
    """None: every event."""
    hint: Callable[[Pod, ClusterEvent], bool] | None


_ANYTHING = _Registration(None, None)


class HintTable:
    """The events and hints of every plugin of every profile."""

    def __init__(self, profiles: Profiles, recorder: QueueRecorder, timer: Callable[[], float]) -> None:
        self._recorder = recorder
        self._timer = timer
        self._registered = {
            (profile, plugin_name(plugin)): _register(plugin)
            for profile, plugins in profiles.items()
            for plugin in plugins
        }
        self._concerns: dict[tuple[str, str, Resource, Action], bool] = {}

    def concerns(self, profile: str, plugin: str, event: ClusterEvent) -> bool:
        """Whether `event` is of a kind that `plugin` named."""
        key = (profile, plugin, event.resource, event.action)
        known = self._concerns.get(key)
        if known is None:
            patterns = self._registered.get((profile, plugin), _ANYTHING).patterns
            known = patterns is None or event.resource is Resource.WILDCARD or any(p.covers(event) for p in patterns)
            self._concerns[key] = known
        return known

    def helps(self, qp: QueuedPod, plugin: str, event: ClusterEvent) -> bool:
        """Whether `event`, which concerns `plugin`, could make it accept `qp`. A hint that raises counts as yes."""
        hint = self._registered.get((qp.profile, plugin), _ANYTHING).hint
        if hint is None or event.resource is Resource.WILDCARD:
            return True
        return self._ask(hint, plugin, qp, event)

    def woken_by(self, index: PluginIndex, event: ClusterEvent) -> list[tuple[QueuedPod, Wake]]:
        """Pods of `index` that `event` wakes, and how. Costs one question per concerned plugin and group of alike pods,
        but for updates of pending pods, which are asked of each pod: they may be its own."""
        each = event.resource is Resource.UNSCHEDULED_POD and bool(event.action & Action.UPDATE)
        woken: dict[str, tuple[QueuedPod, Wake]] = {}
        for (profile, plugin), groups in index.by_plugin():
            if not self.concerns(profile, plugin, event):
                continue
            for group in groups.values():
                if not each and not self.helps(next(iter(group.values())), plugin, event):
                    continue
                for uid, qp in group.items():
                    pending = plugin in qp.pending_on
                    if (pending or uid not in woken) and (not each or self.helps(qp, plugin, event)):
                        woken[uid] = (qp, Wake.NOW if pending else Wake.AFTER_BACKOFF)
        return list(woken.values())

    def verdict(self, qp: QueuedPod, event: ClusterEvent) -> Wake:
        """What `event` does to `qp`, asking each plugin that holds it until the answer can't grow."""
        wake = Wake.NO
        for plugin in qp.blockers:
            if wake is Wake.AFTER_BACKOFF and plugin not in qp.pending_on:
                continue
            if self.concerns(qp.profile, plugin, event) and self.helps(qp, plugin, event):
                wake = max(wake, Wake.NOW if plugin in qp.pending_on else Wake.AFTER_BACKOFF)
                if wake is Wake.NOW or not qp.pending_on:
                    break
        return wake

    def own_updates_only(self, profile: str, plugin: str) -> bool:
        """Whether nothing but an update of the pod itself can help."""
        patterns = self._registered.get((profile, plugin), _ANYTHING).patterns
        return patterns is not None and all(p.resource is Resource.UNSCHEDULED_POD for p in patterns)

    def helpful(self, qp: QueuedPod) -> tuple[str, ...]:
        """Labels of the events that could wake `qp`, sorted; `*` for any event."""
        labels: set[str] = set()
        for plugin in qp.blockers:
            patterns = self._registered.get((qp.profile, plugin), _ANYTHING).patterns
            labels.update(("*",) if patterns is None else _labels(patterns))
        return tuple(sorted(labels))

    def _ask(self, hint: Callable[[Pod, ClusterEvent], bool], plugin: str, qp: QueuedPod, event: ClusterEvent) -> bool:
        start = self._timer()
        answer: Literal["Queue", "QueueSkip", "Error"]
        try:
            answer = "Queue" if hint(qp.pod, event) else "QueueSkip"
        except Exception:
            _log.exception(
                "Queueing hint failed, the pod is tried again",
                extra={"pod": qp.key, "plugin": plugin, "event": event.label},
            )
            answer = "Error"
        self._recorder.hint(plugin, event.label, answer, self._timer() - start)
        return answer != "QueueSkip"


def plugin_name(plugin: object) -> str:
    """Name of a plugin instance."""
    return str(getattr(plugin, "name", type(plugin).__name__))


def _register(plugin: object) -> _Registration:
    return _Registration(
        tuple(plugin.events()) if isinstance(plugin, EnqueueExtensions) else None,
        plugin.hint if isinstance(plugin, QueueingHint) else None,
    )


def _labels(patterns: Iterable[EventPattern]) -> Iterable[str]:
    for pattern in patterns:
        if pattern.resource is Resource.WILDCARD:
            yield "*"
            continue
        actions = pattern.actions
        if Action.UPDATE in actions:
            yield ClusterEvent(pattern.resource, Action.UPDATE).label
            actions &= ~Action.UPDATE
        for action in actions:
            yield ClusterEvent(pattern.resource, action).label
