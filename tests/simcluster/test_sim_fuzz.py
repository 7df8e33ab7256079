"""Any body and any query of definitions, custom resources and applied configurations gets a Status, never a fault."""

import asyncio
from typing import Any

import aiohttp
from custom_kinds import DEFINITIONS, WIDGETS, definition, version, widget
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simcluster_client import JSON, MERGE, PODS, Api, pod

from tenantry_sim import SimCluster

_APPLY, _JSON_PATCH = "application/apply-patch+yaml", "application/json-patch+json"
_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "x", "1", "a b", "-1", "object", "array", "(", "self", "self.x.y", "Infinity", "\u0000"])
)
_NAMES = st.sampled_from(["name", "x", "type", "rule", "items", "properties", "f:a", "."])
_VALUES = _SCALARS | st.lists(_SCALARS, max_size=2) | st.dictionaries(_NAMES, _SCALARS, max_size=2)
_OWNED = [{"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsV1": {"f:data": {"f:a": {}}}}]
_PART = {"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}, "required": ["name"]}
_KEYED = {"type": "array", "items": _PART, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
_SPEC = {
    "type": "object",
    "default": {},
    "properties": {
        "size": {"type": "integer", "minimum": 1, "default": 2},
        "rate": {"type": "number", "nullable": True},
        "when": {"type": "string", "format": "date-time"},
        "either": {"x-kubernetes-int-or-string": True},
        "parts": _KEYED,
        "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "free": {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[a-z]*$"}},
        "inner": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
    },
    "x-kubernetes-validations": [
        {"rule": "self.size < 9 || self.parts.all(p, p.n > 0)", "messageExpression": "string(self.size)"},
        {"rule": "self.size >= oldSelf.size", "reason": "FieldValueForbidden", "fieldPath": ".size"},
    ],
}
_STATUS = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_SCALE = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.n", "labelSelectorPath": ".status.s"}
_COLUMNS = [
    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
    {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
    {"name": "When", "type": "date", "jsonPath": ".spec.when"},
]
_VERSION = version(
    {"spec": _SPEC, "status": _STATUS}, subresources={"status": {}, "scale": _SCALE}, additionalPrinterColumns=_COLUMNS
)
_WIDGET = widget(
    "w",
    spec={
        "size": 3,
        "rate": 1.5,
        "when": "2024-01-01T00:00:00Z",
        "either": "5%",
        "parts": [{"name": "a", "n": 1}],
        "tags": ["t"],
        "free": {"k": "v"},
        "inner": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}},
    },
    status={"conditions": [{"type": "Ready", "status": "True"}], "n": 1},
)
_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "labels": {"a": "b"}}, "data": {"a": "1"}}
_MAPS = "/api/v1/namespaces/default/configmaps"
_POD = {**pod("p", tolerations=[{"key": "k", "operator": "Exists"}]), "status": {"phase": "Running"}}
_OTHER = definition(_VERSION, kind="Gadget")
_REQUESTS: list[tuple[str, str, str, Any]] = [
    ("POST", DEFINITIONS, JSON, _OTHER),
    ("POST", DEFINITIONS, JSON, _OTHER),
    ("PATCH", f"{DEFINITIONS}/{_OTHER['metadata']['name']}", MERGE, _OTHER),
    ("PATCH", f"{DEFINITIONS}/{_OTHER['metadata']['name']}", _APPLY, _OTHER),
    ("POST", WIDGETS, JSON, {**_WIDGET, "metadata": {"generateName": "g"}}),
    ("PUT", f"{WIDGETS}/w", JSON, _WIDGET),
    ("PATCH", f"{WIDGETS}/w", MERGE, {"spec": _WIDGET["spec"], "metadata": {"managedFields": _OWNED}}),
    ("PATCH", f"{WIDGETS}/w", _APPLY, _WIDGET),
    ("PATCH", f"{WIDGETS}/new", _APPLY, {**_WIDGET, "metadata": {"name": "new"}}),
    ("PATCH", f"{WIDGETS}/w/status", MERGE, {"status": _WIDGET["status"]}),
    ("PATCH", f"{WIDGETS}/w/scale", MERGE, {"spec": {"replicas": 4}}),
    ("PATCH", f"{WIDGETS}/w", _JSON_PATCH, [{"op": "replace", "path": "/spec/parts/0/n", "value": 2}]),
    ("PATCH", f"{_MAPS}/m", _APPLY, _MAP),
    ("PUT", f"{_MAPS}/m", JSON, {**_MAP, "metadata": {"name": "m", "managedFields": _OWNED}}),
    ("PATCH", f"{PODS}/p", _APPLY, _POD),
    ("PATCH", f"{PODS}/p/status", _APPLY, _POD),
    ("DELETE", f"{DEFINITIONS}/{_OTHER['metadata']['name']}", JSON, {"propagationPolicy": "Background"}),
]
_QUERIES = st.dictionaries(
    st.sampled_from(
        ["fieldManager", "force", "dryRun", "fieldValidation", "resourceVersion", "labelSelector", "pretty", "limit"]
    ),
    st.sampled_from(["m", "", "true", "All", "Strict", "Warn", "Ignore", "x=y", "-1", "5", "%00", "a" * 200]),
    max_size=3,
)


