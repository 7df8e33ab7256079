"""A clock that a test turns by hand."""

import asyncio
import heapq
import itertools


class FakeClock:
    """Stands still until `advance`; sleepers wake in the order of their deadlines.

    `now()` starts at `wall`, `monotonic()` at 0. `advance` lets every woken task run until it waits again before the
    next sleeper is woken, so that a loop of short sleeps inside one long `advance` runs at its own times.
    """

    def __init__(self, wall: float = 1_800_000_000.0, *, settle_rounds: int = 50) -> None:
        self._wall = wall
        self._elapsed = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._rounds = settle_rounds

    def now(self) -> float:
        return self._wall + self._elapsed

    def monotonic(self) -> float:
        return self._elapsed

    @property
    def sleepers(self) -> int:
        """How many tasks are asleep on this clock."""
        return sum(not future.done() for _, _, future in self._sleepers)

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._order), future))
        await future

    async def settle(self) -> None:
        """Let every task that can run do so."""
        for _ in range(self._rounds):
            await asyncio.sleep(0)

    async def advance(self, seconds: float) -> None:
        """Turn the clock, waking sleepers at their own times on the way."""
        await self.settle()
        target = self._elapsed + seconds
        while self._sleepers and self._sleepers[0][0] <= target:
            deadline, _, future = heapq.heappop(self._sleepers)
            self._elapsed = max(self._elapsed, deadline)
            if not future.done():
                future.set_result(None)
                await self.settle()
        self._elapsed = target
        await self.settle()

    def jump(self, seconds: float) -> None:
        """Turn the clock without waking anybody, as when a process was paused; sleepers wake at the next `advance`."""
        self._elapsed += seconds

    def shift_wall(self, seconds: float) -> None:
        """Move the wall clock alone, as when it is set."""
        self._wall += seconds
