"""How webhooks are called, and what their answers do to the object."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from simcluster_client import MERGE, PODS, Api, eventually, pod
from webhook_server import WebhookServer, configuration, patch, webhook_server

from tenantry_sim import SimCluster, SimConfig

_CONFIGS = "/apis/admissionregistration.k8s.io/v1"
_MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
async def hook() -> AsyncIterator[WebhookServer]:
    async with webhook_server("check.default.svc") as server:
        yield server


async def _configure(api: Api, sort: str, body: dict[str, Any]) -> None:
    code, answer = await api.post(f"{_CONFIGS}/{sort.lower()}webhookconfigurations", body)
    assert code == 201, answer


def _several(hook: WebhookServer, sort: str, **modes: dict[str, Any]) -> dict[str, Any]:
    """A configuration with one webhook for each mode, in order; the values go into the webhook."""
    hooks = [configuration(hook, mode, sort, **more)["webhooks"][0] for mode, more in modes.items()]
    named = [{**h, "name": f"{mode}.demo.example.com"} for h, mode in zip(hooks, modes, strict=True)]
    return {**configuration(hook, "allow", sort), "webhooks": named}


def _add(key: str, value: str) -> dict[str, Any]:
    return patch({"op": "add", "path": f"/metadata/labels/{key}", "value": value})


async def test_mutating_come_in_order_and_before_validating(api: Api, hook: WebhookServer) -> None:
    hook.modes |= {"one": _add("one", "1"), "two": _add("two", "2")}
    await _configure(api, "Validating", configuration(hook, "check"))
    await _configure(api, "Mutating", _several(hook, "Mutating", one={}, two={}))
    code, answer = await api.post(_MAPS, {"metadata": {"name": "m", "labels": {"a": "b"}}})
    assert (code, hook.paths) == (201, ["/one", "/two", "/check"])
    assert answer["metadata"]["labels"] == {"a": "b", "one": "1", "two": "2"}
    assert hook.reviews[2]["request"]["object"]["metadata"]["labels"] == {"a": "b", "one": "1", "two": "2"}


@pytest.mark.parametrize(
    ("policy", "paths"),
    [
        pytest.param("IfNeeded", ["/one", "/two", "/one"], id="if-needed"),
        pytest.param("Never", ["/one", "/two"], id="never"),
    ],
)
async def test_reinvocation(api: Api, hook: WebhookServer, policy: str, paths: list[str]) -> None:
    hook.modes |= {"one": _add("one", "1"), "two": _add("two", "2")}
    body = _several(hook, "Mutating", one={"reinvocationPolicy": policy}, two={"reinvocationPolicy": policy})
    await _configure(api, "Mutating", body)
    assert (await api.post(_MAPS, {"metadata": {"name": "m", "labels": {}}}))[0] in (201, 500)
    await api.post(_MAPS, {"metadata": {"name": "n", "labels": {"a": "b"}}})
    assert hook.paths[-len(paths) :] == paths


async def test_patched_object_is_validated_and_defaulted(api: Api, hook: WebhookServer) -> None:
    container = {"name": "side", "image": "x"}
    hook.modes["inject"] = patch({"op": "add", "path": "/spec/containers/-", "value": container})
    rules = [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}]
    await _configure(api, "Mutating", configuration(hook, "inject", "Mutating", rules=rules))
    code, answer = await api.post(PODS, pod("p"))
    assert code == 201
    assert answer["spec"]["containers"][1]["terminationMessagePolicy"] == "File"
    hook.modes["inject"] = patch({"op": "add", "path": "/spec/containers/-", "value": {"name": "side"}})
    code, answer = await api.post(PODS, pod("q"))
    assert (code, answer["details"]["causes"][0]["field"]) == (422, "spec.containers[1].image")


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        pytest.param({"op": "add", "path": "/a/b", "value": 1},
                     'add operation does not apply: doc is missing path: "/a/b": missing value', id="add"),
        pytest.param({"op": "remove", "path": "/metadata/x"},
                     "error in remove for path: '/metadata/x': unable to remove nonexistent key: x: missing value",
                     id="remove"),
        pytest.param({"op": "replace", "path": "/metadata/x", "value": 1},
                     "replace operation does not apply: doc is missing key: /metadata/x: missing value", id="replace"),
        pytest.param({"op": "test", "path": "/metadata/name", "value": "z"},
                     "testing value /metadata/name failed: test failed", id="test"),
    ],
)  # fmt: skip
async def test_patches_that_fail(api: Api, hook: WebhookServer, operation: dict[str, Any], message: str) -> None:
    hook.modes["bad"] = patch(operation)
    await _configure(api, "Mutating", configuration(hook, "bad", "Mutating", failurePolicy="Ignore"))
    code, answer = await api.post(_MAPS, {"metadata": {"name": "m"}})
    assert (code, answer["message"]) == (500, f"Internal error occurred: {message}")


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_update_is_shown_with_the_old_object(api: Api, hook: WebhookServer, method: str) -> None:
    await api.post(_MAPS, {"metadata": {"name": "m"}, "data": {"a": "1"}})
    hook.modes["more"] = patch({"op": "add", "path": "/data/b", "value": "2"})
    await _configure(api, "Mutating", configuration(hook, "more", "Mutating"))
    body = {"metadata": {"name": "m"}, "data": {"a": "9"}}
    code, answer = await api.call(method, f"{_MAPS}/m", body, MERGE if method == "PATCH" else "application/json")
    assert (code, answer["data"]) == (200, {"a": "9", "b": "2"})
    request = hook.reviews[0]["request"]
    assert (request["oldObject"]["data"], request["object"]["data"]) == ({"a": "1"}, {"a": "9"})
    assert (request["operation"], request["options"]["kind"]) == ("UPDATE", "UpdateOptions")


async def test_dry_run_is_told(api: Api, hook: WebhookServer) -> None:
    await _configure(api, "Validating", configuration(hook, "warn"))
    assert (await api.post(f"{_MAPS}?dryRun=All", {"metadata": {"name": "m"}}))[0] == 201
    request = hook.reviews[0]["request"]
    assert (request["dryRun"], request["options"]["dryRun"]) == (True, ["All"])
    assert (await api.call("GET", f"{_MAPS}/m"))[0] == 404


async def test_object_that_changes_meanwhile_is_shown_again(api: Api, hook: WebhookServer) -> None:
    """A patch waits for its webhook while another one goes through: nothing is lost."""
    await api.post(_MAPS, {"metadata": {"name": "m"}, "data": {"a": "1"}})
    await _configure(api, "Validating", configuration(hook, "slow"))
    waiting = asyncio.create_task(api.call("PATCH", f"{_MAPS}/m", {"data": {"b": "2"}}, MERGE))

    async def asked() -> bool:
        return bool(hook.reviews)

    await eventually(asked)
    await api.call("DELETE", f"{_CONFIGS}/validatingwebhookconfigurations/check")
    assert (await api.call("PATCH", f"{_MAPS}/m", {"data": {"c": "3"}}, MERGE))[0] == 200
    hook.release.set()
    code, answer = await waiting
    assert (code, answer["data"]) == (200, {"a": "1", "b": "2", "c": "3"})


@pytest.mark.parametrize("way", ["annotation", "setting"])
async def test_service(hook: WebhookServer, way: str) -> None:
    address = f"127.0.0.1:{hook.port}"
    settings = {"default/check": address} if way == "setting" else {}
    async with SimCluster(SimConfig(webhook_addresses=settings)) as cluster, aiohttp.ClientSession() as session:
        api = Api(session, cluster.url)
        if way == "annotation":
            metadata = {"name": "check", "annotations": {"sim.tenantry.io/address": address}}
            await api.post("/api/v1/namespaces/default/services", {"metadata": metadata})
        service = {"namespace": "default", "name": "check", "path": "/deny"}
        body = configuration(hook, "", clientConfig={"service": service, "caBundle": hook.bundle})
        await _configure(api, "Validating", body)
        code, answer = await api.post(_MAPS, {"metadata": {"name": "m"}})
        assert (code, "over quota" in answer["message"]) == (403, True)


_URL = "https://check.default.svc:443/?timeout=10s"


@pytest.mark.parametrize(
    ("client", "message"),
    [
        pytest.param({"service": {"namespace": "default", "name": "check"}},
                     f'Post "{_URL}": service "check" not found', id="no-such-service"),
        pytest.param({"url": "https://127.0.0.1:1/x"},
                     'Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
                     id="nobody-listens"),
        pytest.param({"url": "{hook}/x"}, 'Post "{hook}/x?timeout=10s": tls: failed to verify certificate: x509: '
                     "certificate signed by unknown authority", id="unknown-authority"),
    ],
)  # fmt: skip
async def test_webhooks_that_are_not_reached(
    api: Api, hook: WebhookServer, client: dict[str, Any], message: str
) -> None:
    client = {key: value.replace("{hook}", hook.url) if key == "url" else value for key, value in client.items()}
    await _configure(api, "Validating", configuration(hook, "", clientConfig=client))
    code, answer = await api.post(_MAPS, {"metadata": {"name": "m"}})
    words = 'Internal error occurred: failed calling webhook "check.demo.example.com": failed to call webhook: '
    assert (code, answer["message"]) == (500, words + message.replace("{hook}", hook.url))


_BAD = [
    pytest.param({"name": "short"}, "webhooks[0].name", id="short-name"),
    pytest.param({"sideEffects": "Unknown"}, "webhooks[0].sideEffects", id="side-effects"),
    pytest.param({"admissionReviewVersions": []}, "webhooks[0].admissionReviewVersions", id="no-version"),
    pytest.param({"timeoutSeconds": 31}, "webhooks[0].timeoutSeconds", id="patience"),
    pytest.param({"clientConfig": {}}, "webhooks[0].clientConfig", id="no-target"),
    pytest.param({"clientConfig": {"url": "http://x/y"}}, "webhooks[0].clientConfig.url", id="plain-http"),
    pytest.param({"matchConditions": [{"name": "c", "expression": "object."}]},
                 "webhooks[0].matchConditions[0].expression", id="no-expression"),
    pytest.param({"rules": [{"operations": ["READ"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}]},
                 "webhooks[0].rules[0].operations[0]", id="operation"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "field"), _BAD)
async def test_bad_configurations(api: Api, hook: WebhookServer, more: dict[str, Any], field: str) -> None:
    body = configuration(hook, "allow", **more)
    code, answer = await api.post(f"{_CONFIGS}/validatingwebhookconfigurations", body)
    assert (code, [c["field"] for c in answer["details"]["causes"]]) == (422, [field])


async def test_defaults_of_a_configuration(api: Api, hook: WebhookServer) -> None:
    path = f"{_CONFIGS}/mutatingwebhookconfigurations"
    found = (await api.post(path, configuration(hook, "allow", "Mutating")))[1]["webhooks"][0]
    keys = ("failurePolicy", "matchPolicy", "reinvocationPolicy", "timeoutSeconds", "namespaceSelector")
    assert [found[key] for key in keys] == ["Fail", "Equivalent", "Never", 10, {}]
    assert found["rules"][0]["scope"] == "*"
