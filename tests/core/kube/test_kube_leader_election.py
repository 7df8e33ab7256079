"""A lease is won, kept, lost, stolen and given back; two candidates are never leaders at once."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fakes.clock import FakeClock
from fakes.kube import FakeKube, status

from tenantry_core.errors import ConfigError
from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.errors import MaybeSent
from tenantry_core.kube.lease import Candidate, LeaderElector, Leadership, LeaseSettings
from tenantry_core.kube.values import Key

LEASE = Key("kube-system", "tenantry")
PREFIX = "/apis/coordination.k8s.io/v1"
STORE = (PREFIX, "leases", *LEASE)
FAILING = status(500, "InternalError", "etcd is away")


class Rig:
    """One server, one clock, candidates by name."""

    def __init__(self, settings: LeaseSettings | None = None) -> None:
        self.server = FakeKube()
        self.clock = FakeClock()
        self.settings = settings or LeaseSettings()
        self.electors: dict[str, LeaderElector] = {}
        self.tasks: dict[str, asyncio.Task[Leadership]] = {}
        self.changes: list[tuple[str, str]] = []

    def join(self, name: str) -> LeaderElector:
        elector = LeaderElector(
            KubeClient(self.server, self.clock),
            Candidate(LEASE, name),
            self.clock,
            self.settings,
            lambda state: self.changes.append((name, state.value)),
        )
        self.electors[name] = elector
        self.tasks[name] = asyncio.create_task(elector.run())
        return elector

    @property
    def lease(self) -> dict[str, Any]:
        return self.server.objects[STORE]

    def put(self, holder: str, duration: int = 15, **metadata: Any) -> None:
        """Somebody else writes the lease."""
        now = f"2026-12-01T00:00:{self.server.version % 60:02}.000000Z"
        meta = {"name": LEASE.name, "namespace": LEASE.namespace, **metadata}
        spec = {"holderIdentity": holder, "leaseDurationSeconds": duration, "renewTime": now, "leaseTransitions": 3}
        self.server.add(PREFIX, "leases", {"metadata": meta, "spec": spec})

    def fail(self, method: str, answer: Any, times: int = 500) -> None:
        self.server.script(method, "/leases", *[answer] * times)

    def leaders(self) -> list[str]:
        return [name for name, elector in self.electors.items() if elector.is_leader()]


@asynccontextmanager
async def rig(settings: LeaseSettings | None = None) -> AsyncIterator[Rig]:
    made = Rig(settings)
    yield made
    for task in made.tasks.values():
        task.cancel()
    await asyncio.gather(*made.tasks.values(), return_exceptions=True)


async def test_first_candidate_creates_the_lease() -> None:
    """The record is complete, and renewed every retry period."""
    async with rig() as r:
        a = r.join("a")
        await r.clock.settle()
        assert a.is_leader()
        assert a.remaining() == 10
        assert r.lease["spec"] == {
            "holderIdentity": "a",
            "leaseDurationSeconds": 15,
            "acquireTime": "2027-01-15T08:00:00.000000Z",
            "renewTime": "2027-01-15T08:00:00.000000Z",
            "leaseTransitions": 0,
        }
        await r.clock.advance(2)
        assert r.lease["spec"]["renewTime"] == "2027-01-15T08:00:02.000000Z"
        assert r.lease["spec"]["acquireTime"] == "2027-01-15T08:00:00.000000Z"
        assert a.remaining() == 10
        assert len(r.server.seen("GET")) == 1
        await asyncio.wait_for(a.won(), 1)


TAKEN = [
    pytest.param("", 15, 0.0, 0.1, id="released: at once"),
    pytest.param("z", 15, 14.9, 15 + 4.5, id="held: after its whole duration seen by our clock"),
    pytest.param("z", 2, 1.9, 2 + 4.5, id="held for less than ours: its own duration counts"),
    pytest.param("z", 40, 39.9, 40 + 4.5, id="held for more than ours: its own duration counts"),
]


@pytest.mark.parametrize(("holder", "duration", "not_before", "by"), TAKEN)
async def test_taking_over(holder: str, duration: int, not_before: float, by: float) -> None:
    """A dead holder's lease is taken only when its record stood still long enough, whatever times it names."""
    async with rig() as r:
        r.put(holder, duration, labels={"keep": "me"})
        a = r.join("a")
        if not_before:
            await r.clock.advance(not_before)
            assert not a.is_leader()
            assert a.holder == "z"
        await r.clock.advance(by - not_before)
        assert a.is_leader()
        assert r.lease["spec"]["leaseTransitions"] == 4
        assert r.lease["metadata"]["labels"] == {"keep": "me"}


