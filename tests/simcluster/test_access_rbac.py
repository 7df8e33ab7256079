"""Roles and bindings decide what users may do, and refusals read as a real server's."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from access_kit import Tenants, account, group, rule, tenants, user
from simcluster_client import MERGE, PODS, eventually, pod

_APPS = "/apis/apps/v1/namespaces/default/deployments"


@pytest.fixture
async def place() -> AsyncIterator[Tenants]:
    async with tenants() as running:
        yield running


_REFUSED = [
    pytest.param("GET", PODS, 'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the '
                 'namespace "default"', {"kind": "pods"}, id="list"),
    pytest.param("GET", PODS + "?watch=true", 'pods is forbidden: User "bob" cannot watch resource "pods" in API group '
                 '"" in the namespace "default"', {"kind": "pods"}, id="watch"),
    pytest.param("GET", PODS + "/a", 'pods "a" is forbidden: User "bob" cannot get resource "pods" in API group "" in '
                 'the namespace "default"', {"name": "a", "kind": "pods"}, id="get"),
    pytest.param("DELETE", PODS, 'pods is forbidden: User "bob" cannot deletecollection resource "pods" in API group '
                 '"" in the namespace "default"', {"kind": "pods"}, id="delete-collection"),
    pytest.param("POST", PODS + "/a/binding", 'pods "a" is forbidden: User "bob" cannot create resource "pods/binding" '
                 'in API group "" in the namespace "default"', {"name": "a", "kind": "pods"}, id="binding"),
    pytest.param("GET", "/api/v1/nodes", 'nodes is forbidden: User "bob" cannot list resource "nodes" in API group "" '
                 "at the cluster scope", {"kind": "nodes"}, id="cluster-scope"),
    pytest.param("GET", "/api/v1/pods", 'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at '
                 "the cluster scope", {"kind": "pods"}, id="all-namespaces"),
    pytest.param("DELETE", _APPS + "/d", 'deployments.apps "d" is forbidden: User "bob" cannot delete resource '
                 '"deployments" in API group "apps" in the namespace "default"',
                 {"name": "d", "group": "apps", "kind": "deployments"}, id="group"),
    pytest.param("GET", "/api/v1/namespaces/default", 'namespaces "default" is forbidden: User "bob" cannot get '
                 'resource "namespaces" in API group "" in the namespace "default"',
                 {"name": "default", "kind": "namespaces"}, id="namespace"),
    pytest.param("GET", "/metrics", 'forbidden: User "bob" cannot get path "/metrics"', {}, id="path"),
    pytest.param("POST", "/sim/faults", 'forbidden: User "bob" cannot post path "/sim/faults"', {}, id="switches"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "message", "details"), _REFUSED)
async def test_refusals_read_as_kubernetes_does(
    place: Tenants, method: str, path: str, message: str, details: dict[str, str]
) -> None:
    code, answer = await place.by_token("bob-token").call(method, path)
    assert code == 403
    assert (answer["message"], answer["reason"], answer["details"]) == (message, "Forbidden", details)


_GRANTS = [
    pytest.param(rule("get list", "pods"), "GET", PODS, True, id="verb-and-resource"),
    pytest.param(rule("get", "pods"), "GET", PODS, False, id="another-verb"),
    pytest.param(rule("*", "*", "*"), "GET", PODS, True, id="wildcards"),
    pytest.param(rule("list", "pods", "apps"), "GET", PODS, False, id="another-group"),
    pytest.param(rule("get", "pods", names="a"), "GET", PODS + "/a", True, id="named"),
    pytest.param(rule("get", "pods", names="a"), "GET", PODS + "/b", False, id="another-name"),
    pytest.param(rule("list", "pods", names="a"), "GET", PODS + "?fieldSelector=metadata.name%3Da", True, id="by-name"),
    pytest.param(rule("list", "pods", names="a"), "GET", PODS, False, id="named-rule-and-all"),
    pytest.param(rule("get", "pods"), "GET", PODS + "/a/status", False, id="subresource-apart"),
    pytest.param(rule("get", "pods/status"), "GET", PODS + "/a/status", True, id="subresource"),
    pytest.param(rule("get", "*/status"), "GET", PODS + "/a/status", True, id="every-status"),
    pytest.param(rule("get", "namespaces"), "GET", "/api/v1/namespaces/default", True, id="own-namespace"),
]


@pytest.mark.parametrize(("granted", "method", "path", "allowed"), _GRANTS)
async def test_rules(place: Tenants, granted: dict[str, Any], method: str, path: str, allowed: bool) -> None:
    await place.admin.create_pod("a")
    await place.role("r", granted)
    await place.bind("Role/r", user("bob"))
    code, _ = await place.by_token("bob-token").call(method, path)
    assert (code == 200) is allowed


@pytest.mark.parametrize(
    ("subject", "who"),
    [
        pytest.param(user("alice"), "alice", id="user"),
        pytest.param(group("team-a"), "alice", id="group"),
        pytest.param(group("system:authenticated"), "alice", id="everybody"),
        pytest.param(account("runner"), "system:serviceaccount:default:runner", id="account"),
        pytest.param(group("system:serviceaccounts:default"), "system:serviceaccount:default:runner", id="accounts"),
    ],
)
async def test_subjects(place: Tenants, subject: dict[str, str], who: str) -> None:
    await place.role("r", rule("list", "pods"))
    await place.bind("Role/r", subject)
    caller = place.by_token("alice-token") if who == "alice" else place.acting_as(who)
    assert (await caller.call("GET", PODS))[0] == 200
    assert (await place.by_token("bob-token").call("GET", PODS))[0] == (200 if "authenticated" in str(subject) else 403)


async def test_tenant_stays_in_its_namespace(place: Tenants) -> None:
    """A cluster role bound in one namespace holds in that namespace only."""
    for name in ("team-a", "team-b"):
        await place.admin.post("/api/v1/namespaces", {"metadata": {"name": name}})
    await place.bind("ClusterRole/edit", group("team-a"), namespace="team-a")
    alice = place.by_token("alice-token")
    assert (await alice.post("/api/v1/namespaces/team-a/pods", pod("p")))[0] == 201
    assert (await alice.post("/api/v1/namespaces/team-b/pods", pod("p")))[0] == 403
    assert (await alice.call("GET", "/api/v1/namespaces/team-a/secrets"))[0] == 200
    for path in ("/api/v1/namespaces/team-a/resourcequotas", "/api/v1/namespaces/team-a/limitranges"):
        assert (await alice.call("GET", path))[0] == 200
        assert (await alice.post(path, {"metadata": {"name": "mine"}}))[0] == 403
    assert (await alice.post("/api/v1/namespaces/team-a/pods/p/binding", {}))[0] == 403


async def test_view_shows_no_secrets(place: Tenants) -> None:
    await place.bind("ClusterRole/view", user("bob"))
    bob = place.by_token("bob-token")
    assert (await bob.call("GET", PODS))[0] == 200
    assert (await bob.call("GET", "/api/v1/namespaces/default/secrets"))[0] == 403


async def test_change_of_a_role_counts_at_once(place: Tenants) -> None:
    await place.role("r", rule("list", "pods"))
    await place.bind("Role/r", user("bob"))
    bob, path = place.by_token("bob-token"), "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/r"
    assert (await bob.call("GET", PODS))[0] == 200
    await place.admin.call("PATCH", path, {"rules": [rule("get", "pods")]}, MERGE)
    assert (await bob.call("GET", PODS))[0] == 403
    await place.admin.call("DELETE", path)
    message = (await bob.call("GET", PODS))[1]["message"]
    assert message.endswith(': RBAC: role.rbac.authorization.k8s.io "r" not found')


async def test_aggregated_role_collects_rules(place: Tenants) -> None:
    label = "rbac.authorization.k8s.io/aggregate-to-view"
    body = {"metadata": {"name": "widgets", "labels": {label: "true"}}, "rules": [rule("list", "widgets", "x.io")]}
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    await place.admin.post(roles, body)

    async def collected(name: str) -> bool:
        return rule("list", "widgets", "x.io") in (await place.admin.get(f"{roles}/{name}"))["rules"]

    for name in ("view", "edit", "admin"):
        await eventually(partial(collected, name))


async def test_apply_of_something_new_needs_create(place: Tenants) -> None:
    await place.role("r", rule("patch", "configmaps"))
    await place.bind("Role/r", user("bob"))
    path = "/api/v1/namespaces/default/configmaps/c?fieldManager=me"
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
    bob, kind = place.by_token("bob-token"), "application/apply-patch+yaml"
    code, answer = await bob.call("PATCH", path, body, kind)
    assert code == 403
    assert 'User "bob" cannot create resource "configmaps"' in answer["message"]
    assert (await place.admin.call("PATCH", path, body, kind))[0] == 201
    assert (await bob.call("PATCH", path, body, kind))[0] == 200
