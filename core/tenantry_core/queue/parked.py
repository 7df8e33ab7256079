"""Pods that wait for an event, found by the plugin that holds them.

Serves the unschedulable pods (under each plugin that rejected them) and the gated ones (under the plugin that gates).
Below a plugin, pods of one class stand together: a hint is asked once for all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, ItemsView, Iterator

from tenantry_core.queue.entry import QueuedPod

PluginKey = tuple[str, str]
"""Profile (scheduler name) and plugin."""

Group = dict[str, QueuedPod]
"""Pods by UID that a hint can't tell apart."""


class PluginIndex:
    """Pods by UID, and by each plugin that holds them and by class, so that an event meets only those it concerns."""

    def __init__(self) -> None:
        self._pods: dict[str, QueuedPod] = {}
        self._groups: dict[PluginKey, dict[Hashable, Group]] = {}
        self._filed: dict[str, tuple[tuple[PluginKey, ...], Hashable]] = {}
        """Where each pod stands; its plugins and its class may change before it is taken out."""

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[QueuedPod]:
        return iter(self._pods.values())

    def add(self, qp: QueuedPod) -> None:
        """Add `qp` under its present `blockers`."""
        profile, uid = qp.profile, qp.uid
        keys = tuple((profile, plugin) for plugin in qp.blockers)
        likeness = _likeness(qp)
        self._pods[uid] = qp
        self._filed[uid] = (keys, likeness)
        for key in keys:
            self._groups.setdefault(key, {}).setdefault(likeness, {})[uid] = qp

    def remove(self, qp: QueuedPod) -> None:
        """Take `qp` out, from under the plugins it was added with."""
        uid = qp.uid
        del self._pods[uid]
        keys, likeness = self._filed.pop(uid)
        for key in keys:
            groups = self._groups[key]
            group = groups[likeness]
            del group[uid]
            if not group:
                del groups[likeness]
                if not groups:
                    del self._groups[key]

    def by_plugin(self) -> ItemsView[PluginKey, dict[Hashable, Group]]:
        """(profile, plugin) with its groups; not to be changed while it is read."""
        return self._groups.items()


def _likeness(qp: QueuedPod) -> Hashable:
    """Pods with one likeness are alike to hints. A nominated node is the pod's own and no part of its class."""
    if qp.cls is None or qp.pod.status.nominated_node_name:
        return qp.uid
    return (qp.cls, qp.cls_version)
