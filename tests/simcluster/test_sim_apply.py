"""Server-side apply: who owns which field, conflicts, force, and fields that are no longer applied."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from custom_kinds import DEFINITIONS, WIDGETS, definition, spec_of, version, widget
from simcluster_client import MERGE, PODS, Api, pod

_APPLY = "application/apply-patch+yaml"
_MAPS = "/api/v1/namespaces/default/configmaps"
_DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def _map(**data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": data}


async def _apply(api: Api, who: str, body: dict[str, Any], where: str = f"{_MAPS}/m", more: str = "") -> Any:
    return await api.call("PATCH", f"{where}?fieldManager={who}{more}", body, _APPLY)


def _owners(obj: dict[str, Any]) -> dict[tuple[str, str], Any]:
    return {(e["manager"], e["operation"]): e["fieldsV1"] for e in obj["metadata"]["managedFields"]}


async def test_fields_that_are_no_longer_applied_go(api: Api) -> None:
    assert (await _apply(api, "one", _map(a="1", b="1")))[0] == 201
    code, body = await _apply(api, "one", _map(b="2"))
    assert (code, body["data"]) == (200, {"b": "2"})
    assert _owners(body) == {("one", "Apply"): {"f:data": {"f:b": {}}}}


async def test_same_value_is_owned_together_and_stays(api: Api) -> None:
    await _apply(api, "one", _map(a="1"))
    code, body = await _apply(api, "two", _map(a="1"))
    assert code == 200
    assert set(_owners(body)) == {("one", "Apply"), ("two", "Apply")}
    _, body = await _apply(api, "one", _map(c="3"))
    assert body["data"] == {"a": "1", "c": "3"}
    _, body = await _apply(api, "two", _map(c="3"))
    assert body["data"] == {"c": "3"}


async def test_conflicts_name_fields_and_managers(api: Api) -> None:
    await api.post(f"{_MAPS}?fieldManager=maker", _map(a="1", b="1"))
    code, body = await _apply(api, "two", _map(a="2", b="2"))
    assert code == 409
    causes = [{"reason": "FieldManagerConflict", "message": 'conflict with "maker" using v1'}] * 2
    assert body["details"]["causes"] == [{**c, "field": f".data.{k}"} for c, k in zip(causes, "ab", strict=True)]
    assert body["message"].startswith('Apply failed with 2 conflicts: conflicts with "maker" using v1:\n- .data.a')
    assert (await api.get(f"{_MAPS}/m"))["data"] == {"a": "1", "b": "1"}


async def test_force_takes_fields_over(api: Api) -> None:
    await _apply(api, "one", _map(a="1", b="1"))
    code, body = await _apply(api, "two", _map(a="2"), more="&force=true")
    assert (code, body["data"]) == (200, {"a": "2", "b": "1"})
    assert _owners(body) == {("one", "Apply"): {"f:data": {"f:b": {}}}, ("two", "Apply"): {"f:data": {"f:a": {}}}}


async def test_applying_the_same_again_changes_nothing(api: Api) -> None:
    _, first = await _apply(api, "one", _map(a="1"))
    _, second = await _apply(api, "one", _map(a="1"))
    assert first == second


async def test_dry_run_stores_nothing(api: Api) -> None:
    code, body = await _apply(api, "one", _map(a="1"), more="&dryRun=All")
    assert (code, body["data"]) == (201, {"a": "1"})
    assert (await api.call("GET", f"{_MAPS}/m"))[0] == 404


async def test_update_takes_fields_over_and_removal_frees_them(api: Api) -> None:
    await _apply(api, "one", _map(a="1", b="1"))
    _, body = await api.call("PATCH", f"{_MAPS}/m?fieldManager=hand", {"data": {"a": "9", "b": None}}, MERGE)
    assert _owners(body) == {("hand", "Update"): {"f:data": {"f:a": {}}}}
    assert (await _apply(api, "one", _map(a="1")))[0] == 409


async def test_owner_of_an_untracked_object_is_whoever_came_before(api: Api) -> None:
    await api.create_pod("p")
    assert "managedFields" not in (await api.get(f"{PODS}/p"))["metadata"]
    change = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    code, body = await _apply(api, "one", {**change, "spec": {"activeDeadlineSeconds": 5}}, f"{PODS}/p")
    assert code == 200
    assert ("before-first-apply", "Update") in _owners(body)
    code, body = await _apply(api, "one", {**change, "spec": {"schedulerName": "other"}}, f"{PODS}/p")
    assert (code, body["details"]["causes"][0]["field"]) == (409, ".spec.schedulerName")


async def test_entries_of_lists_are_owned_by_their_keys(api: Api) -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod("x")["spec"]}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}
    assert (await _apply(api, "one", body, f"{_DEPLOYMENTS}/d"))[0] == 201
    more = {"name": "side", "image": "s", "ports": [{"containerPort": 80}]}
    pods = {"template": {"spec": {"containers": [more]}}}
    code, after = await _apply(api, "two", {**body, "spec": pods}, f"{_DEPLOYMENTS}/d")
    assert code == 200, after
    containers = after["spec"]["template"]["spec"]["containers"]
    assert [c["name"] for c in containers] == ["c", "side"]
    owned = _owners(after)["two", "Apply"]["f:spec"]["f:template"]["f:spec"]["f:containers"]['k:{"name":"side"}']
    assert 'k:{"containerPort":80,"protocol":"TCP"}' in owned["f:ports"]
    _, after = await _apply(api, "two", {**body, "spec": {"replicas": 3}}, f"{_DEPLOYMENTS}/d", "&force=true")
    assert [c["name"] for c in after["spec"]["template"]["spec"]["containers"]] == ["c"]


async def test_status_is_owned_apart(api: Api) -> None:
    await api.create_pod("p")
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "status": {"message": "m"}}
    code, after = await _apply(api, "kubelet", body, f"{PODS}/p/status")
    assert (code, after["status"]["message"]) == (200, "m")
    entry = next(e for e in after["metadata"]["managedFields"] if e["manager"] == "kubelet")
    assert (entry["subresource"], entry["fieldsV1"]) == ("status", {"f:status": {"f:message": {}}})


async def test_managed_fields_can_be_forgotten(api: Api) -> None:
    await _apply(api, "one", _map(a="1"))
    _, body = await api.call("PATCH", f"{_MAPS}/m", {"metadata": {"managedFields": [{}]}}, MERGE)
    assert "managedFields" not in body["metadata"]


_BAD: dict[str, tuple[dict[str, Any], str, int]] = {
    "other name": ({**_map(), "metadata": {"name": "x"}}, "", 400),
    "managed fields": ({**_map(), "metadata": {"name": "m", "managedFields": [{"manager": "x"}]}}, "", 400),
    "no kind": ({"metadata": {"name": "m"}}, "", 400),
    "unknown field": ({**_map(), "junk": 1}, "&fieldValidation=Strict", 400),
    "unknown mode": (_map(), "&fieldValidation=Maybe", 422),
    "other revision": ({**_map(), "metadata": {"name": "m", "resourceVersion": "1"}}, "", 409),
}


@pytest.mark.parametrize("name", _BAD)
async def test_refused(api: Api, name: str) -> None:
    await _apply(api, "one", _map(a="1"))
    body, more, code = _BAD[name]
    assert (await _apply(api, "one", body, more=more))[0] == code


async def test_force_belongs_to_apply(api: Api) -> None:
    await api.post(_MAPS, _map(a="1"))
    assert (await api.call("PATCH", f"{_MAPS}/m?force=true", {"data": {}}, MERGE))[0] == 422


@pytest.fixture
async def widgets(api: Api) -> AsyncIterator[Api]:
    part = {"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}}
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    parts = {"type": "array", "items": part, **keyed}
    tags = {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}
    assert (await api.post(DEFINITIONS, definition(version(spec_of(parts=parts, tags=tags)))))[0] == 201
    yield api


async def test_custom_resources_merge_by_their_schema(widgets: Api) -> None:
    where = f"{WIDGETS}/w"
    await _apply(widgets, "one", widget("w", spec={"parts": [{"name": "a", "n": 1}], "tags": ["x"]}), where)
    body = widget("w", spec={"parts": [{"name": "b", "n": 2}], "tags": ["y"]})
    code, after = await _apply(widgets, "two", body, where)
    assert (code, after["spec"]) == (200, {"parts": [{"name": "a", "n": 1}, {"name": "b", "n": 2}], "tags": ["x", "y"]})
    _, after = await _apply(widgets, "one", widget("w"), where)
    assert after["spec"] == {"parts": [{"name": "b", "n": 2}], "tags": ["y"]}
    clash = widget("w", spec={"parts": [{"name": "b", "n": 3}]})
    code, body = await _apply(widgets, "one", clash, where)
    assert (code, body["details"]["causes"][0]["field"]) == (409, '.spec.parts[name="b"].n')


async def test_owners_of_nothing_are_not_listed(api: Api) -> None:
    await _apply(api, "one", _map(a="1"))
    _, body = await api.call("PATCH", f"{_MAPS}/m", {"data": None}, MERGE)
    assert "managedFields" not in body["metadata"]


async def test_a_patch_keeps_the_kind(api: Api) -> None:
    await api.post(_MAPS, _map(a="1"))
    assert (await api.call("PATCH", f"{_MAPS}/m", {"kind": "Secret"}, MERGE))[0] == 400
    assert (await api.call("PATCH", f"{_MAPS}/m", {"apiVersion": "v1", "kind": "ConfigMap"}, MERGE))[0] == 200
