"""Each answer to a Binding or an Eviction is one value that says what may have happened."""

import random
from typing import Any

import pytest
from fakes.clock import FakeClock
from fakes.kube import FakeKube, obj, ok, status

from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.errors import MaybeSent, NotSent
from tenantry_core.kube.transport import PlainResponse
from tenantry_core.kube.values import (
    AlreadyBound,
    BindRequest,
    Blocked,
    Bound,
    CallOptions,
    DeleteOptions,
    Evicted,
    Failed,
    Key,
    NotFound,
    Throttled,
    Unknown,
)

ASSIGNED = 'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "w1"'
UID = 'Operation cannot be fulfilled on pods "a": StorageError: Precondition failed: UID in precondition: 1, UID in'
GATED = 'Operation cannot be fulfilled on pods/binding "a": pod a has non-empty .spec.schedulingGates'
BUDGET = "Cannot evict pod as it would violate the pod's disruption budget."
HTML = PlainResponse(502, {}, b"<html>bad gateway</html>")


def make(*answers: Any) -> tuple[FakeKube, KubeClient]:
    server = FakeKube()
    server.script("POST", "/(binding|eviction)$", *answers)
    return server, KubeClient(server, FakeClock(), random.Random(1))


BINDS = [
    pytest.param(ok({}, 201), Bound(), id="201"),
    pytest.param(status(409, "Conflict", ASSIGNED), AlreadyBound(ASSIGNED, "w1"), id="409 has a node"),
    pytest.param(status(409, "Conflict", UID), NotFound(UID), id="409 other uid"),
    pytest.param(status(409, "Conflict", GATED), Failed(409, GATED), id="409 gated"),
    pytest.param(status(404, "NotFound", "gone"), NotFound("gone"), id="404"),
    pytest.param(status(429, "TooManyRequests", "x", {"Retry-After": "3"}), Throttled(3, "x"), id="429"),
    pytest.param(status(429, "TooManyRequests", "x", {"retry-after": "3"}), Throttled(3, "x"), id="429 lower case"),
    pytest.param(status(429, "TooManyRequests", "x", retryAfterSeconds=7), Throttled(7, "x"), id="429 in the body"),
    pytest.param(status(429, "TooManyRequests", "x"), Throttled(1, "x"), id="429 silent"),
    pytest.param(status(503, "ServiceUnavailable", "x", {"Retry-After": "1"}), Throttled(1, "x"), id="503 with a wait"),
    pytest.param(status(503, "ServiceUnavailable", "x"), Failed(503, "x"), id="503"),
    pytest.param(status(500, "InternalError", "boom"), Failed(500, "boom"), id="500"),
    pytest.param(HTML, Failed(502, "<html>bad gateway</html>"), id="proxy page"),
    pytest.param(PlainResponse(500), Failed(500, "HTTP status 500"), id="empty body"),
    pytest.param(MaybeSent("no answer in time"), Unknown("no answer in time"), id="time-out"),
    pytest.param(NotSent("refused"), Failed(0, "refused"), id="never sent"),
]


@pytest.mark.parametrize(("answer", "result"), BINDS)
async def test_bind_is_sent_once_and_says_what_came(answer: Any, result: object) -> None:
    """One request, whatever the answer; the caller decides about another."""
    server, api = make(answer)
    assert await api.bind(BindRequest("ns", "a", "u1", "w1")) == result
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("result", "maybe"), [(Failed(500, ""), True), (Failed(409, ""), False), (Failed(0, ""), False)], ids=repr
)
def test_failed_knows_whether_it_may_have_happened(result: Failed, maybe: bool) -> None:
    """A 5xx may have been stored."""
    assert result.may_have_happened is maybe


async def test_bind_against_a_store() -> None:
    """Bound once; the second time it has a node; another UID is another pod; annotations and trace travel."""
    server = FakeKube()
    pod = server.add("/api/v1", "pods", obj("a", 0))
    api = KubeClient(server, FakeClock())
    good = BindRequest("ns", "a", pod["metadata"]["uid"], "w1", {"k": "v"})
    assert await api.bind(good, CallOptions(headers={"traceparent": "00-1"})) == Bound()
    assert server.requests[0].headers == {"Content-Type": "application/json", "traceparent": "00-1"}
    assert server.requests[0].json == {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "a", "namespace": "ns", "uid": pod["metadata"]["uid"], "annotations": {"k": "v"}},
        "target": {"apiVersion": "v1", "kind": "Node", "name": "w1"},
    }
    assert pod["spec"]["nodeName"] == "w1"
    second = await api.bind(good)
    assert isinstance(second, AlreadyBound)
    assert second.node == "w1"
    assert isinstance(await api.bind(BindRequest("ns", "a", "other", "w1")), NotFound)


EVICTIONS = [
    pytest.param(ok({}, 201), Evicted(), id="201"),
    pytest.param(
        status(429, "TooManyRequests", BUDGET, causes=[{"reason": "DisruptionBudget"}], retryAfterSeconds=10),
        Blocked(BUDGET, 10),
        id="budget",
    ),
    pytest.param(status(429, "TooManyRequests", "busy", {"Retry-After": "2"}), Throttled(2, "busy"), id="busy"),
    pytest.param(status(404, "NotFound", "gone"), NotFound("gone"), id="404"),
    pytest.param(
        status(409, "Conflict", "the UID in the precondition (1) does not match"),
        NotFound("the UID in the precondition (1) does not match"),
        id="other uid",
    ),
    pytest.param(status(500, "InternalError", "two budgets"), Failed(500, "two budgets"), id="two budgets"),
    pytest.param(MaybeSent("cut"), Unknown("cut"), id="lost"),
    pytest.param(NotSent("refused"), Failed(0, "refused"), id="never sent"),
]


@pytest.mark.parametrize(("answer", "result"), EVICTIONS)
async def test_eviction(answer: Any, result: object) -> None:
    """One request with the UID as precondition."""
    server, api = make(answer)
    assert await api.evict(Key("ns", "a"), DeleteOptions(grace_seconds=5, uid="u1")) == result
    (request,) = server.requests
    assert request.json["deleteOptions"] == {"gracePeriodSeconds": 5, "preconditions": {"uid": "u1"}}
