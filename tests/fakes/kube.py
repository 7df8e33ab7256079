"""An API server as a `Transport`, in memory: a small store with optimistic concurrency, and faults on demand.

`script` puts answers or faults in front of the store; `watches` are what successive watch requests say.
"""

import asyncio
import contextlib
import json
import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tenantry_core.kube.transport import PlainResponse, Response, StreamResponse

_PATH = re.compile(
    r"^(?P<prefix>/api/v1|/apis/[^/]+/[^/]+)(?:/namespaces/(?P<ns>[^/]+)(?=/))?/(?P<plural>[^/]+)"
    r"(?:/(?P<name>[^/]+))?(?:/(?P<sub>[^/]+))?$"
)

HOLD = object()
"""In a watch: stay silent until the client goes away."""

Answer = PlainResponse | BaseException | Callable[["Request"], "PlainResponse | BaseException"]


@dataclass
class Request:
    """One request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    body: bytes | None
    headers: dict[str, str]
    timeout: float = 0.0

    @property
    def json(self) -> Any:
        return json.loads(self.body or b"null")


def status(
    code: int, reason: str, message: str, headers: Mapping[str, str] | None = None, **details: Any
) -> PlainResponse:
    """An error answer as the API server gives it."""
    body: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    if details:
        body["details"] = details
    return PlainResponse(code, headers or {}, json.dumps(body).encode())


def ok(body: Any, code: int = 200) -> PlainResponse:
    return PlainResponse(code, {}, json.dumps(body).encode())


def line(kind: str, obj: Any) -> bytes:
    """One line of a watch."""
    return json.dumps({"type": kind, "object": obj}).encode() + b"\n"


def obj(name: str, version: int | str, namespace: str = "ns") -> dict[str, Any]:
    """The smallest object."""
    return {"metadata": {"name": name, "namespace": namespace, "resourceVersion": str(version)}}


@dataclass
class FakeKube:
    """The server. Every mutation gives the object a new version from one counter."""

    version: int = 100
    objects: dict[tuple[str, str, str, str], dict[str, Any]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    watches: deque[list[Any]] = field(default_factory=deque)
    scripted: list[tuple[str, re.Pattern[str], deque[Answer]]] = field(default_factory=list)
    closed: bool = False

    def script(self, method: str, path: str, *answers: Answer) -> None:
        """The next requests of `method` whose path matches the regular expression get these answers, in order."""
        self.scripted.append((method, re.compile(path), deque(answers)))

    def add(self, prefix: str, plural: str, item: dict[str, Any]) -> dict[str, Any]:
        """Store an object as if somebody had created it."""
        meta = item["metadata"]
        self.version += 1
        meta["resourceVersion"] = str(self.version)
        meta.setdefault("uid", f"uid-{self.version}")
        self.objects[prefix, plural, meta.get("namespace", ""), meta["name"]] = item
        return item

    def seen(self, method: str, path: str = "") -> list[Request]:
        """Requests of a method whose path matches."""
        return [r for r in self.requests if r.method == method and re.search(path, r.path)]

    # ---- Transport -------------------------------------------------------------------------------------------------

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30.0,  # noqa: ASYNC109 - the transport's own limit
    ) -> Response:
        request = Request(method, path, dict(query or {}), body, dict(headers or {}), timeout)
        self.requests.append(request)
        await asyncio.sleep(0)
        answer = self._scripted(request)
        if answer is None:
            answer = self._store(request)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    @contextlib.asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        idle_timeout: float = 330.0,
    ) -> AsyncIterator[StreamResponse]:
        self.requests.append(Request(method, path, dict(query or {}), None, dict(headers or {}), idle_timeout))
        script = self.watches.popleft() if self.watches else [HOLD]
        if script and isinstance(script[0], BaseException):
            raise script[0]
        yield _Stream(script)

    async def close(self) -> None:
        self.closed = True

    # ---- the store -------------------------------------------------------------------------------------------------

    def _scripted(self, request: Request) -> PlainResponse | BaseException | None:
        for method, path, answers in self.scripted:
            if method == request.method and answers and path.search(request.path):
                answer = answers.popleft()
                return answer if isinstance(answer, PlainResponse | BaseException) else answer(request)
        return None

    def _store(self, request: Request) -> PlainResponse:
        match = _PATH.match(request.path)
        assert match is not None, request.path
        prefix, ns, plural, name, sub = match.group("prefix", "ns", "plural", "name", "sub")
        key = (prefix, plural, ns or "", name or "")
        if request.method == "GET" and not name:
            return self._list(request, prefix, plural, ns)
        if request.method == "POST" and not name:
            return self._create(request, prefix, plural, ns or "")
        found = self.objects.get(key)
        if found is None:
            return status(404, "NotFound", f'{plural} "{name}" not found')
        if sub == "binding":
            return self._bind(request, found)
        if sub == "eviction" or request.method == "DELETE":
            del self.objects[key]
            return ok({"kind": "Status", "status": "Success"}, 201 if sub else 200)
        if request.method == "GET":
            return ok(found)
        return self._change(request, key, found)

    def _list(self, request: Request, prefix: str, plural: str, ns: str | None) -> PlainResponse:
        items = [
            o for (p, r, n, _), o in sorted(self.objects.items()) if (p, r) == (prefix, plural) and ns in (None, n)
        ]
        start = int(request.query.get("continue", "0"))
        limit = int(request.query.get("limit", "0")) or len(items)
        meta = {"resourceVersion": str(self.version)}
        if start + limit < len(items):
            meta["continue"] = str(start + limit)
        return ok({"metadata": meta, "items": items[start : start + limit]})

    def _create(self, request: Request, prefix: str, plural: str, ns: str) -> PlainResponse:
        item = request.json
        item["metadata"].setdefault("namespace", ns)
        name = item["metadata"]["name"]
        if (prefix, plural, ns, name) in self.objects:
            return status(409, "AlreadyExists", f'{plural} "{name}" already exists')
        return ok(self.add(prefix, plural, item), 201)

    def _bind(self, request: Request, pod: dict[str, Any]) -> PlainResponse:
        wanted = request.json["metadata"].get("uid")
        name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
        if wanted and wanted != uid:
            text = f"Precondition failed: UID in precondition: {wanted}, UID in object meta: {uid}"
            return status(409, "Conflict", f'Operation cannot be fulfilled on pods "{name}": {text}')
        node = pod.setdefault("spec", {}).get("nodeName")
        if node:
            text = f'pod {name} is already assigned to node "{node}"'
            return status(409, "Conflict", f'Operation cannot be fulfilled on pods/binding "{name}": {text}')
        pod["spec"]["nodeName"] = request.json["target"]["name"]
        pod["metadata"].setdefault("annotations", {}).update(request.json["metadata"].get("annotations") or {})
        self.version += 1
        pod["metadata"]["resourceVersion"] = str(self.version)
        return ok({"kind": "Status", "status": "Success"}, 201)

    def _change(self, request: Request, key: tuple[str, str, str, str], found: dict[str, Any]) -> PlainResponse:
        body = request.json
        wanted = body.get("metadata", {}).get("resourceVersion")
        if wanted and wanted != found["metadata"]["resourceVersion"]:
            return status(409, "Conflict", "the object has been modified")
        new = body if request.method == "PUT" else _merge(found, body)
        new["metadata"]["uid"] = found["metadata"]["uid"]
        return ok(self.add(key[0], key[1], new))


class _Stream:
    def __init__(self, script: list[Any]) -> None:
        self._answer = script[0] if script and isinstance(script[0], PlainResponse) else None
        self._script = script
        self.status = self._answer.status if self._answer else 200
        self.headers: Mapping[str, str] = self._answer.headers if self._answer else {}

    async def chunks(self) -> AsyncIterator[bytes]:
        for item in self._script:
            await asyncio.sleep(0)
            if item is HOLD:
                await asyncio.Event().wait()
            if isinstance(item, BaseException):
                raise item
            yield item

    async def read(self) -> bytes:
        return self._answer.body if self._answer else b""


def _merge(old: Any, new: Any) -> Any:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    merged = dict(old)
    for name, value in new.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merge(merged.get(name), value)
    return merged
