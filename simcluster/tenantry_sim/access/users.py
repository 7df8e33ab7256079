"""Users as the server knows them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MASTERS = "system:masters"
AUTHENTICATED = "system:authenticated"
UNAUTHENTICATED = "system:unauthenticated"
ACCOUNT_PREFIX = "system:serviceaccount:"
ACCOUNTS = "system:serviceaccounts"


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who sends requests."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    superuser: bool = False
    """Member of `system:masters`: everything is allowed without a look at roles."""

    def info(self) -> dict[str, Any]:
        """As `userInfo` of reviews; empty members are left out."""
        found: dict[str, Any] = {"username": self.name}
        if self.uid:
            found["uid"] = self.uid
        if self.groups:
            found["groups"] = list(self.groups)
        if self.extra:
            found["extra"] = {key: list(values) for key, values in self.extra.items()}
        return found


def user(
    name: str, groups: tuple[str, ...] = (), uid: str = "", extra: Mapping[str, tuple[str, ...]] | None = None
) -> User:
    """A user who has proved who they are: a member of `system:authenticated` as well."""
    every = groups if AUTHENTICATED in groups else (*groups, AUTHENTICATED)
    return User(name, every, uid, extra or {}, MASTERS in groups)


ADMIN = user("admin", (MASTERS,), "admin")
ANONYMOUS = User("system:anonymous", (UNAUTHENTICATED,))


def account_groups(namespace: str) -> tuple[str, ...]:
    """Groups of the service accounts of a namespace."""
    return (ACCOUNTS, f"{ACCOUNTS}:{namespace}")