async def test_living_holder_keeps_the_lease() -> None:
    """As long as the record changes, nobody takes it, even with a wall clock of yesterday."""
    async with rig() as r:
        a = r.join("a")
        for _ in range(20):
            r.put("z")
            await r.clock.advance(10)
        assert not a.is_leader()
        assert a.state is Leadership.CANDIDATE


FAULTS = [
    pytest.param(FAILING, id="500"),
    pytest.param(MaybeSent("time-out"), id="time-out"),
    pytest.param(status(403, "Forbidden", "no"), id="forbidden"),
]


@pytest.mark.parametrize("answer", FAULTS)
async def test_lost_when_it_can_not_renew(answer: Any) -> None:
    """Leading ends at the renew deadline, before anybody else may start; it does not come back."""
    async with rig() as r:
        a = r.join("a")
        await r.clock.settle()
        r.fail("PUT", answer)
        r.fail("GET", answer)
        await r.clock.advance(9.9)
        assert a.is_leader()
        await r.clock.advance(0.1)
        assert not a.is_leader()
        assert r.tasks["a"].done()
        assert a.problem
        await r.clock.advance(60)
        assert (await r.tasks["a"], r.changes) == (Leadership.LOST, [("a", "leader"), ("a", "lost")])


@pytest.mark.parametrize("answer", FAULTS)
async def test_short_trouble_is_survived(answer: Any) -> None:
    """Failures for less than the deadline change nothing."""
    async with rig() as r:
        a = r.join("a")
        await r.clock.settle()
        r.fail("PUT", answer, 3)
        await r.clock.advance(8)
        await r.clock.advance(60)
        assert a.is_leader()
        assert r.changes == [("a", "leader")]


async def test_deadline_counts_from_before_the_request() -> None:
    """Others may have seen the record as soon as it was sent, so a slow answer shortens what is left."""
    async with rig() as r:
        real = r.server.request

        async def slow(*args: Any, **rest: Any) -> Any:
            answer = await real(*args, **rest)
            await r.clock.sleep(3)
            return answer

        r.server.request = slow  # type: ignore[method-assign]  # a slower server
        a = r.join("a")
        await r.clock.advance(6)
        assert a.is_leader()
        assert a.remaining() == 7


async def test_request_that_hangs_does_not_outlive_the_deadline() -> None:
    """Even a call that ignores its time limit is left behind at the deadline."""
    async with rig() as r:
        r.join("a")
        await r.clock.settle()

        async def hang(*_: Any, **__: Any) -> Any:
            await asyncio.Event().wait()

        r.server.request = hang  # type: ignore[method-assign]  # a server that never answers
        await r.clock.advance(10)
        assert r.tasks["a"].done()
        assert await r.tasks["a"] is Leadership.LOST


@pytest.mark.parametrize("holder", ["thief", ""], ids=["stolen", "emptied"])
async def test_lease_that_names_another_is_lost_at_the_next_renewal(holder: str) -> None:
    """A record that no longer names us ends the leadership without waiting for the deadline."""
    async with rig() as r:
        a = r.join("a")
        await r.clock.settle()
        r.put(holder)
        await r.clock.advance(2)
        assert a.state is Leadership.LOST
        assert r.lease["spec"]["holderIdentity"] == holder


@pytest.mark.parametrize("how", ["touched", "deleted"])
async def test_lease_that_was_touched_is_renewed(how: str) -> None:
    """A label set by somebody, or a deleted object, costs one more request and not the leadership."""
    async with rig() as r:
        a = r.join("a")
        await r.clock.settle()
        if how == "touched":
            lease = r.lease
            lease["metadata"]["labels"] = {"x": "y"}
            r.server.add(PREFIX, "leases", lease)
        else:
            r.server.objects.clear()
        await r.clock.advance(2)
        assert a.is_leader()
        assert r.lease["spec"]["holderIdentity"] == "a"


