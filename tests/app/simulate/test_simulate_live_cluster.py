"""A cluster read through its API instead of from a dump."""

from __future__ import annotations

from typing import Any

import pytest
from dumps import node, pod, quota, workload
from fakes.kube import FakeKube, status

from tenantry.simulate.inventory import Inventory
from tenantry.simulate.live import read_through
from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.errors import ApiError


def server(*refused: str) -> FakeKube:
    fake = FakeKube()
    core, apps = "/api/v1", "/apis/apps/v1"
    daemon = workload("DaemonSet", "agent")
    placed: list[tuple[str, str, dict[str, Any]]] = [
        (core, "nodes", node("n1")),
        (core, "pods", pod("web-1", on="n1")),
        (core, "resourcequotas", quota({"pods": "3"})),
        (apps, "daemonsets", daemon),
    ]
    for prefix, plural, item in placed:
        fake.add(prefix, plural, {k: v for k, v in item.items() if k not in ("apiVersion", "kind")})
    for plural in refused:
        fake.script("GET", f"/{plural}$", status(403, "Forbidden", f"{plural} is forbidden"))
    return fake


async def test_everything_that_a_simulation_uses_is_read() -> None:
    found = Inventory()
    said: list[str] = []
    await read_through(KubeClient(server()), found, lambda what, _: said.append(what))
    assert found.read == {"Node": 1, "Pod": 1, "ResourceQuota": 1, "DaemonSet": 1}
    assert "listing pods" in said


async def test_a_kind_that_the_server_refuses_is_left_out() -> None:
    found = Inventory()
    await read_through(KubeClient(server("resourcequotas")), found, lambda *_: None)
    (entry,) = found.left_out
    assert entry.kind == "ResourceQuota"
    assert "forbidden" in entry.reason


async def test_nothing_can_be_said_without_nodes() -> None:
    with pytest.raises(ApiError):
        await read_through(KubeClient(server("nodes")), Inventory(), lambda *_: None)
