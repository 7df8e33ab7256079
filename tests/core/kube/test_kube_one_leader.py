"""Property: whatever the server does to them, two candidates are never leaders at the same moment."""

import asyncio
from typing import Any

from fakes.clock import FakeClock
from fakes.kube import FakeKube, status
from hypothesis import given, settings
from hypothesis import strategies as st

from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.errors import MaybeSent
from tenantry_core.kube.lease import Candidate, LeaderElector, Leadership, LeaseSettings
from tenantry_core.kube.transport import Response
from tenantry_core.kube.values import Key

LEASE = Key("ns", "l")
NAMES = ("a", "b", "c")

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["wait", "wait", "ok", "fail", "lose", "late", "stop", "join"]),
        st.sampled_from(NAMES),
        st.floats(0.05, 3.0),
    ),
    max_size=25,
)


class Link:
    """A candidate's own connection: good, failing, losing answers after the write, or late by most of a deadline."""

    def __init__(self, server: FakeKube, clock: FakeClock) -> None:
        self.server, self.clock, self.mode = server, clock, "ok"

    async def request(self, method: str, path: str, **rest: Any) -> Response:
        if self.mode == "fail":
            return status(500, "InternalError", "x")
        if self.mode == "late":
            await self.clock.sleep(0.4)
        answer = await self.server.request(method, path, **rest)
        if self.mode == "late":
            await self.clock.sleep(0.4)
        if self.mode == "lose" and method != "GET":
            raise MaybeSent("cut")
        return answer

    def stream(self, method: str, path: str, **rest: Any) -> Any:
        raise NotImplementedError

    async def close(self) -> None:
        return None


async def play(steps: list[tuple[str, str, float]]) -> None:
    server, clock = FakeKube(), FakeClock(settle_rounds=25)
    links = {name: Link(server, clock) for name in NAMES}
    electors: dict[str, LeaderElector] = {}
    tasks: list[asyncio.Task[Leadership]] = []

    def join(name: str) -> None:
        identity = f"{name}{len(tasks)}"
        elector = LeaderElector(
            KubeClient(links[name], clock), Candidate(LEASE, identity), clock, LeaseSettings.short(2)
        )
        electors[name] = elector
        tasks.append(asyncio.create_task(elector.run()))

    for name in NAMES:
        join(name)
    for what, name, seconds in steps:
        if what == "stop":
            electors[name].stop()
        elif what == "join" and electors[name].state in (Leadership.LOST, Leadership.RELEASED):
            join(name)
        elif what != "wait":
            links[name].mode = "ok" if what == "join" else what
        for _ in range(max(1, int(seconds / 0.15))):
            await clock.advance(0.15)
            leaders = [elector.candidate.identity for elector in electors.values() if elector.is_leader()]
            assert len(leaders) <= 1, leaders
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@settings(max_examples=40, deadline=None)
@given(steps=STEPS)
def test_never_two_leaders(steps: list[tuple[str, str, float]]) -> None:
    """Property over failing, lossy and late connections, stops and restarts, with a two-second lease."""
    asyncio.run(play(steps))
