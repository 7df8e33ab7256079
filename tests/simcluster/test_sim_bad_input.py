"""Malformed requests get a Status (or a plain 404), never a fault of the server."""

import asyncio
import json
from typing import Any

import aiohttp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simcluster_client import JSON, MERGE, PODS, STRATEGIC, Api, pod

from tenantry_sim import SimCluster

_JSON_PATCH = "application/json-patch+json"
_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
_SCALARS = st.none() | st.booleans() | st.integers(-(2**31), 2**31) | st.sampled_from(["", "x", "1", "a b", "-1"])
_VALUES = (
    _SCALARS | st.lists(_SCALARS, max_size=2) | st.dictionaries(st.sampled_from(["name", "x"]), _SCALARS, max_size=2)
)
_TEMPLATE: dict[str, Any] = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {"containers": [{"name": "c", "image": "x", "resources": {"limits": {"cpu": "1"}}}]},
}
_POD: dict[str, Any] = {
    "metadata": {
        "name": "p",
        "labels": {"a": "b"},
        "annotations": {"a": "b"},
        "finalizers": ["x/y"],
        "ownerReferences": [{"kind": "X", "name": "x", "uid": "1", "apiVersion": "v1"}],
    },
    "spec": {
        **_TEMPLATE["spec"],
        "containers": [
            {
                "name": "c",
                "image": "x",
                "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}},
                "ports": [{"containerPort": 80}],
                "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}],
                "readinessProbe": {"periodSeconds": 1},
            }
        ],
        "volumes": [{"name": "v", "configMap": {"name": "m"}}],
        "tolerations": [{"key": "k", "operator": "Exists"}],
        "schedulingGates": [{"name": "g"}],
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway"}],
        "nodeSelector": {"a": "b"},
        "priority": 0,
        "priorityClassName": "",
        "overhead": {"cpu": "1"},
    },
    "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
}
_SELECTED = {"selector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]}}
_SPREAD = "/apis/apps/v1/namespaces/default/deployments"
_SPACE = "/api/v1/namespaces/default"
_REQUESTS: list[tuple[str, str, str, Any]] = [
    ("POST", PODS, JSON, {**_POD, "metadata": {**_POD["metadata"], "name": "n"}}),
    ("PUT", f"{PODS}/p", JSON, _POD),
    ("PUT", f"{PODS}/p/status", JSON, _POD),
    ("PATCH", f"{PODS}/p", MERGE, _POD),
    ("PATCH", f"{PODS}/p", STRATEGIC, _POD),
    ("PATCH", f"{PODS}/p?fieldManager=m", "application/apply-patch+yaml", _POD),
    ("PATCH", f"{PODS}/p/status", STRATEGIC, _POD),
    ("PATCH", f"{PODS}/p", _JSON_PATCH, [{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}]),
    ("POST", f"{PODS}/p/binding", JSON, {"metadata": {"name": "p", "annotations": {}}, "target": {"name": "n"}}),
    ("POST", f"{PODS}/p/eviction", JSON, {"metadata": {"name": "p"}, "deleteOptions": {"gracePeriodSeconds": 1}}),
    ("DELETE", f"{PODS}/q", JSON, {"preconditions": {"uid": "x"}, "dryRun": ["All"], "gracePeriodSeconds": 3}),
    ("POST", "/api/v1/nodes", JSON, {"metadata": {"name": "n"}, "spec": {}, "status": {"capacity": {"cpu": "1"}}}),
    (
        "POST",
        f"{_SPACE}/services",
        JSON,
        {"metadata": {"name": "s"}, "spec": {"selector": {"a": "b"}, "ports": [{"port": 80}]}},
    ),
    (
        "POST",
        f"{_SPACE}/limitranges",
        JSON,
        {"metadata": {"name": "l"}, "spec": {"limits": [{"type": "Container", "max": {"cpu": "9"}}]}},
    ),
    (
        "POST",
        f"{_SPACE}/resourcequotas",
        JSON,
        {"metadata": {"name": "r"}, "spec": {"hard": {"cpu": "1"}, "scopes": ["Terminating"]}},
    ),
    ("POST", f"{_SPACE}/events", JSON, {"metadata": {"name": "e"}, "involvedObject": {"kind": "Pod"}, "source": {}}),
    ("POST", _SPREAD, JSON, {"metadata": {"name": "d"}, "spec": {**_SELECTED, "template": _TEMPLATE, "strategy": {}}}),
    (
        "POST",
        "/apis/batch/v1" + _SPACE[7:] + "/jobs",
        JSON,
        {"metadata": {"name": "j"}, "spec": {"template": _TEMPLATE}},
    ),
    (
        "POST",
        "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
        JSON,
        {"metadata": {"name": "b"}, "spec": _SELECTED, "status": {"conditions": []}},
    ),
    (
        "POST",
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        JSON,
        {"metadata": {"name": "c"}, "value": 1, "globalDefault": True},
    ),
    ("PATCH", f"{_SPREAD}/web/scale", MERGE, {"spec": {"replicas": 1}}),
    (
        "POST",
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        JSON,
        {"kind": "SubjectAccessReview", "spec": {"user": "x"}},
    ),
]


def _broken(body: Any, steps: list[int], value: Any) -> Any:
    """The body with one member, found by walking down, replaced."""
    if not steps or not isinstance(body, dict | list) or not body:
        return value
    keys: list[Any] = list(body) if isinstance(body, dict) else list(range(len(body)))
    copy: Any = dict(body) if isinstance(body, dict) else list(body)
    key = keys[steps[0] % len(keys)]
    copy[key] = _broken(body[key], steps[1:], value)
    return copy


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    st.lists(
        st.tuples(st.sampled_from(_REQUESTS), st.lists(st.integers(0, 11), min_size=1, max_size=7), _VALUES),
        min_size=15,
        max_size=15,
    )
)
def test_any_body_is_answered(requests: list[tuple[tuple[str, str, str, Any], list[int], Any]]) -> None:
    async def play() -> None:
        async with SimCluster() as cluster, aiohttp.ClientSession() as session:
            api = Api(session, cluster.url)
            await api.create_pod("p")
            await api.create_pod("q")
            await api.post(_SPREAD, {"metadata": {"name": "web"}, "spec": {**_SELECTED, "template": _TEMPLATE}})
            for (method, path, kind, body), steps, value in requests:
                sent = _broken(body, steps, value)
                code, answer = await api.call(method, path, sent, kind)
                assert code != 500 or answer["message"] == "target.name: Required value", (method, path, sent, answer)
                assert isinstance(answer, dict), (method, path, sent, answer)
            for listed in (PODS, f"{_SPACE}/services", "/api/v1/nodes", _SPREAD):
                async with session.get(api.url + listed, headers={"Accept": _TABLE}) as table:
                    assert table.status == 200, await table.text()

    asyncio.run(play())


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(alphabet=st.characters(codec="utf-8", categories=("L", "N", "P", "S")), max_size=30))
def test_any_query_is_answered(text: str) -> None:
    async def play() -> None:
        async with SimCluster() as cluster, aiohttp.ClientSession() as session:
            for key in ("labelSelector", "fieldSelector", "limit", "continue", "resourceVersion"):
                async with session.get(cluster.url + PODS, params={key: text}) as answer:
                    assert answer.status in (200, 400, 410, 504), (key, text, await answer.text())

    asyncio.run(play())


async def test_broken_bytes(api: Api) -> None:
    for kind in (JSON, "application/yaml", "application/vnd.kubernetes.protobuf", "application/json"):
        for data in (b"", b"\xff\xfe", b"k8s\x00\x0a\xff", b"[1]", b'"x"', json.dumps(pod("p")).encode()[:40]):
            async with api.session.post(api.url + PODS, data=data, headers={"Content-Type": kind}) as answer:
                assert answer.status in (400, 415), (kind, data, await answer.text())
