"""Malformed roles, bindings, reviews and webhook configurations get a Status, and leave a server that still works."""

import asyncio
from typing import Any

import aiohttp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simcluster_client import JSON, MERGE, PODS, Api, pod
from test_sim_bad_input import _VALUES, _broken

from tenantry_sim import SimCluster

_RBAC = "/apis/rbac.authorization.k8s.io/v1"
_SPACE = "/namespaces/default"
_AUTH = "/apis/authorization.k8s.io/v1"
_RULE = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"]}
_PATHS = {"verbs": ["get"], "nonResourceURLs": ["/x/*"]}
_SELECTOR = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}
_BINDING = {
    "metadata": {"name": "b"},
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
    "subjects": [
        {"kind": "User", "name": "eve", "apiGroup": "rbac.authorization.k8s.io"},
        {"kind": "ServiceAccount", "name": "s", "namespace": "default"},
    ],
}
_HOOK = {
    "name": "a.b.example.com",
    "clientConfig": {"url": "https://127.0.0.1:1/x", "caBundle": ""},
    "rules": [
        {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "scope": "*"}
    ],
    "failurePolicy": "Ignore",
    "matchPolicy": "Exact",
    "namespaceSelector": _SELECTOR,
    "objectSelector": _SELECTOR,
    "sideEffects": "None",
    "timeoutSeconds": 1,
    "admissionReviewVersions": ["v1"],
    "matchConditions": [{"name": "c", "expression": "object.metadata.name == 'x'"}],
}
_ACCESS = {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default", "group": "", "name": "x"}}
_REQUESTS: list[tuple[str, str, str, Any]] = [
    ("POST", f"{_RBAC}{_SPACE}/roles", JSON, {"metadata": {"name": "r"}, "rules": [_RULE]}),
    (
        "POST",
        f"{_RBAC}/clusterroles",
        JSON,
        {
            "metadata": {"name": "c", "labels": {"a": "b"}},
            "rules": [_RULE, _PATHS],
            "aggregationRule": {"clusterRoleSelectors": [_SELECTOR]},
        },
    ),
    ("PATCH", f"{_RBAC}/clusterroles/view", MERGE, {"aggregationRule": {"clusterRoleSelectors": [_SELECTOR]}}),
    ("POST", f"{_RBAC}{_SPACE}/rolebindings", JSON, _BINDING),
    ("POST", f"{_RBAC}/clusterrolebindings", JSON, _BINDING),
    *(
        (
            "POST",
            f"/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations",
            JSON,
            {"metadata": {"name": "h"}, "webhooks": [{**_HOOK, **more}]},
        )
        for kind, more in (("validating", {}), ("mutating", {"reinvocationPolicy": "IfNeeded"}))
    ),
    ("POST", f"{_AUTH}/selfsubjectaccessreviews", JSON, {"spec": _ACCESS}),
    ("POST", f"{_AUTH}/subjectaccessreviews", JSON, {"spec": {**_ACCESS, "user": "eve", "groups": ["g"]}}),
    (
        "POST",
        f"{_AUTH}/selfsubjectaccessreviews",
        JSON,
        {"spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}}},
    ),
    ("POST", f"{_AUTH}/selfsubjectrulesreviews", JSON, {"spec": {"namespace": "default"}}),
    ("POST", "/apis/authentication.k8s.io/v1/tokenreviews", JSON, {"spec": {"token": "a.b.c", "audiences": ["x"]}}),
    (
        "POST",
        f"/api/v1{_SPACE}/serviceaccounts/default/token",
        JSON,
        {"spec": {"audiences": ["a"], "expirationSeconds": 600, "boundObjectRef": {"kind": "Pod", "name": "p"}}},
    ),
]


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    st.lists(
        st.tuples(st.sampled_from(_REQUESTS), st.lists(st.integers(0, 11), min_size=1, max_size=7), _VALUES),
        min_size=10,
        max_size=10,
    )
)
def test_any_body_is_answered(requests: list[tuple[tuple[str, str, str, Any], list[int], Any]]) -> None:
    async def play() -> None:
        async with SimCluster() as cluster, aiohttp.ClientSession() as session:
            api = Api(session, cluster.url)
            for (method, path, kind, body), steps, value in requests:
                sent = _broken(body, steps, value)
                code, answer = await api.call(method, path, sent, kind)
                assert code < 500, (method, path, sent, answer)
                assert isinstance(answer, dict), (method, path, sent, answer)
            code, answer = await api.post(PODS, pod("p"))
            assert code in (201, 403) or "webhook" in answer["message"], (requests, answer)
            async with session.get(cluster.url + PODS, headers={"Impersonate-User": "eve"}) as got:
                assert got.status in (200, 403), await got.text()

    asyncio.run(play())
