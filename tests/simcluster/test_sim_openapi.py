"""OpenAPI documents: whatever a schema refers to is there, and custom resources have theirs."""

from collections.abc import Iterator
from typing import Any

from custom_kinds import DEFINITIONS, definition, spec_of, version
from simcluster_client import Api


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


async def test_every_group_has_a_document_that_is_whole(api: Api) -> None:
    roots = (await api.get("/openapi/v3"))["paths"]
    assert {"api/v1", "apis/apps/v1", "apis/apiextensions.k8s.io/v1"} <= set(roots)
    for row in roots.values():
        document = await api.get(row["serverRelativeURL"])
        known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
        assert set(_references(document["components"]["schemas"])) <= known


async def test_schemas_name_their_kind(api: Api) -> None:
    schemas = (await api.get("/openapi/v3/api/v1"))["components"]["schemas"]
    kinds = {k["kind"] for s in schemas.values() for k in s.get("x-kubernetes-group-version-kind") or ()}
    assert {"Pod", "Node", "ConfigMap"} <= kinds


async def test_custom_resources_come_and_go(api: Api) -> None:
    await api.post(DEFINITIONS, definition(version(spec_of(size={"type": "integer"}))))
    await api.get(DEFINITIONS)
    where = "/openapi/v3/apis/demo.example.com/v1"
    (schema,) = (await api.get(where))["components"]["schemas"].values()
    assert schema["x-kubernetes-group-version-kind"] == [
        {"group": "demo.example.com", "version": "v1", "kind": "Widget"}
    ]
    assert schema["properties"]["spec"]["properties"] == {"size": {"type": "integer"}}
    await api.call("DELETE", f"{DEFINITIONS}/widgets.demo.example.com")
    await api.get(DEFINITIONS)
    assert (await api.call("GET", where))[0] == 404


async def test_old_version_in_both_forms(api: Api) -> None:
    document = await api.get("/openapi/v2")
    assert document["swagger"] == "2.0"
    assert set(_references(document)) <= {f"#/definitions/{name}" for name in document["definitions"]}
    headers = {"Accept": "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"}
    async with api.session.get(f"{api.url}/openapi/v2", headers=headers) as answer:
        assert answer.headers["Content-Type"] == "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
        assert (await answer.read()).startswith(b"\x0a\x032.0")
