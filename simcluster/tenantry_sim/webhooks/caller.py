"""One call of one webhook over HTTPS."""

import asyncio
import base64
import binascii
import ssl
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol

import aiohttp

from tenantry_sim.webhooks.review import CallFailed

ADDRESS = "sim.tenantry.io/address"
"""Annotation of a Service: `host:port` at which its webhook listens, as the embedded cluster has no service network."""
_JSON = {"Content-Type": "application/json", "Accept": "application/json"}
_STATUS_WORDS = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    403: "forbidden",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    429: "the server has received too many requests and has asked us to try again later",
}


class _Record(Protocol):
    def decode(self) -> dict[str, Any]: ...


class _Services(Protocol):
    """Where services are looked up."""

    def find(self, key: str, name: str, namespace: str = "") -> _Record | None: ...


class Caller:
    """Calls webhooks; connections are kept until `close`."""

    def __init__(self, services: _Services, addresses: Mapping[str, str]) -> None:
        self._services = services
        self.addresses = dict(addresses)
        """`namespace/name` of services to the `host:port` where they are served."""
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def call(self, client: Mapping[str, Any], seconds: float, body: bytes) -> bytes:
        """Send a review, return the answer's body. Raises CallFailed."""
        shown, real, name = self._place(client, seconds)
        if self._session is None:
            self._session = aiohttp.ClientSession()
        more: dict[str, Any] = {"server_hostname": name} if name else {}
        try:
            async with (
                asyncio.timeout(seconds),
                self._session.post(
                    real, data=body, headers=_JSON, ssl=_trust(client.get("caBundle", "")), **more
                ) as got,
            ):
                text = await got.read()
                status = got.status
        except TimeoutError:
            raise _unreached(shown, "context deadline exceeded") from None
        except (aiohttp.ClientError, OSError, ssl.SSLError) as problem:
            raise _unreached(shown, _network_words(problem)) from None
        if not 200 <= status < 300:
            raise CallFailed(f"failed to call webhook: {_status_words(status, text)}")
        return text

    def _place(self, client: Mapping[str, Any], seconds: float) -> tuple[str, str, str]:
        """The URL as messages show it, the URL to call, and the name that the certificate must carry."""
        wait = f"?timeout={int(seconds)}s"
        if client.get("url"):
            return client["url"] + wait, client["url"] + wait, ""
        service = client.get("service") or {}
        space, name = service.get("namespace", ""), service.get("name", "")
        host, path = f"{name}.{space}.svc", "/" + str(service.get("path", "")).lstrip("/")
        shown = f"https://{host}:{service.get('port', 443)}{path}{wait}"
        address = self.addresses.get(f"{space}/{name}") or self._annotated(shown, space, name)
        return shown, f"https://{address}{path}{wait}", host

    def _annotated(self, shown: str, space: str, name: str) -> str:
        record = self._services.find("/services", name, space)
        if record is None:
            raise _unreached(shown, f'service "{name}" not found')
        address: str = (record.decode()["metadata"].get("annotations") or {}).get(ADDRESS, "")
        if not address:
            raise _unreached(shown, f'no endpoints available for service "{name}"')
        return address


def _unreached(url: str, why: str) -> CallFailed:
    return CallFailed(f'failed to call webhook: Post "{url}": {why}')


def _status_words(status: int, body: bytes) -> str:
    if status >= 500 or status not in _STATUS_WORDS:
        text = body.decode(errors="replace").strip() or "unknown"
        return f'an error on the server ("{text}") has prevented the request from succeeding'
    return _STATUS_WORDS[status]


def _network_words(problem: Exception) -> str:
    """The failure as Go's client words it, where that is known."""
    if isinstance(problem, aiohttp.ClientConnectorCertificateError | ssl.SSLCertVerificationError):
        inner = getattr(problem, "certificate_error", problem)
        return f"tls: failed to verify certificate: x509: {_certificate_words(str(inner))}"
    if isinstance(problem, aiohttp.ClientConnectorError):
        if isinstance(problem.os_error, ConnectionRefusedError):
            return f"dial tcp {problem.host}:{problem.port}: connect: connection refused"
        return f"dial tcp {problem.host}:{problem.port}: {problem.os_error}"
    if isinstance(problem, aiohttp.ServerDisconnectedError):
        return "EOF"
    return str(problem) or type(problem).__name__


def _certificate_words(text: str) -> str:
    if "mismatch" in text or "not valid for" in text:
        return "certificate is not valid for the requested name"
    if "expired" in text:
        return "certificate has expired or is not yet valid"
    return "certificate signed by unknown authority"


@lru_cache(maxsize=64)
def _trust(bundle: str) -> ssl.SSLContext:
    """TLS settings that trust a bundle (base64 of PEM), or the machine's authorities when there is none."""
    if not bundle:
        return ssl.create_default_context()
    try:
        return ssl.create_default_context(cadata=base64.b64decode(bundle).decode())
    except (binascii.Error, ssl.SSLError, ValueError) as problem:
        raise CallFailed(f"failed to call webhook: unable to load root certificates: {problem}") from None
