"""Sends one bind and finds out what became of it.

    201                       bound
    409 already assigned      read the pod: on our node it is bound, elsewhere it is lost
    404, 409 other UID        gone
    429, 503 + Retry-After    wait as told, send again
    5xx, no answer            it may have happened: read the pod (quorum) before anything else
    other 4xx, never sent     not bound; a few more attempts, then failed

A pod that reads as not bound after a lost answer is bound to the *same* node again: should the lost request still
arrive, one of the two gets 409 and the truth is the same. Only so is its room never given away while it may be taken.
"""

from __future__ import annotations

import logging
import random

from tenantry_core.bind.job import BindJob, BindPorts, End, Outcome
from tenantry_core.errors import TenantryError
from tenantry_core.kube.limits import Backoff
from tenantry_core.kube.resources import PODS
from tenantry_core.kube.values import (
    AlreadyBound,
    BindRequest,
    BindResult,
    Bound,
    CallOptions,
    Failed,
    Key,
    NotFound,
    Throttled,
    Unknown,
)
from tenantry_core.model.objects import Pod

_log = logging.getLogger(__name__)

BOUND = Outcome(End.BOUND)
NOT_LEADING = "the lease is not ours any more"
NO_NODE = "the node was removed before the pod was bound"


class BindSender:
    """Implements what kube-scheduler's DefaultBinder does, with answers followed to the end."""

    def __init__(self, ports: BindPorts, rng: random.Random) -> None:
        self._ports = ports
        self._rng = rng

    async def send(self, job: BindJob) -> Outcome:
        """Bind; returns only when the outcome is known, or `bind_limit` is over."""
        ports, settings = self._ports, self._ports.settings
        until = ports.clock.monotonic() + settings.bind_limit
        backoff = Backoff(settings.retry_base, settings.retry_cap, self._rng)
        failures = 0
        while True:
            refusal = self._refusal(job)
            if refusal:
                return await self._given_up(job, refusal, failures > 0)
            result = await self._once(job)
            if isinstance(result, Bound):
                return BOUND
            outcome, message, wait = await self._look(job, result)
            if outcome is not None:
                return outcome
            if not isinstance(result, Throttled):
                failures += 1
            over = ports.clock.monotonic() + wait >= until
            if over or failures >= settings.bind_attempts:
                return await self._given_up(job, message, True)
            await ports.clock.sleep(wait or backoff.next())

    async def state(self, job_key: Key, uid: str, node: str) -> Outcome | None:
        """What the API server holds of a pod that we meant for `node`: an outcome, or None where it is not bound.

        Asks until the server answers; an answer is needed before room is given back. FAILED only when the lease ends.
        """
        ports = self._ports
        backoff = Backoff(ports.settings.retry_base, ports.settings.retry_cap, self._rng)
        while True:
            placed = ports.cache.placed(uid)
            if placed is not None and not placed.assumed:
                here = ports.cache.nodes.names[placed.row] == node
                return BOUND if here else Outcome(End.ELSEWHERE)
            try:
                pod = await ports.api.get_as(Pod, PODS, job_key)
            except TenantryError as error:
                _log.warning(
                    "A pod can't be read after its bind", extra={"pod": "/".join(job_key), "reason": str(error)}
                )
                if ports.lease_left() <= 0:
                    return Outcome(End.FAILED, NOT_LEADING)
                await ports.clock.sleep(backoff.next())
                continue
            if pod is None or pod.metadata.uid != uid:
                return Outcome(End.GONE)
            if pod.spec.node_name:
                return BOUND if pod.spec.node_name == node else Outcome(End.ELSEWHERE)
            return None

    def _refusal(self, job: BindJob) -> str:
        """Why the request must not be sent, "" where it may."""
        if self._ports.lease_left() <= 0:
            return NOT_LEADING
        if self._ports.cache.nodes.row_of(job.node) < 0:
            return NO_NODE
        return ""

    async def _once(self, job: BindJob) -> BindResult:
        meta = job.pod.metadata
        seconds = min(self._ports.settings.bind_timeout, self._ports.lease_left())
        request = BindRequest(meta.namespace, meta.name, meta.uid, job.node)
        try:
            return await self._ports.api.bind(request, CallOptions(timeout=seconds))
        except TenantryError as error:
            return Failed(0, str(error))

    async def _look(self, job: BindJob, result: BindResult) -> tuple[Outcome | None, str, float]:
        """(outcome or None to try again, message, seconds to wait before that or 0 for the usual backoff)."""
        match result:
            case NotFound():
                return Outcome(End.GONE), "", 0.0
            case Throttled(retry_after=seconds, message=message):
                return None, message, seconds
            case AlreadyBound(message=message) | Unknown(message=message):
                return await self._read(job), message, 0.0
            case Failed(status=status, message=message):
                if result.may_have_happened or status == 409:
                    return await self._read(job), message, 0.0
                if 400 <= status < 500:
                    return Outcome(End.FAILED, message), message, 0.0
                return None, message, 0.0
            case _:
                return BOUND, "", 0.0

    async def _read(self, job: BindJob) -> Outcome | None:
        meta = job.pod.metadata
        return await self.state(Key(meta.namespace, meta.name), meta.uid, job.node)

    async def _given_up(self, job: BindJob, message: str, sent: bool) -> Outcome:
        """No further attempt. Where a request may have left, its effect is read once more."""
        outcome = await self._read(job) if sent and message != NOT_LEADING else None
        return outcome or Outcome(End.FAILED, message)
