"""Cells of the Table output, which is what `kubectl get` prints, and the word for the state of a pod."""

from typing import Any

import pytest
from simcluster_client import Api

from tenantry_sim.api.columns import COLUMNS
from tenantry_sim.api.columns_workloads import WORKLOADS

_TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
_SPACE = "namespaces/default"

OBJECTS = {
    "config map": (f"/api/v1/{_SPACE}/configmaps", {"data": {"a": "1", "b": "2"}}, ["x", 2]),
    "secret": (f"/api/v1/{_SPACE}/secrets", {"data": {"a": "MQ=="}}, ["x", "Opaque", 1]),
    "node port": (
        f"/api/v1/{_SPACE}/services",
        {"spec": {"type": "NodePort", "clusterIP": "10.96.0.7", "ports": [{"port": 80, "nodePort": 30080}]}},
        ["x", "NodePort", "10.96.0.7", "<none>", "80:30080/TCP"],
    ),
    "external name": (
        f"/api/v1/{_SPACE}/services",
        {"spec": {"type": "ExternalName", "externalName": "example.com"}},
        ["x", "ExternalName", "<none>", "example.com", "<none>"],
    ),
    "many endpoints": (
        f"/api/v1/{_SPACE}/endpoints",
        {"subsets": [{"addresses": [{"ip": f"10.0.0.{i}"} for i in range(5)], "ports": [{"port": 80}]}]},
        ["x", "10.0.0.0:80,10.0.0.1:80,10.0.0.2:80 + 2 more..."],
    ),
    "storage class": (
        "/apis/storage.k8s.io/v1/storageclasses",
        {
            "metadata": {"name": "x", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
            "provisioner": "p.example.com",
        },
        ["x (default)", "p.example.com", "Delete", "Immediate", False],
    ),
    "role binding": (
        f"/apis/rbac.authorization.k8s.io/v1/{_SPACE}/rolebindings",
        {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}},
        ["x", "Role/r"],
    ),
    "ingress": (
        f"/apis/networking.k8s.io/v1/{_SPACE}/ingresses",
        {"spec": {"rules": [{"host": "example.com"}]}},
        ["x", "<none>", "example.com", "", "80"],
    ),
}


@pytest.mark.parametrize(("path", "body", "cells"), OBJECTS.values(), ids=OBJECTS)
async def test_cells(api: Api, path: str, body: dict[str, Any], cells: list[Any]) -> None:
    code, answer = await api.post(path, {"metadata": {"name": "x"}, **body})
    assert code == 201, answer
    async with api.session.get(f"{api.url}{path}/x", headers=_TABLE) as response:
        table = await response.json()
    assert table["rows"][0]["cells"][: len(cells)] == cells


def _ended(**terminated: Any) -> dict[str, Any]:
    return {"containerStatuses": [{"name": "c", "state": {"terminated": terminated}}]}


STATES = {
    "phase": ({"phase": "Running"}, "Running"),
    "reason of the pod": ({"phase": "Failed", "reason": "Evicted"}, "Evicted"),
    "crash loop": (
        {
            "phase": "Running",
            "containerStatuses": [{"name": "c", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}],
        },
        "CrashLoopBackOff",
    ),
    "completed": ({"phase": "Succeeded", **_ended(reason="Completed", exitCode=0)}, "Completed"),
    "exit code": ({"phase": "Failed", **_ended(exitCode=3)}, "ExitCode:3"),
    "signal": ({"phase": "Failed", **_ended(exitCode=137, signal=9)}, "Signal:9"),
    "init container": ({"phase": "Pending", "initContainerStatuses": [{"name": "i", "state": {}}]}, "Init:0/1"),
    "init container that failed": (
        {"phase": "Pending", "initContainerStatuses": [{"name": "i", "state": {"terminated": {"reason": "Error"}}}]},
        "Init:Error",
    ),
}


@pytest.mark.parametrize(("status", "word"), STATES.values(), ids=STATES)
def test_pod_state(status: dict[str, Any], word: str) -> None:
    pod = {"metadata": {"name": "p"}, "spec": {"initContainers": [{"name": "i"}]}, "status": status}
    (column,) = (c for c in COLUMNS["/pods"] if c.name == "Status")
    assert column.value(pod) == word


def test_duration_of_a_job_goes_on_until_it_is_complete() -> None:
    (column,) = (c for c in WORKLOADS["batch/jobs"] if c.name == "Duration")
    status = {"startTime": "1970-01-01T00:01:00Z"}
    job = {"metadata": {"name": "j"}, "spec": {}, "status": status}
    assert column.timed is not None
    assert column.timed(job, 100.0) == "40s"
    status["completionTime"] = "1970-01-01T00:01:10Z"
    assert column.timed(job, 100.0) == "10s"


@pytest.mark.parametrize("subresource", ["log", "exec", "attach", "portforward", "proxy", "proxy/index.html"])
async def test_containers_cannot_be_reached(api: Api, subresource: str) -> None:
    await api.create_pod("p")
    code, answer = await api.call("GET", f"/api/v1/namespaces/default/pods/p/{subresource}")
    assert (code, answer["reason"]) == (501, "NotImplemented")
    assert "its containers are simulated" in answer["message"]
    assert (await api.call("GET", f"/api/v1/namespaces/default/pods/none/{subresource}"))[0] == 404
