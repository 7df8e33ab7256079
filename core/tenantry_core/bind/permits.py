"""Pods that wait in Permit: each for one or more plugins, until all allow it, one rejects it, or the time is over.

Source: waitingPod of kube-scheduler 1.36; no plugin may wait for more than 15 minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from tenantry_core.clock import Clock
from tenantry_core.framework.status import SUCCESS, Code, Status, unschedulable
from tenantry_core.model.objects import Pod

LONGEST_WAIT = 900.0
"""Seconds."""


class WaitingPod:
    """One pod that holds room and waits. Plugins and the evictor call `allow` and `reject`."""

    def __init__(self, pod: Pod, node: str, timeouts: Mapping[str, float]) -> None:
        self.pod = pod
        self.node = node
        self.timeouts = {plugin: min(seconds, LONGEST_WAIT) for plugin, seconds in timeouts.items()}
        """Plugins that have not allowed it yet, with the seconds that each grants."""
        self._answer: asyncio.Future[Status] = asyncio.get_running_loop().create_future()

    def pending(self) -> tuple[str, ...]:
        """Plugins it waits for."""
        return tuple(self.timeouts)

    def allow(self, plugin: str) -> None:
        """`plugin` has nothing against it any more; the pod goes on when no plugin is left."""
        self.timeouts.pop(plugin, None)
        if not self.timeouts:
            self._end(SUCCESS)

    def reject(self, plugin: str, message: str) -> None:
        """The pod is not to be bound now."""
        self._end(unschedulable(message).by(plugin))

    async def wait(self, clock: Clock) -> Status:
        """The answer; a time-out rejects in the name of the plugin whose time was shortest."""
        plugin, seconds = min(self.timeouts.items(), key=lambda item: item[1])
        timer = asyncio.ensure_future(clock.sleep(seconds))
        ends: list[asyncio.Future[Any]] = [self._answer, timer]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
        if not self._answer.done():
            text = f"timed out waiting {seconds:.0f}s at permit"
            return Status(Code.UNSCHEDULABLE, (text,), plugin)
        return self._answer.result()

    def _end(self, status: Status) -> None:
        if not self._answer.done():
            self._answer.set_result(status)


class Permits:
    """All waiting pods by UID."""

    def __init__(self) -> None:
        self._waiting: dict[str, WaitingPod] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[WaitingPod]:
        return iter(list(self._waiting.values()))

    def add(self, waiting: WaitingPod) -> None:
        """A pod begins to wait."""
        self._waiting[waiting.pod.metadata.uid] = waiting

    def remove(self, uid: str) -> None:
        """It waits no longer."""
        self._waiting.pop(uid, None)

    def get(self, uid: str) -> WaitingPod | None:
        """The waiting pod, None where it does not wait."""
        return self._waiting.get(uid)

    def allow(self, uid: str, plugin: str) -> bool:
        """Allow it in the name of `plugin`. False where it does not wait."""
        waiting = self._waiting.get(uid)
        if waiting is not None:
            waiting.allow(plugin)
        return waiting is not None

    def reject(self, uid: str, plugin: str, message: str) -> bool:
        """Reject it in the name of `plugin`. False where it does not wait."""
        waiting = self._waiting.get(uid)
        if waiting is not None:
            waiting.reject(plugin, message)
        return waiting is not None
