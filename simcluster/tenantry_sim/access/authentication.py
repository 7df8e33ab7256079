"""From a request's credentials to a user."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from tenantry_sim.access.tokens import AccountTokens
from tenantry_sim.access.users import ADMIN, ANONYMOUS, User, user
from tenantry_sim.config import TokenUser
from tenantry_sim.status import ApiError

_SCHEME = "bearer "


class Transport(Protocol):
    """What is asked of a connection: asyncio's own method."""

    def get_extra_info(self, name: str, default: Any = None) -> Any: ...


def unauthorized() -> ApiError:
    return ApiError(401, "Unauthorized", "Unauthorized")


class Authenticator:
    """Knows users by token, by client certificate, or not at all."""

    def __init__(self, users: Iterable[TokenUser], accounts: AccountTokens, open_door: bool, anonymous: bool) -> None:
        """`open_door` makes everybody without credentials the administrator; else `anonymous` lets them in as such."""
        self._by_token = {u.token: user(u.name, u.groups, u.uid) for u in users}
        # Known headers as they come, so that the common request costs one look into a table.
        self._by_header = {f"Bearer {token}": known for token, known in self._by_token.items()}
        self._accounts = accounts
        self._nobody = ADMIN if open_door else ANONYMOUS if anonymous else None

    def token(self, token: str) -> User | None:
        """Whose token this is; None when nobody's."""
        return self._by_token.get(token) or self._accounts.known(token)

    def user(self, headers: Mapping[str, str], transport: Transport | None) -> User:
        """The user who sends a request. Raises ApiError 401."""
        given = headers.get("Authorization")
        if given is not None:
            known = self._by_header.get(given)
            if known is not None:
                return known
            found = self.token(given[len(_SCHEME) :].strip()) if given.lower().startswith(_SCHEME) else None
            if found is None:
                raise unauthorized()
            return found
        certificate = transport.get_extra_info("peercert") if transport is not None else None
        if certificate:
            return _by_certificate(certificate)
        if self._nobody is None:
            raise unauthorized()
        return self._nobody


def _by_certificate(certificate: Mapping[str, Any]) -> User:
    """The subject of a certificate that TLS has verified already. Raises ApiError 401 when it names nobody."""
    parts = [pair for group in certificate.get("subject", ()) for pair in group]
    name = next((value for key, value in parts if key == "commonName"), "")
    if not name:
        raise unauthorized()
    return user(name, tuple(value for key, value in parts if key == "organizationName"))
