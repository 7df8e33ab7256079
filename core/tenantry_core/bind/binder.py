"""Applies placements: the one way from a decision to a bound pod, and the one way back."""

from __future__ import annotations

import asyncio
import logging
import random

import msgspec

from tenantry_core.bind import stages
from tenantry_core.bind.job import BindJob, BindPorts, End, Outcome
from tenantry_core.bind.permits import Permits, WaitingPod
from tenantry_core.bind.reporter import SCHEDULER_ERROR, UNSCHEDULABLE
from tenantry_core.bind.sender import BOUND, BindSender
from tenantry_core.bind.trace import Ended, hand_over
from tenantry_core.framework.status import SUCCESS, Code, Status, fault
from tenantry_core.kube.values import Key
from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.model.objects import Pod

_log = logging.getLogger(__name__)


class Binder:
    """`launch` is synchronous and never waits; the rest of a job runs in a task of its own."""

    def __init__(self, ports: BindPorts, rng: random.Random | None = None) -> None:
        self.permits = Permits()
        self._ports = ports
        self._sender = BindSender(ports, rng or random.Random())
        self._slots = asyncio.Semaphore(ports.settings.concurrency)
        self._tasks: set[asyncio.Task[None]] = set()
        self._settling: dict[str, asyncio.Task[None]] = {}
        self._aside = 0
        self._closing = False
        self._room = asyncio.Event()
        self._room.set()

    # ---- the loop's side -------------------------------------------------------------------------------------------

    @property
    def in_flight(self) -> int:
        """Jobs that bind or are about to. Not those that wait in Permit, or in PreBind for volumes: these may be many,
        and take long.
        """
        return len(self._tasks) - self._aside

    @property
    def full(self) -> bool:
        """True when the loop should stop deciding until binds have caught up."""
        return self.in_flight >= self._ports.settings.concurrency * self._ports.settings.backlog

    @property
    def quiet(self) -> bool:
        """True when background writes may go without getting in the way of binds: none is under way."""
        return self.in_flight == 0

    async def room(self) -> None:
        """Return once the stage is not full."""
        while self.full:
            self._room.clear()
            await self._room.wait()

    def launch(self, job: BindJob) -> bool:
        """Assume the pod on its node and begin to bind it. False where it was turned down at once, and queued again.

        Raises ValueError where the pod holds room already.
        """
        ports = self._ports
        ports.cache.assume(job.pod, job.ctx.cls, job.row)
        job.promised = ports.cache.nominations.get(job.uid)
        ports.cache.clear_nomination(job.uid)
        began = ports.clock.monotonic()
        status = stages.reserve(job) if job.profile.reserve else SUCCESS
        if job.profile.reserve:
            self._ran("Reserve", status, job, began)
        waiting = None
        if status.ok and job.profile.permit:
            began = ports.clock.monotonic()
            status, timeouts = stages.permit(job)
            self._ran("Permit", status, job, began)
            if status.code is Code.WAIT:
                waiting = WaitingPod(job.pod, job.node, timeouts)
                self.permits.add(waiting)
                status = SUCCESS
        if not status.ok:
            self._turned_down(job, status)
            return False
        task = asyncio.create_task(self._carry_out(job, waiting))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        ports.recorder.goroutines("binding", 1)
        return True

    def pod_gone(self, uid: str) -> None:
        """A pod was deleted: if it waits in Permit, it waits no more."""
        self.permits.reject(uid, "", "the pod was deleted")

    def look_after_overdue(self) -> None:
        """Begin to settle binds that succeeded and that the watch has not shown in time; returns at once."""
        for placed in self._ports.cache.overdue(self._ports.clock.monotonic()):
            if placed.uid not in self._settling:
                task = asyncio.create_task(self.settle(placed.pod, self._ports.cache.nodes.names[placed.row]))
                self._settling[placed.uid] = task
                task.add_done_callback(lambda _, uid=placed.uid: self._settling.pop(uid))  # type: ignore[misc]

    async def settle(self, pod: Pod, node: str) -> None:
        """Read the pod, then confirm or forget what we assume. Waits for an answer as long as the server gives none."""
        meta = pod.metadata
        async with self._slots:
            outcome = await self._sender.state(Key(meta.namespace, meta.name), meta.uid, node)
        now = self._ports.clock.monotonic()
        if outcome is None or outcome.end in (End.GONE, End.ELSEWHERE):
            _log.warning(
                "A pod that we had bound is not where we bound it",
                extra={"pod": f"{meta.namespace}/{meta.name}", "node": node},
            )
            if outcome is None:
                self._ports.queue.add(pod, now)
            if self._ports.cache.forget(meta.uid):
                self._wake_others(pod, node)
        else:
            self._ports.cache.finish_binding(meta.uid, now + self._ports.settings.confirm_within)

    async def close(self, deadline: float) -> int:
        """Reject who waits, finish what is in flight for at most `deadline` seconds, cancel the rest.

        Returns how many jobs had to be cancelled.
        """
        self._closing = True
        for waiting in self.permits:
            waiting.reject("", "the scheduler stops")
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=deadline)
        left = list(self._tasks)
        for task in self._settling.values():
            task.cancel()
        await asyncio.gather(*self._settling.values(), return_exceptions=True)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return len(left)

    # ---- one job ---------------------------------------------------------------------------------------------------

    async def _carry_out(self, job: BindJob, waiting: WaitingPod | None) -> None:
        try:
            status = await self._prepare(job, waiting)
            if not status.ok:
                self._turned_down(job, status)
                return
            # Nothing rejects the pod from here on, so the queue need not keep events for it.
            self._ports.queue.done(job.uid)
            async with self._slots:
                outcome = await self._bind(job)
            self._settle(job, outcome)
        except asyncio.CancelledError:
            # The process ends; what the job holds outside the process must not outlive it.
            stages.unreserve(job)
            raise
        except Exception as error:
            _log.exception("Binding broke", extra={"pod": job.qp.key, "node": job.node})
            self._settle(job, Outcome(End.FAILED, f"binding broke: {error}"))

    async def _prepare(self, job: BindJob, waiting: WaitingPod | None) -> Status:
        """Permit's wait, then PreBind."""
        self._aside += 1
        try:
            status = await self._permitted(job, waiting) if waiting is not None else SUCCESS
            if status.ok and job.profile.pre_bind:
                began = self._ports.clock.monotonic()
                status = await stages.pre_bind(job)
                self._ran("PreBind", status, job, began)
            return status
        finally:
            self._aside -= 1

    def _ran(self, point: str, status: Status, job: BindJob, began: float) -> None:
        seconds = self._ports.clock.monotonic() - began
        self._ports.recorder.extension_point(point, status.code.label, job.profile.scheduler_name, seconds)

    async def _permitted(self, job: BindJob, waiting: WaitingPod) -> Status:
        began = self._ports.clock.monotonic()
        try:
            status = await waiting.wait(self._ports.clock)
        finally:
            self.permits.remove(job.uid)
        self._ports.recorder.permit_wait(status.code.label, self._ports.clock.monotonic() - began)
        return status

    async def _bind(self, job: BindJob) -> Outcome:
        clock, recorder = self._ports.clock, self._ports.recorder
        began = clock.monotonic()
        status = await stages.bind(job)
        if status.code is Code.SKIP:
            outcome = await self._sender.send(job)
        else:
            outcome = BOUND if status.ok else Outcome(End.FAILED, status.message)
        seconds, bound = clock.monotonic() - began, outcome.end is End.BOUND
        recorder.extension_point("Bind", "Success" if bound else "Error", job.profile.scheduler_name, seconds)
        recorder.api_call("pod_binding", "success" if bound else "error", seconds)
        return outcome

    def _settle(self, job: BindJob, outcome: Outcome) -> None:
        if outcome.end is not End.BOUND and self._confirmed(job):
            outcome = BOUND
        if outcome.end is End.BOUND:
            self._bound(job)
            return
        freed = self._undo(job)
        if outcome.end is End.FAILED:
            self._failed(job, fault(outcome.message))
        if freed:
            self._wake_others(job.pod, job.node)

    def _bound(self, job: BindJob) -> None:
        ports, qp = self._ports, job.qp
        now = ports.clock.monotonic()
        ports.cache.finish_binding(job.uid, now + ports.settings.confirm_within)
        stages.post_bind(job)
        ports.reporter.scheduled(job.pod, job.node)
        ports.recorder.attempt("scheduled", job.profile.scheduler_name, now - job.started)
        hand_over(ports, qp, Ended("scheduled", now - job.started, job.node, job.feasible))
        ports.recorder.pod_scheduled(qp.attempts, now - (qp.entered if qp.entered is not None else job.started))
        if qp.flushed:
            ports.recorder.scheduled_after_flush()
        if job.promised is not None and job.promised.node != job.node:
            self._wake_others(job.pod, job.promised.node)

    def _confirmed(self, job: BindJob) -> bool:
        """Whether the watch has shown the pod on our node, whatever the answer said."""
        placed = self._ports.cache.placed(job.uid)
        return placed is not None and not placed.assumed and self._ports.cache.nodes.names[placed.row] == job.node

    # ---- the one way back ------------------------------------------------------------------------------------------

    def _turned_down(self, job: BindJob, status: Status) -> None:
        """Reserve, Permit or PreBind said no, or broke."""
        freed = self._undo(job)
        self._failed(job, status)
        if freed:
            self._wake_others(job.pod, job.node, job.uid)

    def _undo(self, job: BindJob) -> bool:
        """Give everything back. True where room became free, which the caller must tell the queue."""
        stages.unreserve(job)
        freed = self._ports.cache.forget(job.uid)
        if job.promised is not None and self._ports.latest(job.uid) is not None:
            self._ports.cache.nominate(job.pod, job.promised.node)
        return freed

    def _wake_others(self, pod: Pod, node: str, besides: str = "") -> None:
        """Room on `node` that was held for `pod` is free: to those who wait this is a deleted pod.

        Not to `besides`, which held the room itself: woken by that it would be tried and rejected for ever.
        """
        spec = msgspec.structs.replace(pod.spec, node_name=node)
        event = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE, msgspec.structs.replace(pod, spec=spec), None)
        self._ports.queue.on_event(event, self._ports.clock.monotonic(), besides)
        self._ports.changed()

    def _failed(self, job: BindJob, status: Status) -> None:
        """Queue the pod again and say why, where it still exists without a node."""
        ports, qp = self._ports, job.qp
        now = ports.clock.monotonic()
        latest = ports.latest(job.uid)
        if latest is None or latest.spec.node_name or latest.metadata.deletion_timestamp:
            ports.queue.done(job.uid)
            return
        if self._closing or ports.lease_left() <= 0:
            # Whoever leads next will try it; what stopped us is no news about the pod.
            ports.queue.error(qp, now)
            return
        profile = job.profile.scheduler_name
        if status.rejected and status.plugin:
            pending = (status.plugin,) if status.code is Code.PENDING else ()
            ports.queue.unschedulable(qp, () if pending else (status.plugin,), now, pending)
            ports.reporter.failed(latest, UNSCHEDULABLE, f"0/1 nodes are available: 1 {status.message}.")
            ports.recorder.attempt("unschedulable", profile, now - job.started)
            ended = Ended(
                "unschedulable", now - job.started, job.node, reasons=status.reasons, plugins=(status.plugin,)
            )
        else:
            ports.queue.error(qp, now)
            ports.reporter.failed(latest, SCHEDULER_ERROR, status.message)
            ports.recorder.attempt("error", profile, now - job.started)
            ended = Ended("error", now - job.started, job.node, reasons=status.reasons)
        hand_over(ports, qp, ended)
        if latest is not job.pod:
            ports.queue.update(job.pod, latest, now)
        ports.changed()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._ports.recorder.goroutines("binding", -1)
        if not self.full:
            self._room.set()
        if not task.cancelled() and task.exception() is not None:
            _log.error("A bind task broke", exc_info=task.exception())