async def test_paused_process_does_not_lead_when_it_wakes() -> None:
    """After a pause longer than the deadline `is_leader` is false before any task has run."""
    async with rig() as r:
        a = r.join("a")
        await r.clock.settle()
        r.clock.jump(30)
        assert not a.is_leader()
        assert a.remaining() == 0
        await r.clock.advance(0)
        assert a.state is Leadership.LOST


async def test_wall_clock_that_jumps_changes_nothing() -> None:
    """Only the monotonic clock counts."""
    async with rig() as r:
        a, b = r.join("a"), r.join("b")
        await r.clock.settle()
        r.clock.shift_wall(86_400)
        await r.clock.advance(20)
        r.clock.shift_wall(-2 * 86_400)
        await r.clock.advance(20)
        assert (a.is_leader(), b.is_leader()) == (True, False)


async def test_release_hands_over_at_once() -> None:
    """`stop` empties the record, and the other candidate leads at its next look."""
    async with rig() as r:
        a, b = r.join("a"), r.join("b")
        await r.clock.advance(10)
        a.stop()
        assert await asyncio.wait_for(r.tasks["a"], 1) is Leadership.RELEASED
        assert not a.is_leader()
        assert r.lease["spec"]["holderIdentity"] == ""
        assert r.lease["spec"]["leaseDurationSeconds"] == 1
        await r.clock.advance(4.5)
        assert b.is_leader()
        assert r.lease["spec"]["leaseTransitions"] == 1


async def test_candidate_that_stops_leaves_the_lease_alone() -> None:
    """Nothing is written for somebody who never held it."""
    async with rig() as r:
        r.put("z")
        a = r.join("a")
        await r.clock.settle()
        a.stop()
        await asyncio.wait_for(r.tasks["a"], 1)
        assert not r.server.seen("PUT")
        assert r.lease["spec"]["holderIdentity"] == "z"


async def test_write_whose_answer_was_lost_is_found_again() -> None:
    """A create that was stored though its answer was lost is taken up, and given back on stop."""
    async with rig() as r:

        def stored(request: Any) -> Any:
            r.server.add(PREFIX, "leases", json.loads(request.body))
            return MaybeSent("cut")

        r.server.script("POST", "/leases", stored)
        a = r.join("a")
        await r.clock.settle()
        assert not a.is_leader()
        await r.clock.advance(4.5)
        assert a.is_leader()
        assert len(r.server.seen("POST")) == 1


async def test_race_is_won_by_one() -> None:
    """Two candidates that see a free lease write the same version; the server takes one."""
    async with rig() as r:
        r.put("")
        r.join("a")
        r.join("b")
        await r.clock.settle()
        assert len(r.leaders()) == 1


@pytest.mark.parametrize(
    ("settings", "fields"),
    [
        pytest.param(LeaseSettings(), [], id="defaults"),
        pytest.param(LeaseSettings.short(2), [], id="two seconds"),
        pytest.param(LeaseSettings(0.5, 0.4, 0.1), ["duration"], id="below a second"),
        pytest.param(LeaseSettings(2.5, 1, 0.1), ["duration"], id="no whole seconds"),
        pytest.param(LeaseSettings(10, 10, 2), ["renew_deadline"], id="deadline"),
        pytest.param(LeaseSettings(15, 10, 9), ["retry_period"], id="retry"),
        pytest.param(LeaseSettings(10, 12, 11), ["renew_deadline", "retry_period"], id="two at once"),
    ],
)
def test_settings(settings: LeaseSettings, fields: list[str]) -> None:
    """Times that could make two leaders are refused, all problems at once."""
    assert [problem.split(":")[0] for problem in settings.problems()] == fields
    if fields:
        with pytest.raises(ConfigError):
            LeaderElector(KubeClient(FakeKube()), Candidate(LEASE, "a"), FakeClock(), settings)
