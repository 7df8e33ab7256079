"""A webhook over TLS for tests: it behaves as it is told and remembers what it was asked."""

import asyncio
import base64
import datetime
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from tenantry_sim.access.certificates import Authority, server_context

Response = dict[str, Any]
MODES: dict[str, Response] = {
    "allow": {"allowed": True},
    "deny": {
        "allowed": False,
        "status": {"code": 403, "reason": "Forbidden", "message": "tenant acme is over quota"},
    },
    "deny-plain": {"allowed": False},
    "deny-429": {"allowed": False, "status": {"code": 429, "message": "slow down"}},
    "warn": {"allowed": True, "warnings": ["w1"]},
    "wronguid": {"uid": "x", "allowed": True},
}


def patch(*operations: dict[str, Any]) -> Response:
    """The answer that changes the object."""
    text = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"allowed": True, "patchType": "JSONPatch", "patch": text}


MODES["patch"] = patch({"op": "add", "path": "/data", "value": {"x": "1"}})
MODES["badpatch"] = patch({"op": "remove", "path": "/nope/x"})


class WebhookServer:
    """Answers at `url` + any path; the last part of the path is the mode."""

    def __init__(self) -> None:
        self.reviews: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.modes = dict(MODES)
        self.release = asyncio.Event()
        self.port = 0
        self.bundle = ""

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        review = json.loads(await request.read())
        mode = request.path.rpartition("/")[2]
        self.reviews.append(review)
        self.paths.append(request.path)
        if mode == "slow":
            await self.release.wait()
        if mode == "500":
            return web.Response(status=500, text="boom")
        if mode == "notjson":
            return web.json_response("not a review")
        response = {"uid": review["request"]["uid"], **self.modes.get(mode, self.modes["allow"])}
        head = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1"}
        return web.json_response({**head, "response": response})


@asynccontextmanager
async def webhook_server(*hosts: str) -> AsyncIterator[WebhookServer]:
    """Serve on loopback under a certificate for 127.0.0.1 and further names."""
    authority = Authority(datetime.datetime.now(datetime.UTC))
    context = server_context(authority.server(["127.0.0.1", *hosts]))
    hook = WebhookServer()
    hook.bundle = base64.b64encode(authority.pem).decode()
    server = web.Server(hook.handle, access_log=None, handler_cancellation=True)
    listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0, ssl=context)
    hook.port = listener.sockets[0].getsockname()[1]
    try:
        yield hook
    finally:
        hook.release.set()
        listener.close()
        await server.shutdown(0.1)
        await listener.wait_closed()


def configuration(hook: WebhookServer, mode: str, kind: str = "Validating", **more: Any) -> dict[str, Any]:
    """A configuration with one webhook that looks at config maps; keyword arguments go into the webhook."""
    webhook = {
        "name": "check.demo.example.com",
        "clientConfig": {"url": f"{hook.url}/{mode}", "caBundle": hook.bundle},
        "rules": [
            {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]},
        ],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **more,
    }
    head = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": f"{kind}WebhookConfiguration"}
    return {**head, "metadata": {"name": "check"}, "webhooks": [webhook]}
