"""PreEnqueue: which pods may not enter the active queue yet, and whose word that is."""

from __future__ import annotations

import logging

from tenantry_core.framework.plugin import PreEnqueuePlugin
from tenantry_core.model.objects import Pod
from tenantry_core.queue.hints import Profiles, plugin_name

_log = logging.getLogger(__name__)


class Gates:
    """The PreEnqueue plugins of each profile, in order."""

    def __init__(self, profiles: Profiles) -> None:
        self._plugins: dict[str, tuple[tuple[str, PreEnqueuePlugin], ...]] = {
            profile: tuple((plugin_name(p), p) for p in plugins if isinstance(p, PreEnqueuePlugin))
            for profile, plugins in profiles.items()
        }

    def refusal(self, pod: Pod) -> str:
        """Name of the first plugin that holds `pod` back, or an empty string.

        A plugin that raises holds the pod too: letting it pass could break a promise (a quota, a gate).
        """
        for name, plugin in self._plugins.get(pod.spec.scheduler_name, ()):
            try:
                ok = plugin.pre_enqueue(pod).ok
            except Exception:
                _log.exception("PreEnqueue failed, the pod stays gated", extra={"pod": _key(pod), "plugin": name})
                ok = False
            if not ok:
                return name
        return ""


def _key(pod: Pod) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.name}"
