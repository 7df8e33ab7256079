"""Reviews: the server says who may do what."""

from typing import Any

import pytest
from access_kit import ADMIN, group, rule, tenants, user

_ACCESS = "/apis/authorization.k8s.io/v1"


def _list_pods(namespace: str = "default") -> dict[str, Any]:
    return {"resourceAttributes": {"verb": "list", "resource": "pods", "namespace": namespace}}


_QUESTIONS = [
    pytest.param({"user": "alice", **_list_pods()}, True, id="granted"),
    pytest.param({"user": "alice", **_list_pods("other")}, False, id="elsewhere"),
    pytest.param({"user": "bob", **_list_pods()}, False, id="nobody-granted"),
    pytest.param({"user": "zoe", "groups": ["team-a"], **_list_pods()}, True, id="by-group"),
    pytest.param({"user": "zoe", "groups": ["system:masters"], **_list_pods("x")}, True, id="masters"),
    pytest.param(
        {"user": "x", "groups": ["system:authenticated"], "nonResourceAttributes": {"path": "/api/v1", "verb": "get"}},
        True,
        id="path",
    ),
    pytest.param({"user": "x", "nonResourceAttributes": {"path": "/metrics", "verb": "get"}}, False, id="other-path"),
]


@pytest.mark.parametrize(("spec", "allowed"), _QUESTIONS)
async def test_subject_access_review(spec: dict[str, Any], allowed: bool) -> None:
    async with tenants() as place:
        await place.role("r", rule("list", "pods"))
        await place.bind("Role/r", user("alice"), group("team-a"))
        code, answer = await place.admin.post(f"{_ACCESS}/subjectaccessreviews", {"spec": spec})
        assert (code, answer["status"]["allowed"]) == (201, allowed)


async def test_own_access_says_why() -> None:
    async with tenants() as place:
        await place.role("r", rule("list", "pods"))
        await place.bind("Role/r", user("bob"))
        bob = place.by_token("bob-token")
        path = f"{_ACCESS}/selfsubjectaccessreviews"
        status = (await bob.post(path, {"spec": _list_pods()}))[1]["status"]
        assert status["allowed"]
        assert 'of Role "r" to User "bob"' in status["reason"]
        assert (await bob.post(path, {"spec": _list_pods("other")}))[1]["status"] == {"allowed": False}
        assert (await bob.post(f"{_ACCESS}/subjectaccessreviews", {"spec": {"user": "x", **_list_pods()}}))[0] == 403


async def test_own_rules() -> None:
    async with tenants() as place:
        await place.role("r", rule("list", "pods", names="a"))
        await place.bind("Role/r", user("bob"))
        path = f"{_ACCESS}/selfsubjectrulesreviews"
        code, answer = await place.by_token("bob-token").post(path, {"spec": {"namespace": "default"}})
        assert code == 201
        wanted = {"verbs": ["list"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"]}
        assert wanted in answer["status"]["resourceRules"]


async def test_local_review_stays_in_its_namespace() -> None:
    async with tenants() as place:
        path = f"{_ACCESS}/namespaces/default/localsubjectaccessreviews"
        assert (await place.admin.post(path, {"spec": {"user": "x", **_list_pods()}}))[0] == 201
        assert (await place.admin.post(path, {"spec": {"user": "x", **_list_pods("other")}}))[0] == 400
        assert (await place.by_token("bob-token").post(path, {"spec": {"user": "x", **_list_pods()}}))[0] == 403


@pytest.mark.parametrize(
    ("kind", "spec", "code"),
    [
        pytest.param("subjectaccessreviews", {"user": "x"}, 422, id="nothing-asked"),
        pytest.param("subjectaccessreviews", _list_pods(), 422, id="nobody-named"),
        pytest.param("selfsubjectrulesreviews", {}, 400, id="no-namespace"),
        pytest.param("selfsubjectaccessreviews", {"resourceAttributes": 1}, 400, id="wrong-type"),
    ],
)
async def test_bad_questions(kind: str, spec: dict[str, Any], code: int) -> None:
    async with tenants() as place:
        assert (await place.admin.post(f"{_ACCESS}/{kind}", {"spec": spec}))[0] == code


async def test_token_review() -> None:
    path = "/apis/authentication.k8s.io/v1/tokenreviews"
    async with tenants() as place:
        status = (await place.admin.post(path, {"spec": {"token": "alice-token"}}))[1]["status"]
        assert (status["authenticated"], status["user"]["username"]) == (True, "alice")
        status = (await place.admin.post(path, {"spec": {"token": "nope"}}))[1]["status"]
        assert status == {"user": {}, "error": "invalid bearer token"}
        status = (await place.admin.post(path, {"spec": {"token": ADMIN}}))[1]["status"]
        assert "system:masters" in status["user"]["groups"]
