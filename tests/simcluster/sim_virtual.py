"""A cluster in virtual time with in-process requests: tests that turn minutes in milliseconds."""

import inspect
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from tenantry_sim import SimCluster, SimConfig, VirtualClock, run_virtual
from tenantry_sim.kinds.binding import bind, parse
from tenantry_sim.store.records import Change

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
PODS = "/api/v1/namespaces/default/pods"


class Virtual:
    """Requests, and the time."""

    def __init__(self, cluster: SimCluster, clock: VirtualClock) -> None:
        self.cluster = cluster
        self.clock = clock
        self.transport = cluster.transport()

    async def call(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> tuple[int, Any]:
        data = b"" if body is None else json.dumps(body).encode()
        path, _, query = path.partition("?")
        pairs = dict(pair.split("=", 1) for pair in query.split("&")) if query else None
        answer = await self.transport.request(method, path, query=pairs, body=data, headers={"Content-Type": kind})
        return answer.status, json.loads(answer.body)

    async def get(self, path: str) -> Any:
        return (await self.call("GET", path))[1]

    async def names(self, path: str) -> list[str]:
        return [item["metadata"]["name"] for item in (await self.get(path))["items"]]

    async def post(self, path: str, body: Any) -> Any:
        code, answer = await self.call("POST", path, body)
        assert code == 201, answer
        return answer

    async def patch(self, path: str, body: Any, kind: str = MERGE) -> Any:
        code, answer = await self.call("PATCH", path, body, kind)
        assert code == 200, answer
        return answer

    async def delete(self, path: str, policy: str = "Background") -> Any:
        code, answer = await self.call("DELETE", path, {"propagationPolicy": policy})
        assert code == 200, answer
        return answer

    async def pass_(self, seconds: float) -> None:
        """Let the time pass."""
        await self.clock.sleep(seconds)

    def schedule(self, node: Callable[[str, dict[str, Any]], str]) -> None:
        """Stand in for a scheduler: `node` names one for the pod's name and spec, or none with an empty text."""
        world = self.cluster.world

        def on_pod(change: Change) -> None:
            record = change.record
            if change.type == "ADDED" and not record.fields.get("spec.nodeName"):
                chosen = node(record.name, record.decode()["spec"])
                target = json.dumps({"target": {"kind": "Node", "name": chosen}}).encode()
                if chosen:
                    world.clock.call_later(
                        0.01, lambda: bind(world, record.namespace, record.name, parse(target), False)
                    )

        world.kind("/pods").listeners.append(on_pod)


@asynccontextmanager
async def virtual(*controllers: str, nodes: int = 3, **settings: Any) -> AsyncIterator[Virtual]:
    """A cluster with these controllers; `all` if none is named."""
    names = frozenset(controllers or ("all",))
    clock = VirtualClock()
    async with SimCluster(
        SimConfig(nodes=nodes, seed=1, listen=False, controllers=names, **settings), clock
    ) as cluster:
        yield Virtual(cluster, clock)


def in_virtual_time(main: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that is a coroutine, in virtual time."""

    def wrapped(*args: Any, **more: Any) -> None:
        run_virtual(main(*args, **more))

    wrapped.__name__ = main.__name__
    wrapped.__doc__ = main.__doc__
    # pytest reads the parameters of the test from here.
    wrapped.__signature__ = inspect.signature(main)  # type: ignore[attr-defined]
    return wrapped


def spread(nodes: int = 3) -> Callable[[str, dict[str, Any]], str]:
    """Nodes in turn."""
    count = 0

    def choose(name: str, spec: dict[str, Any]) -> str:
        nonlocal count
        del name
        terms = (spec.get("affinity") or {}).get("nodeAffinity") or {}
        for term in (terms.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms") or ():
            for need in term.get("matchFields") or ():
                return str(need["values"][0])
        count += 1
        return f"node-{count % nodes}"

    return choose


def workload(app: str, image: str = "a:1", **spec: Any) -> dict[str, Any]:
    """Metadata and spec of a workload whose pods have the label `app`."""
    containers = [{"name": "c", "image": image, "resources": {"requests": {"cpu": "100m"}}}]
    template = {"metadata": {"labels": {"app": app}}, "spec": {"containers": containers}}
    selector = {"matchLabels": {"app": app}}
    return {"metadata": {"name": app}, "spec": {"selector": selector, "template": template, **spec}}
