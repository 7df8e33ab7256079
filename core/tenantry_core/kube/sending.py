"""Sends one request, waits for the rate limit, and tries again where that is safe.

A read may be tried again after anything that looks passing. A write may be tried again only where the server never
saw it or said that it did not act on it: a time-out tells nothing, and a second POST could act twice.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from tenantry_core.clock import Clock
from tenantry_core.kube.answers import DEFAULT_RETRY_AFTER, not_acted_on, retry_after
from tenantry_core.kube.errors import MaybeSent, NotSent, TransportError
from tenantry_core.kube.limits import Backoff, RateLimiter, RetrySettings
from tenantry_core.kube.transport import Response, Transport
from tenantry_core.kube.values import CallOptions

PASSING = frozenset({429, 500, 502, 503, 504})
"""Statuses after which a read is tried again."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request as the client builds it."""

    method: str
    path: str
    query: Mapping[str, str] | None = None
    body: bytes | None = None
    headers: Mapping[str, str] | None = None


class Sender:
    """`Transport.request` with a rate limit and retries."""

    def __init__(
        self, transport: Transport, clock: Clock, rng: random.Random, retry: RetrySettings, limiter: RateLimiter
    ) -> None:
        self._transport = transport
        self._clock = clock
        self._rng = rng
        self._retry = retry
        self._limiter = limiter

    async def once(self, request: Outgoing, call: CallOptions) -> Response:
        """One attempt. Raises `TransportError`."""
        await self._limiter.acquire()
        headers = request.headers
        if call.headers:
            headers = {**headers, **call.headers} if headers else call.headers
        return await self._transport.request(
            request.method,
            request.path,
            query=request.query,
            body=request.body,
            headers=headers,
            timeout=call.timeout,
        )

    async def send(self, request: Outgoing, call: CallOptions) -> Response:
        """Attempts until an answer that needs no other, bounded; then the last answer, or its `TransportError`."""
        attempts = self._retry.attempts if call.retry else 1
        read = request.method == "GET"
        backoff = Backoff(self._retry.base, self._retry.cap, self._rng)
        for left in range(attempts - 1, -1, -1):
            try:
                response = await self.once(request, call)
            except (NotSent, MaybeSent) as fault:
                if left == 0 or not self._again_after(fault, read):
                    raise
                await self._clock.sleep(backoff.next())
                continue
            wait = self._wait(response, read, backoff)
            if left == 0 or wait is None:
                return response
            await self._clock.sleep(wait)
        raise AssertionError("at least one attempt is made")

    @staticmethod
    def _again_after(fault: TransportError, read: bool) -> bool:
        return read or isinstance(fault, NotSent)

    def _wait(self, response: Response, read: bool, backoff: Backoff) -> float | None:
        """Seconds before the next attempt, None when this answer is the one to give back."""
        if not_acted_on(response):
            asked = retry_after(response)
            wait = max(DEFAULT_RETRY_AFTER if asked is None else asked, backoff.next())
            return wait if wait <= self._retry.longest_retry_after else None
        return backoff.next() if read and response.status in PASSING else None