def _broken(body: Any, steps: list[int], value: Any) -> Any:
    """The body with one member, found by walking down, replaced; as it is without steps."""
    if not steps or not isinstance(body, dict | list) or not body:
        return value
    keys: list[Any] = list(body) if isinstance(body, dict) else list(range(len(body)))
    copy: Any = dict(body) if isinstance(body, dict) else list(body)
    key = keys[steps[0] % len(keys)]
    copy[key] = _broken(body[key], steps[1:], value)
    return copy


_REQUEST = st.tuples(
    st.integers(0, len(_REQUESTS) - 1), st.lists(st.integers(0, 11), min_size=0, max_size=9), _VALUES, _QUERIES
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.lists(_REQUEST, min_size=20, max_size=20))
def test_any_request_is_answered(
    requests: list[tuple[int, list[int], Any, dict[str, str]]],
) -> None:
    async def play() -> None:
        async with SimCluster() as cluster, aiohttp.ClientSession() as session:
            api = Api(session, cluster.url)
            assert (await api.post(DEFINITIONS, definition(_VERSION)))[0] == 201
            assert (await api.post(WIDGETS, _WIDGET))[0] == 201
            await api.create_pod("p")
            for number, steps, value, query in requests:
                method, path, kind, body = _REQUESTS[number]
                if kind == _APPLY:
                    query = {"fieldManager": "m", **query}
                sent = _broken(body, steps, value) if steps else body
                text = "&".join(f"{k}={v}" for k, v in query.items())
                code, answer = await api.call(method, f"{path}?{text}", sent, kind)
                assert code < 500, (method, path, query, sent, answer)
                assert isinstance(answer, dict), (method, path, query, sent, answer)
                assert code < 400 or answer["kind"] == "Status", (method, path, query, sent, answer)
            for listed in (WIDGETS, DEFINITIONS, _MAPS, PODS):
                async with session.get(api.url + listed, headers={"Accept": _TABLE}) as table:
                    assert table.status == 200, await table.text()

    asyncio.run(play())


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_any_yaml_is_answered(text: str) -> None:
    async def play() -> None:
        async with SimCluster() as cluster, aiohttp.ClientSession() as session:
            for path in (f"{_MAPS}/m?fieldManager=m", f"{PODS}/p?fieldManager=m"):
                for body in (text, f"kind: ConfigMap\napiVersion: v1\nmetadata: {{name: m}}\ndata: {text}"):
                    headers = {"Content-Type": _APPLY}
                    async with session.patch(cluster.url + path, data=body.encode(), headers=headers) as answer:
                        assert answer.status < 500, (text, await answer.text())

    asyncio.run(play())
