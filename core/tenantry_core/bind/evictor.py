"""Carries out what preemption decided, beside the loop: nominate, evict the victims, then give the preemptor back.

The preemptor stays in flight until every call has returned, so that it is not tried again while its victims look alive;
events that come meanwhile are replayed when it is given back. A victim that can't be evicted takes everything back: the
nomination goes, and the preemptor is tried again after a backoff.
Source: prepareCandidateAsync of kube-scheduler 1.36.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from tenantry_core.bind.job import BindPorts
from tenantry_core.bind.permits import Permits
from tenantry_core.bind.reporter import DISRUPTION_TARGET, condition_body, status_patch
from tenantry_core.clock import rfc3339
from tenantry_core.errors import TenantryError
from tenantry_core.framework.placed import PlacedPod
from tenantry_core.framework.post_filter import PostFilterResult
from tenantry_core.kube.limits import Backoff
from tenantry_core.kube.resources import PODS
from tenantry_core.kube.values import DeleteOptions, Key, Refused, WriteResult, Written
from tenantry_core.model.objects import Condition, Pod
from tenantry_core.plugins.default_preemption import DefaultPreemption, Evictions
from tenantry_core.queue import QueuedPod

_log = logging.getLogger(__name__)


class Preemption(NamedTuple):
    """A preemptor, who refused it, and what is to be done for it."""

    qp: QueuedPod
    plugins: frozenset[str]
    result: PostFilterResult


@dataclass(frozen=True, slots=True)
class _Gone:
    """The victim is not there any more, which is as good."""


class Evictor:
    """`start` returns at once; each preemption runs in a task of its own."""

    def __init__(
        self, ports: BindPorts, permits: Permits, evictions: Evictions, rng: random.Random | None = None
    ) -> None:
        self._ports = ports
        self._permits = permits
        self._evictions = evictions
        self._rng = rng or random.Random()
        self._slots = asyncio.Semaphore(ports.settings.evictions)
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Preemption) -> None:
        """Begin. Room is promised from this moment on; the pod is given back to the queue later."""
        ports, pod, node = self._ports, work.qp.pod, work.result.nominated_node or ""
        ports.cache.nominate(pod, node)
        ports.reporter.nominated(pod, node)
        self._take_back_lower(work.result.clear_nominations)
        self._evictions.begin(work.qp.uid, [victim.uid for victim in work.result.victims])
        task = asyncio.create_task(self._carry_out(work, node))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def clear(self, pod: Pod) -> None:
        """A nomination leads nowhere: take it back, in the cache and in the object."""
        if self._ports.cache.clear_nomination(pod.metadata.uid) or pod.status.nominated_node_name:
            self._ports.reporter.nominated(pod, "")

    async def close(self, deadline: float) -> int:
        """Wait for what is under way for at most `deadline` seconds; returns how many had to be cancelled."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=deadline)
        left = list(self._tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return len(left)

    def _take_back_lower(self, uids: tuple[str, ...]) -> None:
        """Pods of lower priority that were promised this node look for another. Other schedulers' pods are theirs."""
        ours = [uid for uid in uids if uid in self._ports.queue]
        for uid in ours:
            pod = self._ports.latest(uid)
            if pod is not None:
                self.clear(pod)
        if ours:
            self._ports.queue.activate(ours, self._ports.clock.monotonic())

    async def _carry_out(self, work: Preemption, node: str) -> None:
        ports, qp = self._ports, work.qp
        began = ports.clock.monotonic()
        ports.recorder.goroutines("preemption", 1)
        try:
            done = await asyncio.gather(*(self._evict(victim, qp.pod, node) for victim in work.result.victims))
            failed = [victim.uid for victim, ok in zip(work.result.victims, done, strict=True) if not ok]
        except Exception:
            _log.exception("Preemption broke", extra={"pod": qp.key, "node": node})
            failed = [victim.uid for victim in work.result.victims]
        finally:
            ports.recorder.goroutines("preemption", -1)
        now = ports.clock.monotonic()
        ports.recorder.preemption_execution("error" if failed else "success", now - began)
        self._evictions.end(qp.uid, failed)
        if failed:
            self.clear(ports.latest(qp.uid) or qp.pod)
            ports.queue.error(qp, now)
        else:
            ports.queue.unschedulable(qp, work.plugins, now)
            if not work.result.victims:
                ports.queue.activate((qp.uid,), now)
        ports.changed()

    # ---- one victim ------------------------------------------------------------------------------------------------

    async def _evict(self, victim: PlacedPod, preemptor: Pod, node: str) -> bool:
        """Mark, then delete. True where the victim is ending or gone."""
        pod = victim.pod
        message = f"{preemptor.spec.scheduler_name}: preempting to accommodate a higher priority pod"
        if self._permits.reject(victim.uid, DefaultPreemption.name, "preempted"):
            self._ports.reporter.preempted(pod, preemptor, node)
            return True
        async with self._slots:
            marked = await self._insist(lambda: self._mark(pod, message))
            if isinstance(marked, Refused):
                return self._gave_up(pod, marked)
            deleted = marked if isinstance(marked, _Gone) else await self._insist(lambda: self._delete(pod))
        if isinstance(deleted, Refused):
            return self._gave_up(pod, deleted)
        self._ports.reporter.preempted(pod, preemptor, node)
        return True

    async def _mark(self, pod: Pod, message: str) -> WriteResult:
        condition = Condition(DISRUPTION_TARGET, "True", "PreemptionByScheduler", message)
        body = condition_body(condition, rfc3339(self._ports.clock.now()))
        return await self._ports.api.patch_status(PODS, _key(pod), status_patch(pod, {"conditions": [body]}))

    async def _delete(self, pod: Pod) -> WriteResult:
        return await self._ports.api.delete(PODS, _key(pod), DeleteOptions(uid=pod.metadata.uid))

    async def _insist(self, call: Callable[[], Awaitable[WriteResult]]) -> Written | _Gone | Refused:
        """Repeat a call whose answer was lost or a passing failure; both calls may be sent twice without harm."""
        settings, clock = self._ports.settings, self._ports.clock
        backoff = Backoff(settings.retry_base, settings.retry_cap, self._rng)
        last = Refused(0, "NotLeading", "the lease is not ours any more")
        for _ in range(settings.evict_attempts):
            if self._ports.lease_left() <= 0:
                return last
            try:
                result: WriteResult = await call()
            except TenantryError as error:
                last = Refused(0, "Fault", str(error))
            else:
                if isinstance(result, Written):
                    return result
                if isinstance(result, Refused):
                    if result.status == 404 or (result.status == 409 and "UID in precondition" in result.message):
                        return _Gone()
                    if 400 <= result.status < 500 and result.status not in (409, 429):
                        return result
                    last = result
                else:
                    last = Refused(0, "Unknown", result.message)
            await clock.sleep(backoff.next())
        return last

    def _gave_up(self, pod: Pod, refused: Refused) -> bool:
        _log.warning(
            "A victim of preemption could not be evicted",
            extra={"pod": "/".join(_key(pod)), "reason": f"{refused.status} {refused.reason}: {refused.message}"},
        )
        return False


def _key(pod: Pod) -> Key:
    return Key(pod.metadata.namespace, pod.metadata.name)
