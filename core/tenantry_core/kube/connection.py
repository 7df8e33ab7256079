"""Where the API server is and how we show who we are: what a transport needs, whatever it was loaded from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ssl import SSLContext
from typing import Protocol


class Credentials(Protocol):
    """Gives the authentication headers of each request."""

    async def headers(self) -> Mapping[str, str]:
        """Headers for the next request, refreshed first when they are about to expire. Raises `CredentialsError`."""
        ...

    async def refresh(self, used: Mapping[str, str]) -> bool:
        """The server answered 401 to the headers `used`. True when there are other headers now, worth one more try."""
        ...


class StaticCredentials:
    """A fixed bearer token, or nobody when the token is "" (client certificates live in the SSL context)."""

    def __init__(self, token: str = "") -> None:
        self._headers: Mapping[str, str] = {"Authorization": f"Bearer {token}"} if token else {}

    async def headers(self) -> Mapping[str, str]:
        return self._headers

    async def refresh(self, used: Mapping[str, str]) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Connection:
    """One API server and our standing with it."""

    server: str
    """Base URL, `https://host:port` with an optional path, no slash at the end."""
    ssl: SSLContext | None = None
    """Trust and client certificate; None for plain HTTP (the embedded cluster)."""
    credentials: Credentials = field(default_factory=StaticCredentials)
    """Source of the authentication headers."""
    server_hostname: str | None = None
    """Name to expect in the server's certificate when it differs from the URL's (`tls-server-name`)."""
    proxy: str | None = None
    """HTTP proxy (`proxy-url`)."""
    namespace: str = "default"
    """Namespace of the kubeconfig's context, or of our own pod."""
