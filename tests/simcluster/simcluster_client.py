"""A small HTTP client for the tests of the embedded cluster."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
PODS = "/api/v1/namespaces/default/pods"


def pod(name: str, **spec: Any) -> dict[str, Any]:
    """A pod with one small container; keyword arguments go into its spec."""
    containers = [{"name": "c", "image": "pause:3.10", "resources": {"requests": {"cpu": "100m"}}}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers, **spec}}


def binding(name: str, node: str, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, **metadata},
        "target": {"kind": "Node", "name": node},
    }


class Api:
    """Requests against one server. Each method returns (status code, decoded body)."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.session = session
        self.url = url

    async def call(self, method: str, path: str, body: Any = None, kind: str = JSON) -> tuple[int, Any]:
        headers = {"Content-Type": kind} if body is not None else {}
        data = None if body is None else json.dumps(body)
        async with self.session.request(method, self.url + path, data=data, headers=headers) as answer:
            text = await answer.text()
            is_json = answer.content_type == JSON
            return answer.status, json.loads(text) if is_json else text

    async def get(self, path: str) -> Any:
        return (await self.call("GET", path))[1]

    async def post(self, path: str, body: Any) -> tuple[int, Any]:
        return await self.call("POST", path, body)

    async def create_pod(self, name: str, **spec: Any) -> Any:
        code, body = await self.post(PODS, pod(name, **spec))
        assert code == 201, body
        return body

    async def bind(self, name: str, node: str, **metadata: Any) -> tuple[int, Any]:
        return await self.post(f"{PODS}/{name}/binding", binding(name, node, **metadata))

    @asynccontextmanager
    async def watch(self, path: str) -> AsyncIterator["Events"]:
        mark = "&" if "?" in path else "?"
        async with self.session.get(f"{self.url}{path}{mark}watch=true") as answer:
            assert answer.status == 200, await answer.text()
            yield Events(answer)


class Events:
    """Events of one open watch."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self.answer = answer

    async def next(self, seconds: float = 5.0) -> dict[str, Any]:
        """The next event. Raises EOFError when the stream has ended."""
        line = await asyncio.wait_for(self.answer.content.readline(), seconds)
        if not line.endswith(b"\n"):
            raise EOFError
        event: dict[str, Any] = json.loads(line)
        return event

    async def take(self, count: int) -> list[dict[str, Any]]:
        return [await self.next() for _ in range(count)]


async def eventually(check: Callable[[], Awaitable[bool]], seconds: float = 5.0) -> None:
    """Wait until the condition holds. Raises TimeoutError."""
    end = asyncio.get_running_loop().time() + seconds
    while True:
        if await check():
            return
        if asyncio.get_running_loop().time() > end:
            raise TimeoutError("the condition never held")
        await asyncio.sleep(0.01)
