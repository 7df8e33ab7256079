"""Pages about the running scheduler."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import ClientSession
from prometheus_client import CollectorRegistry
from wired import Wired

from tenantry.http.server import Exposed, HttpServer, HttpSettings
from tenantry.pages import pages, resource_rows
from tenantry_core.plugins.loader import Catalog
from tenantry_telemetry.health import Health


async def asked(world: Wired, path: str) -> tuple[int, Any]:
    exposed = Exposed(CollectorRegistry(), Health(), routes=pages(world.scheduler, Catalog()))
    server = HttpServer(exposed, HttpSettings(port=0))
    await server.start()
    try:
        async with ClientSession() as session, session.get(server.url + path) as answer:
            return answer.status, await answer.json()
    finally:
        await server.stop()


@pytest.mark.parametrize(
    ("path", "status", "found"),
    [
        pytest.param("/queue", 200, {"unschedulable": 1, "active": 0, "in-flight": 0}, id="lengths"),
        pytest.param("/queue/ns/big", 200, {"place": "unschedulable", "rejectedBy": ["NodeResourcesFit"]}, id="pod"),
        pytest.param("/queue/ns/small", 404, {"error": "the queue has no such pod"}, id="bound-pod"),
        pytest.param("/explain/ns/small", 200, {"state": "bound", "node": "n1"}, id="explain-bound-pod"),
        pytest.param("/explain/ns/big", 200, {"state": "unschedulable", "attempts": 1}, id="explain-waiting-pod"),
        pytest.param("/explain/ns/nobody", 404, {"error": "no such pod"}, id="no-such-pod"),
    ],
)
async def test_page(path: str, status: int, found: dict[str, Any]) -> None:
    world = Wired()
    world.node("n1")
    world.pod("small")
    world.pod("big", cpu="99")
    async with world.running() as scheduler:
        scheduler.feeds.by_resource[next(r for r in scheduler.feeds.by_resource if r.kind == "Pod")].relist()
        await world.clock.advance(1)
        code, body = await asked(world, path)
        everything = await asked(world, "/queue?pods=1")
        promises = await asked(world, "/nominations")
    assert code == status
    assert found.items() <= body.items()
    assert [line["pod"] for line in everything[1]["pods"]] == ["ns/big"]
    assert promises == (200, [])


async def test_what_pods_ask_for() -> None:
    world = Wired()
    world.node("n1")
    limited = {"name": "c", "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2", "memory": "1Gi"}}}
    world.pod("small", containers=[limited])
    async with world.running() as scheduler:
        scheduler.feeds.by_resource[next(r for r in scheduler.feeds.by_resource if r.kind == "Pod")].relist()
        await world.clock.advance(1)
        (row,) = resource_rows(scheduler)
    assert (row.namespace, row.pod, row.node) == ("ns", "small", "n1")
    assert row.requests["cpu"] == 1000
    assert (row.limits["cpu"], row.limits["memory"]) == (2000, 1 << 30)


async def test_plugins_are_listed_with_what_their_guards_counted() -> None:
    world = Wired()
    async with world.running():
        status, found = await asked(world, "/plugins")
    assert status == 200
    by_name = {line["name"]: line for line in found}
    assert by_name["NodeResourcesFit"]["state"] == "on"
    assert by_name["NodeResourcesFit"]["origin"] == "built-in"
