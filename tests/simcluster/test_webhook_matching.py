"""Which requests a webhook is asked about."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from simcluster_client import MERGE, PODS, Api, pod
from webhook_server import WebhookServer, configuration, webhook_server

_CONFIGS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
_MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
async def hook() -> AsyncIterator[WebhookServer]:
    async with webhook_server("check.tools.svc") as server:
        yield server


async def _configure(api: Api, hook: WebhookServer, mode: str = "allow", **more: Any) -> None:
    code, answer = await api.post(_CONFIGS, configuration(hook, mode, **more))
    assert code == 201, answer


def _rules(operations: str, resources: str, group: str = "", scope: str = "*") -> list[dict[str, Any]]:
    rule = {"operations": operations.split(), "apiGroups": [group], "apiVersions": ["*"]}
    return [{**rule, "resources": resources.split(), "scope": scope}]


async def _live_a_map(api: Api) -> None:
    """Create, patch and delete a config map; then a node."""
    await api.post(_MAPS, {"metadata": {"name": "m"}})
    await api.call("PATCH", f"{_MAPS}/m", {"data": {"a": "b"}}, MERGE)
    await api.call("DELETE", f"{_MAPS}/m")
    await api.post("/api/v1/nodes", {"metadata": {"name": "n"}})


@pytest.mark.parametrize(
    ("rules", "asked"),
    [
        pytest.param(_rules("*", "configmaps"), ["CREATE", "UPDATE", "DELETE"], id="every-operation"),
        pytest.param(_rules("UPDATE DELETE", "configmaps"), ["UPDATE", "DELETE"], id="some-operations"),
        pytest.param(_rules("CREATE", "*"), ["CREATE", "CREATE"], id="every-resource"),
        pytest.param(_rules("CREATE", "*/*"), ["CREATE", "CREATE"], id="every-resource-and-subresource"),
        pytest.param(_rules("CREATE", "*", scope="Cluster"), ["CREATE"], id="cluster-scope"),
        pytest.param(_rules("CREATE", "*", group="apps"), [], id="another-group"),
        pytest.param(_rules("CREATE", "secrets"), [], id="another-resource"),
    ],
)
async def test_rules(api: Api, hook: WebhookServer, rules: list[dict[str, Any]], asked: list[str]) -> None:
    await _configure(api, hook, rules=rules)
    await _live_a_map(api)
    assert [r["request"]["operation"] for r in hook.reviews] == asked


@pytest.mark.parametrize(
    ("resources", "asked"),
    [
        pytest.param("pods", ["", ""], id="pods"),
        pytest.param("pods/binding", ["binding"], id="binding"),
        pytest.param("pods/*", ["", "", "binding", "eviction", "status"], id="pods-and-subresources"),
        pytest.param("pods/status", ["status"], id="status"),
    ],
)
async def test_subresources(api: Api, hook: WebhookServer, resources: str, asked: list[str]) -> None:
    await _configure(api, hook, rules=_rules("*", resources))
    await api.create_pod("p")
    assert (await api.bind("p", "node-0"))[0] == 201
    await api.call("PATCH", f"{PODS}/p/status", {"status": {"message": "x"}}, MERGE)
    await api.post(f"{PODS}/p/eviction", {"metadata": {"name": "p"}, "deleteOptions": {"dryRun": ["All"]}})
    await api.call("DELETE", f"{PODS}/p")
    assert sorted(r["request"].get("subResource", "") for r in hook.reviews) == asked


async def test_scale_is_shown_as_a_scale(api: Api, hook: WebhookServer) -> None:
    await _configure(api, hook, rules=_rules("UPDATE", "*/scale", "apps"))
    labels = {"app": "d"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    path = "/apis/apps/v1/namespaces/default/deployments"
    await api.post(
        path, {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": labels}, "template": template}}
    )
    code, answer = await api.call("PATCH", f"{path}/d/scale", {"spec": {"replicas": 3}}, MERGE)
    assert (code, answer["spec"]["replicas"]) == (200, 3)
    request = hook.reviews[0]["request"]
    assert (request["kind"]["kind"], request["subResource"], request["object"]["spec"]) == (
        "Scale",
        "scale",
        {"replicas": 3},
    )
    assert request["oldObject"]["spec"] == {"replicas": 1}


async def test_binding_may_be_refused(api: Api, hook: WebhookServer) -> None:
    await _configure(api, hook, "deny", rules=_rules("CREATE", "pods/binding"))
    await api.create_pod("p")
    code, answer = await api.bind("p", "node-0")
    assert (code, "over quota" in answer["message"]) == (403, True)
    review = hook.reviews[0]["request"]
    assert (review["kind"]["kind"], review["object"]["target"]["name"]) == ("Binding", "node-0")
    assert "nodeName" not in (await api.get(f"{PODS}/p"))["spec"]


@pytest.mark.parametrize(
    ("more", "asked"),
    [
        pytest.param({"objectSelector": {"matchLabels": {"a": "1"}}}, True, id="object-selected"),
        pytest.param({"objectSelector": {"matchLabels": {"a": "2"}}}, False, id="object-left-out"),
        pytest.param({"namespaceSelector": {"matchLabels": {"team": "x"}}}, True, id="namespace-selected"),
        pytest.param({"namespaceSelector": {"matchLabels": {"team": "y"}}}, False, id="namespace-left-out"),
        pytest.param(
            {"matchConditions": [{"name": "c", "expression": "request.operation == 'CREATE' && oldObject == null"}]},
            True,
            id="condition",
        ),
        pytest.param(
            {"matchConditions": [{"name": "c", "expression": "request.userInfo.username == 'eve'"}]},
            False,
            id="condition-about-the-user",
        ),
        pytest.param(
            {"failurePolicy": "Ignore", "matchConditions": [{"name": "c", "expression": "object.data.x == '1'"}]},
            False,
            id="condition-that-fails-and-is-ignored",
        ),
    ],
)
async def test_selectors_and_conditions(api: Api, hook: WebhookServer, more: dict[str, Any], asked: bool) -> None:
    await api.post("/api/v1/namespaces", {"metadata": {"name": "x", "labels": {"team": "x"}}})
    await _configure(api, hook, **more)
    body = {"metadata": {"name": "m", "labels": {"a": "1"}}}
    assert (await api.post("/api/v1/namespaces/x/configmaps", body))[0] == 201
    assert len(hook.reviews) == asked


async def test_condition_that_fails_refuses(api: Api, hook: WebhookServer) -> None:
    conditions = [{"name": "c", "expression": "object.data.x == '1'"}]
    await _configure(api, hook, matchConditions=conditions)
    code, answer = await api.post(_MAPS, {"metadata": {"name": "m"}})
    assert (code, answer["reason"]) == (403, "Forbidden")
    assert "no such key: data" in answer["message"]
    assert hook.reviews == []


@pytest.mark.parametrize(
    ("policy", "shown"),
    [
        pytest.param("Equivalent", ["events.k8s.io"], id="equivalent"),
        pytest.param("Exact", [], id="exact"),
    ],
)
async def test_match_policy(api: Api, hook: WebhookServer, policy: str, shown: list[str]) -> None:
    """A rule about events of one group, an event of the other."""
    await _configure(api, hook, rules=_rules("CREATE", "events", "events.k8s.io"), matchPolicy=policy)
    body = {"metadata": {"name": "e"}, "involvedObject": {"namespace": "default"}, "reason": "R", "message": "text"}
    assert (await api.post("/api/v1/namespaces/default/events", body))[0] == 201
    assert [r["request"]["kind"]["group"] for r in hook.reviews] == shown
    if shown:
        assert hook.reviews[0]["request"]["object"]["note"] == "text"
        assert hook.reviews[0]["request"]["requestKind"]["group"] == ""


async def test_own_configurations_are_not_shown(api: Api, hook: WebhookServer) -> None:
    await _configure(api, hook, "deny", rules=_rules("*", "*", "*"))
    assert (await api.call("DELETE", f"{_CONFIGS}/check"))[0] == 200
    assert (await api.post(_MAPS, {"metadata": {"name": "m"}}))[0] == 201


async def test_every_object_of_a_deleted_collection(api: Api, hook: WebhookServer) -> None:
    for name in ("a", "b"):
        await api.post(_MAPS, {"metadata": {"name": name}})
    await _configure(api, hook, "deny", rules=_rules("DELETE", "configmaps"))
    assert (await api.call("DELETE", _MAPS))[0] == 403
    assert len((await api.get(_MAPS))["items"]) == 2
    assert hook.reviews[0]["request"]["oldObject"]["metadata"]["name"] == "a"


async def test_pod_is_shown_with_its_defaults(api: Api, hook: WebhookServer) -> None:
    await _configure(api, hook, rules=_rules("CREATE", "pods"))
    await api.post(PODS, {**pod(""), "metadata": {"generateName": "p-"}})
    request = hook.reviews[0]["request"]
    assert request["object"]["spec"]["schedulerName"] == "default-scheduler"
    assert request["name"].startswith("p-")
