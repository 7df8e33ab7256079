"""Property: whatever stands in a dump or a manifest, there is an answer or an InputError, never another exception."""

from __future__ import annotations

import json
from typing import Any

from dumps import loaded, node, pod, quota, workload
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenantry.simulate.read import InputError, read_items
from tenantry.simulate.run import simulate
from tenantry.simulate.state import Scenario
from tenantry_core.plugins.profiles import default_profile

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.text(max_size=3),
    st.just([]),
    st.just({}),
    st.just([1]),
    st.just({"a": 1}),
)
SAMPLES = (node("n1"), pod("web-1", on="n1"), quota({"pods": "3"}), *(workload(k) for k in (
    "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicaSet", "ReplicationController")))  # fmt: skip
PROFILES = {"default-scheduler": default_profile()}


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a body."""
    inner = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [at, *(path for key, item in inner for path in paths(item, (*at, key)))]


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(json.dumps(draw(st.sampled_from(SAMPLES))))
    path = draw(st.sampled_from([p for p in paths(body) if p]))
    target: Any = body
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = draw(JUNK)
    return body


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged(), damaged())
def test_damaged_objects(in_dump: dict[str, Any], added: dict[str, Any]) -> None:
    found = loaded(node("n0"), in_dump)
    answer = simulate(found, Scenario(read_items(json.dumps(added).encode(), "added"), limit=3), PROFILES)
    json.dumps(answer.as_dict())


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)))
def test_any_bytes(data: bytes) -> None:
    try:
        read_items(data, "dump")
    except InputError as error:
        assert str(error).startswith("dump: ")
