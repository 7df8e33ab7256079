"""Pod status patches in the background: the latest per pod wins, none is dropped, failures are tried again.

Autoscalers act on the PodScheduled condition, so a patch may wait for binds but is never lost while the process lives.
"""

from collections.abc import Callable

from tenantry_core.clock import Clock
from tenantry_core.kube.outbox import Gate, Outbox, OutboxCounters, OutboxSettings, Sent, always_open
from tenantry_core.kube.port import KubeApi
from tenantry_core.kube.resources import PODS
from tenantry_core.kube.values import CallOptions, Key, Patch, Refused, WriteResult, Written

STATUS_SETTINGS = OutboxSettings(capacity=0, workers=8, longest_yield=5.0)
"""No limit on the number of pods that wait; one that waits holds a patch of a few hundred bytes."""

Merge = Callable[[Patch, Patch], Patch]
"""Older and newer patch of one pod to one that says both. Without it the newer replaces the older, so that each patch
must say everything."""


class StatusPatcher:
    """Patches pods' status subresource. `put` returns at once.

    A pod that is gone, and one whose UID in the patch no longer matches, count as done. 400, 405, 413, 415 and 422
    are given up and reported to `on_refused`; everything else is tried again.
    """

    def __init__(
        self,
        api: KubeApi,
        clock: Clock,
        settings: OutboxSettings = STATUS_SETTINGS,
        *,
        gate: Gate = always_open,
        merge: Merge | None = None,
        on_refused: Callable[[Key, Refused], None] | None = None,
    ) -> None:
        self._api = api
        self._on_refused = on_refused
        self._outbox: Outbox[Key, Patch] = Outbox(self._send, clock, settings, gate, merge)

    @property
    def counters(self) -> OutboxCounters:
        """Sent, dropped (only after `close`), refused, retried."""
        return self._outbox.counters

    def __len__(self) -> int:
        """Pods whose patch waits or is in flight."""
        return len(self._outbox)

    def start(self) -> None:
        """Start the workers in the running loop."""
        self._outbox.start()

    def put(self, pod: Key, patch: Patch) -> None:
        """Patch this pod's status soon."""
        self._outbox.put(pod, patch)

    def discard(self, pod: Key) -> None:
        """The pod is gone; forget what waits for it."""
        self._outbox.discard(pod)

    async def close(self, deadline: float) -> int:
        """Send what waits for at most `deadline` seconds; returns how many patches were left."""
        return await self._outbox.close(deadline)

    async def _send(self, pod: Key, patch: Patch) -> Sent:
        result = await self._api.patch_status(PODS, pod, patch, ONE_ATTEMPT)
        sent = verdict(result)
        if sent is Sent.REFUSED and isinstance(result, Refused):
            if result.status == 404 or "UID in precondition" in result.message:
                return Sent.DONE
            if self._on_refused is not None:
                self._on_refused(pod, result)
        return sent


ONE_ATTEMPT = CallOptions(timeout=15.0, retry=False)
"""The outbox does the retries: a request that waits inside the client would hold a worker and an old value."""

HOPELESS = frozenset({400, 404, 405, 413, 415, 422})
"""Statuses that the same request will always get."""


def verdict(result: WriteResult) -> Sent:
    """Whether a background write is done, hopeless, or to be tried again."""
    if isinstance(result, Written):
        return Sent.DONE
    if isinstance(result, Refused) and (result.status in HOPELESS or "UID in precondition" in result.message):
        return Sent.REFUSED
    return Sent.AGAIN
