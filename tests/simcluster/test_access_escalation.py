"""Nobody grants what they do not hold, unless they may escalate or bind."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from access_kit import RBAC, Tenants, rule, tenants, user
from simcluster_client import MERGE

_ROLES = f"{RBAC}/namespaces/default/roles"
_BINDINGS = f"{RBAC}/namespaces/default/rolebindings"
_GROUP = "rbac.authorization.k8s.io"
_WRITE = rule("create get list update patch delete", "roles rolebindings", _GROUP)


@pytest.fixture
async def place() -> AsyncIterator[Tenants]:
    """Bob may write roles and bindings, and list pods; nothing else."""
    async with tenants() as running:
        await running.role("writer", _WRITE, rule("list", "pods"))
        await running.bind("Role/writer", user("bob"))
        yield running


@pytest.mark.parametrize(
    ("granted", "code"),
    [
        pytest.param(rule("list", "pods"), 201, id="held"),
        pytest.param(rule("list", "pods", names="a"), 201, id="part-of-what-is-held"),
        pytest.param(rule("list delete", "pods"), 403, id="more-verbs"),
        pytest.param(rule("list", "secrets"), 403, id="another-resource"),
        pytest.param(rule("*", "*", "*"), 403, id="everything"),
    ],
)
async def test_new_role(place: Tenants, granted: dict[str, Any], code: int) -> None:
    body = {"metadata": {"name": "mine"}, "rules": [granted]}
    assert (await place.by_token("bob-token").post(_ROLES, body))[0] == code


async def test_refusal_names_what_is_missing(place: Tenants) -> None:
    body = {"metadata": {"name": "mine"}, "rules": [rule("list delete get", "pods")]}
    code, answer = await place.by_token("bob-token").post(_ROLES, body)
    assert code == 403
    assert answer["message"] == (
        'roles.rbac.authorization.k8s.io "mine" is forbidden: user "bob" (groups=["system:authenticated"]) is '
        "attempting to grant RBAC permissions not currently held:\n"
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "get"]}'
    )


async def test_changed_role(place: Tenants) -> None:
    bob = place.by_token("bob-token")
    patch = {"rules": [rule("delete", "pods")]}
    assert (await bob.call("PATCH", f"{_ROLES}/writer", patch, MERGE))[0] == 403
    label = {"metadata": {"labels": {"a": "b"}}}
    assert (await bob.call("PATCH", f"{_ROLES}/writer", label, MERGE))[0] == 200


async def test_escalate_lets_pass(place: Tenants) -> None:
    await place.role("escalator", rule("escalate", "roles", _GROUP))
    await place.bind("Role/escalator", user("bob"))
    body = {"metadata": {"name": "mine"}, "rules": [rule("*", "*", "*")]}
    assert (await place.by_token("bob-token").post(_ROLES, body))[0] == 201


def _binding(kind: str, name: str) -> dict[str, Any]:
    reference = {"apiGroup": _GROUP, "kind": kind, "name": name}
    return {"metadata": {"generateName": "b-"}, "roleRef": reference, "subjects": [user("eve")]}


@pytest.mark.parametrize(
    ("kind", "name", "code"),
    [
        pytest.param("Role", "writer", 201, id="held"),
        pytest.param("ClusterRole", "cluster-admin", 403, id="administrator"),
        pytest.param("ClusterRole", "view", 403, id="more-than-is-held"),
        pytest.param("Role", "nowhere", 404, id="no-such-role"),
    ],
)
async def test_new_binding(place: Tenants, kind: str, name: str, code: int) -> None:
    assert (await place.by_token("bob-token").post(_BINDINGS, _binding(kind, name)))[0] == code


async def test_bind_lets_pass(place: Tenants) -> None:
    await place.role("binder", rule("bind", "clusterroles", _GROUP, names="view"))
    await place.bind("Role/binder", user("bob"))
    bob = place.by_token("bob-token")
    assert (await bob.post(_BINDINGS, _binding("ClusterRole", "view")))[0] == 201
    assert (await bob.post(_BINDINGS, _binding("ClusterRole", "cluster-admin")))[0] == 403


@pytest.mark.parametrize(
    ("plural", "body", "field"),
    [
        pytest.param(
            "roles", {"rules": [{"verbs": ["get"], "apiGroups": [""]}]}, "rules[0].resources", id="no-resource"
        ),
        pytest.param("roles", {"rules": [{"apiGroups": [""], "resources": ["p"]}]}, "rules[0].verbs", id="no-verb"),
        pytest.param(
            "rolebindings", {"roleRef": {"kind": "Pod", "name": "x"}}, "roleRef.kind", id="role-of-an-odd-kind"
        ),
        pytest.param(
            "rolebindings",
            {"roleRef": {"kind": "Role", "name": "x"}, "subjects": [{"kind": "Robot", "name": "r"}]},
            "subjects[0].kind",
            id="subject-of-an-odd-kind",
        ),
    ],
)
async def test_bad_objects(place: Tenants, plural: str, body: dict[str, Any], field: str) -> None:
    path = f"{RBAC}/namespaces/default/{plural}"
    code, answer = await place.admin.post(path, {"metadata": {"name": "x"}, **body})
    assert (code, [c["field"] for c in answer["details"]["causes"]]) == (422, [field])


async def test_role_of_a_binding_stays(place: Tenants) -> None:
    created = (await place.admin.post(_BINDINGS, _binding("Role", "writer")))[1]
    path = f"{_BINDINGS}/{created['metadata']['name']}"
    patch = {"roleRef": {"apiGroup": _GROUP, "kind": "Role", "name": "other"}}
    code, answer = await place.admin.call("PATCH", path, patch, MERGE)
    assert (code, answer["details"]["causes"][0]["field"]) == (422, "roleRef")
