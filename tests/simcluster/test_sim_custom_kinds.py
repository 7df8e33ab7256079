"""Custom resource definitions: acceptance, serving, subresources, printer columns, and what goes with a definition."""

import asyncio
from typing import Any

import pytest
from custom_kinds import DEFINITIONS, WIDGETS, definition, spec_of, version, widget
from simcluster_client import MERGE, Api, eventually

_WHOLE, _OPEN = {"type": "integer"}, {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_NAME = "widgets.demo.example.com"
_GROUP = "/apis/demo.example.com"
_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def _both(**more: Any) -> dict[str, Any]:
    schema = {**spec_of(size=_WHOLE, replicas=_WHOLE), "status": _OPEN}
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    return version(
        schema, subresources={"status": {}, "scale": {**scale, "labelSelectorPath": ".status.selector"}}, **more
    )


async def _serve(api: Api, *versions: dict[str, Any]) -> None:
    code, body = await api.post(DEFINITIONS, definition(*versions))
    assert code == 201, body


async def test_names_are_accepted_and_established(api: Api) -> None:
    async with api.watch(DEFINITIONS) as events:
        await _serve(api, _both())
        first, second = await events.take(2)
    assert (first["type"], second["type"]) == ("ADDED", "MODIFIED")
    status = second["object"]["status"]
    assert {c["type"]: c["status"] for c in status["conditions"]} == {"NamesAccepted": "True", "Established": "True"}
    assert status["acceptedNames"] == {
        "plural": "widgets",
        "kind": "Widget",
        "singular": "widget",
        "listKind": "WidgetList",
    }
    assert status["storedVersions"] == ["v1"]


async def test_discovery_lists_groups_versions_and_resources(api: Api) -> None:
    await _serve(
        api, _both(), version({}, "v2beta1", storage=False), version({}, "v1alpha1", storage=False, served=False)
    )
    await api.get(f"{DEFINITIONS}/{_NAME}")
    group = await api.get(_GROUP)
    assert [v["version"] for v in group["versions"]] == ["v1", "v2beta1"]
    assert "demo.example.com" in [g["name"] for g in (await api.get("/apis"))["groups"]]
    rows = (await api.get(f"{_GROUP}/v1"))["resources"]
    assert [r["name"] for r in rows] == ["widgets", "widgets/scale", "widgets/status"]
    assert (await api.call("GET", f"{_GROUP}/v1alpha1"))[0] == 404


async def test_versions_show_the_same_objects(api: Api) -> None:
    await _serve(api, _both(), version({"spec": _OPEN}, "v2", storage=False))
    await api.post(WIDGETS, widget("w", spec={"size": 1}))
    body = await api.get(WIDGETS.replace("/v1/", "/v2/") + "/w")
    assert (body["apiVersion"], body["spec"]) == ("demo.example.com/v2", {"size": 1})
    code, body = await api.post(WIDGETS.replace("/v1/", "/v2/"), widget("x"))
    assert code == 400


async def test_names_in_use_are_not_accepted(api: Api) -> None:
    await _serve(api, _both())
    other = definition(version({}))
    other["metadata"]["name"] = "gadgets.demo.example.com"
    other["spec"]["names"] = {"plural": "gadgets", "kind": "Widget"}
    await api.get(f"{DEFINITIONS}/{_NAME}")
    assert (await api.post(DEFINITIONS, other))[0] == 201

    async def refused() -> bool:
        status = (await api.get(f"{DEFINITIONS}/gadgets.demo.example.com"))["status"]
        return [c["reason"] for c in status["conditions"] or ()] == ["NameConflict"]

    await eventually(refused)
    assert (await api.call("GET", WIDGETS.replace("widgets", "gadgets")))[0] == 404


async def test_deletion_takes_the_objects_along(api: Api) -> None:
    await _serve(api, _both())
    await api.post(WIDGETS, widget("w"))
    held = widget("held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    await api.post(WIDGETS, held)
    async with api.watch(WIDGETS) as events:
        await events.take(2)
        await api.call("DELETE", f"{DEFINITIONS}/{_NAME}")
        seen = {(e["type"], e["object"]["metadata"]["name"]) for e in await events.take(2)}
        assert seen == {("DELETED", "w"), ("MODIFIED", "held")}
        assert (await api.call("GET", f"{DEFINITIONS}/{_NAME}"))[0] == 200
        assert (await api.post(WIDGETS, widget("late")))[0] == 405
        await api.call("PATCH", f"{WIDGETS}/held", {"metadata": {"finalizers": None}}, MERGE)
        await events.take(1)

    async def gone() -> bool:
        return (await api.call("GET", f"{DEFINITIONS}/{_NAME}"))[0] == 404

    await eventually(gone)
    assert (await api.call("GET", WIDGETS))[0] == 404


async def test_namespace_takes_its_objects_along(api: Api) -> None:
    await _serve(api, _both())
    await api.post("/api/v1/namespaces", {"metadata": {"name": "brief"}})
    where = WIDGETS.replace("/default/", "/brief/")
    assert (await api.post(where, widget("w")))[0] == 201
    await api.call("DELETE", "/api/v1/namespaces/brief")

    async def gone() -> bool:
        return (await api.call("GET", "/api/v1/namespaces/brief"))[0] == 404

    await eventually(gone)
    assert (await api.get(WIDGETS.replace("/namespaces/default", "")))["items"] == []


async def test_scale(api: Api) -> None:
    await _serve(api, _both())
    await api.post(WIDGETS, widget("w", spec={"size": 1, "replicas": 2}))
    await api.call("PATCH", f"{WIDGETS}/w/status", {"status": {"replicas": 1, "selector": "a=b"}}, MERGE)
    body = await api.get(f"{WIDGETS}/w/scale")
    assert (body["spec"], body["status"]) == ({"replicas": 2}, {"replicas": 1, "selector": "a=b"})
    code, body = await api.call("PATCH", f"{WIDGETS}/w/scale", {"spec": {"replicas": 5}}, MERGE)
    assert (code, body["spec"]) == (200, {"replicas": 5})
    assert (await api.get(f"{WIDGETS}/w"))["spec"] == {"size": 1, "replicas": 5}


async def test_status_without_a_subresource_belongs_to_the_object(api: Api) -> None:
    await _serve(api, version({"status": _OPEN}))
    code, body = await api.post(WIDGETS, widget("w", status={"x": 1}))
    assert (code, body["status"]) == (201, {"x": 1})
    _, body = await api.call("PATCH", f"{WIDGETS}/w", {"status": {"x": 2}}, MERGE)
    assert (body["status"], body["metadata"]["generation"]) == ({"x": 2}, 2)
    assert (await api.call("GET", f"{WIDGETS}/w/status"))[0] == 404


async def test_printer_columns(api: Api) -> None:
    columns = [
        {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
        {"name": "First", "type": "integer", "jsonPath": ".spec.list[0].n", "priority": 1},
        {"name": "Note", "type": "string", "jsonPath": r".metadata.annotations.example\.com/note"},
        {"name": "Old", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]
    await _serve(api, version({"spec": _OPEN, "status": _OPEN}, additionalPrinterColumns=columns))
    body = widget("w", spec={"list": [{"n": 7}]}, status={"conditions": [{"type": "Ready", "status": "True"}]})
    body["metadata"]["annotations"] = {"example.com/note": "hi"}
    await api.post(WIDGETS, body)
    await api.post(WIDGETS, widget("x"))
    async with api.session.get(api.url + WIDGETS, headers={"Accept": _TABLE}) as answer:
        table = await answer.json()
    assert [c["name"] for c in table["columnDefinitions"]] == ["Name", "Ready", "First", "Note", "Old"]
    assert [row["cells"][:4] for row in table["rows"]] == [["w", "True", 7, "hi"], ["x", None, None, None]]


_BAD: dict[str, tuple[Any, str]] = {
    "name": (lambda d: d["metadata"].update(name="other.demo.example.com"), "metadata.name"),
    "two storage versions": (lambda d: d["spec"]["versions"].append(version({}, "v2")), "spec.versions"),
    "no schema": (lambda d: d["spec"]["versions"][0].pop("schema"), "spec.versions[0].schema.openAPIV3Schema"),
    "no type": (
        lambda d: d["spec"]["versions"][0].update(version({"spec": {"properties": {}}})),
        "spec.versions[0].schema.openAPIV3Schema.properties[spec].type",
    ),
    "rule that does not compile": (
        lambda d: d["spec"]["versions"][0].update(
            version(spec_of(a={**_WHOLE, "x-kubernetes-validations": [{"rule": "self +"}]}))
        ),
        "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].rule",
    ),
    "pattern": (
        lambda d: d["spec"]["versions"][0].update(version(spec_of(a={"type": "string", "pattern": "^(?!x)"}))),
        "spec.versions[0].schema.openAPIV3Schema",
    ),
    "scope": (lambda d: d["spec"].update(scope="Galaxy"), "spec.scope"),
    "list map without keys": (
        lambda d: d["spec"]["versions"][0].update(
            version(spec_of(a={"type": "array", "items": _OPEN, "x-kubernetes-list-type": "map"}))
        ),
        "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-list-map-keys",
    ),
}


@pytest.mark.parametrize("name", _BAD)
async def test_definition_is_refused(api: Api, name: str) -> None:
    spoil, field = _BAD[name]
    body = definition(_both())
    spoil(body)
    code, answer = await api.post(DEFINITIONS, body)
    assert code == 422, answer
    assert field in [c["field"] for c in answer["details"]["causes"]]


async def test_wrong_types_are_refused_on_decoding(api: Api) -> None:
    body = definition(_both())
    body["spec"]["versions"] = "v1"
    assert (await api.post(DEFINITIONS, body))[0] == 400


async def test_changed_schema_counts_from_then_on(api: Api) -> None:
    await _serve(api, _both())
    assert (await api.post(WIDGETS, widget("w", spec={"size": 1})))[0] == 201
    schema = version(spec_of(size={**_WHOLE, "minimum": 2}))
    code, _ = await api.call("PATCH", f"{DEFINITIONS}/{_NAME}", {"spec": {"versions": [schema]}}, MERGE)
    assert code == 200
    await asyncio.sleep(0)
    assert (await api.post(WIDGETS, widget("x", spec={"size": 1})))[0] == 422


async def test_routes_of_the_gateway_api_can_be_stored(api: Api) -> None:
    backend = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "weight": {**_WHOLE, "default": 1, "minimum": 0}},
    }
    rule = {"type": "object", "properties": {"backendRefs": {"type": "array", "items": backend}}}
    schema = version(spec_of(rules={"type": "array", "items": rule}), subresources={"status": {}})
    group = "gateway.networking.k8s.io"
    assert (await api.post(DEFINITIONS, definition(schema, kind="HTTPRoute", group=group)))[0] == 201
    route = {
        "apiVersion": f"{group}/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "r"},
        "spec": {"rules": [{"backendRefs": [{"name": "stable"}, {"name": "canary", "weight": 0}]}]},
    }
    where = f"/apis/{group}/v1/namespaces/default/httproutes"
    code, body = await api.post(where, route)
    assert code == 201, body
    assert [b["weight"] for b in body["spec"]["rules"][0]["backendRefs"]] == [1, 0]
