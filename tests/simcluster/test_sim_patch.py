"""Patches: the strategic rules of lists, and who may change what."""

from typing import Any

import pytest
from simcluster_client import JSON, MERGE, PODS, STRATEGIC, Api, pod

from tenantry_sim.api import patching, strategic
from tenantry_sim.status import ApiError


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        pytest.param(
            {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]},
            {"containers": [{"name": "b", "image": "2"}]},
            {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "2"}]},
            id="containers-by-name",
        ),
        pytest.param(
            {"containers": [{"name": "a"}, {"name": "b"}]},
            {"containers": [{"name": "a", "$patch": "delete"}]},
            {"containers": [{"name": "b"}]},
            id="delete-an-item",
        ),
        pytest.param(
            {"tolerations": [{"key": "a"}]},
            {"tolerations": [{"key": "b"}]},
            {"tolerations": [{"key": "b"}]},
            id="atomic",
        ),
        pytest.param(
            {"conditions": [{"type": "Ready", "status": "True"}]},
            {"conditions": [{"type": "Other", "status": "False"}]},
            {"conditions": [{"type": "Other", "status": "False"}, {"type": "Ready", "status": "True"}]},
            id="new-condition-goes-first",
        ),
        pytest.param(
            {"conditions": [{"type": "A"}, {"type": "B"}]},
            {"$setElementOrder/conditions": [{"type": "B"}, {"type": "A"}]},
            {"conditions": [{"type": "B"}, {"type": "A"}]},
            id="order-alone",
        ),
        pytest.param(
            {"finalizers": ["a", "b"]}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {"finalizers": ["b"]}, id="set"
        ),
        pytest.param(
            {"selector": {"a": "1"}},
            {"selector": {"$patch": "replace", "b": "1"}},
            {"selector": {"b": "1"}},
            id="replace",
        ),
        pytest.param(
            {"strategy": {"type": "RollingUpdate", "rollingUpdate": {}}},
            {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}},
            {"strategy": {"type": "Recreate"}},
            id="retain-keys",
        ),
        pytest.param(
            {"ports": [{"containerPort": 80, "name": "a"}]},
            {"ports": [{"containerPort": 80, "name": "b"}, {"containerPort": 81}]},
            {"ports": [{"containerPort": 80, "name": "b"}, {"containerPort": 81}]},
            id="container-ports",
        ),
    ],
)
def test_strategic_merge(before: dict[str, Any], patch: dict[str, Any], after: dict[str, Any]) -> None:
    assert strategic.apply(before, patch) == after


@pytest.mark.parametrize(
    ("operation", "after"),
    [
        pytest.param({"op": "add", "path": "/a/-", "value": 3}, {"a": [1, 2, 3]}, id="append"),
        pytest.param({"op": "add", "path": "/a/0", "value": 0}, {"a": [0, 1, 2]}, id="insert"),
        pytest.param({"op": "replace", "path": "/a/1", "value": 9}, {"a": [1, 9]}, id="replace"),
        pytest.param({"op": "remove", "path": "/a/0"}, {"a": [2]}, id="remove"),
        pytest.param({"op": "copy", "from": "/a", "path": "/b~1c"}, {"a": [1, 2], "b/c": [1, 2]}, id="copy"),
        pytest.param({"op": "move", "from": "/a", "path": "/b"}, {"b": [1, 2]}, id="move"),
        pytest.param({"op": "remove", "path": "/x"}, None, id="missing"),
        pytest.param({"op": "add", "path": "/a/7", "value": 3}, None, id="past-the-end"),
        pytest.param({"op": "fly", "path": "/a"}, None, id="unknown-operation"),
    ],
)
def test_json_patch(operation: dict[str, Any], after: dict[str, Any] | None) -> None:
    if after is None:
        with pytest.raises(ApiError):
            patching.json_patch({"a": [1, 2]}, [operation])
    else:
        assert patching.json_patch({"a": [1, 2]}, [operation]) == after


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        pytest.param({"spec": {"containers": [{"name": "c", "image": "other:1"}]}}, 200, id="image"),
        pytest.param({"spec": {"tolerations": [{"key": "k", "operator": "Exists"}]}}, 200, id="toleration-added"),
        pytest.param({"spec": {"nodeSelector": {"a": "b"}}}, 422, id="node-selector"),
        pytest.param({"spec": {"priority": 7}}, 422, id="priority"),
        pytest.param({"metadata": {"labels": {"a": "no spaces"}}}, 422, id="bad-label"),
        pytest.param({"metadata": {"labels": {"a": 1}}}, 400, id="label-is-a-number"),
        pytest.param({"spec": {"containers": "x"}}, 400, id="containers-are-text"),
    ],
)
async def test_what_a_pod_patch_may_change(api: Api, patch: dict[str, Any], code: int) -> None:
    await api.create_pod("p")
    kind = MERGE if code == 400 else STRATEGIC
    assert (await api.call("PATCH", f"{PODS}/p", patch, kind))[0] == code


async def test_status_and_spec_do_not_mix(api: Api) -> None:
    created = await api.create_pod("p")
    created["status"] = {"phase": "Failed"}
    _, main = await api.call("PUT", f"{PODS}/p", created)
    assert main["status"]["phase"] == "Pending"
    main["status"]["phase"], main["spec"]["activeDeadlineSeconds"] = "Failed", 9
    _, status = await api.call("PUT", f"{PODS}/p/status", main)
    assert status["status"]["phase"] == "Failed"
    assert "activeDeadlineSeconds" not in status["spec"]


async def test_unchanged_put_keeps_the_version(api: Api) -> None:
    created = await api.create_pod("p")
    _, again = await api.call("PUT", f"{PODS}/p", created)
    assert again["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"]


async def test_two_writers_of_one_version(api: Api) -> None:
    created = await api.create_pod("p")
    for label, code in (("1", 200), ("2", 409)):
        created["metadata"]["labels"] = {"writer": label}
        assert (await api.call("PUT", f"{PODS}/p", created, JSON))[0] == code


async def test_apply_creates_and_merges(api: Api) -> None:
    wanted = pod("p")
    path = f"{PODS}/p?fieldManager=m"
    assert (await api.call("PATCH", path, wanted, "application/apply-patch+yaml"))[0] == 201
    wanted["metadata"]["labels"] = {"a": "1"}
    code, body = await api.call("PATCH", path, wanted, "application/apply-patch+yaml")
    assert (code, body["metadata"]["labels"]) == (200, {"a": "1"})
