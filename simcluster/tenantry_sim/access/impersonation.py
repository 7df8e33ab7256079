"""Impersonation: a request that is to be treated as somebody else's."""

from collections.abc import Iterator
from urllib.parse import unquote

from multidict import CIMultiDictProxy

from tenantry_sim.access.attributes import Attributes, refusal
from tenantry_sim.access.rbac import Authorizer
from tenantry_sim.access.users import ACCOUNT_PREFIX, ANONYMOUS, MASTERS, User, account_groups, user
from tenantry_sim.status import ApiError

USER = "Impersonate-User"
_GROUP = "Impersonate-Group"
_UID = "Impersonate-Uid"
_EXTRA = "Impersonate-Extra-"
_AUTHENTICATION = "authentication.k8s.io"


def wanted(headers: CIMultiDictProxy[str]) -> bool:
    """Whether a request wants to be somebody else's."""
    return USER in headers or _GROUP in headers or _UID in headers


def impersonate(headers: CIMultiDictProxy[str], caller: User, authorizer: Authorizer) -> User:
    """The user that the headers name. Raises ApiError: 403 when the caller may not, 500 without a user name."""
    name, uid = headers.get(USER, ""), headers.get(_UID, "")
    groups = tuple(headers.getall(_GROUP, []))
    extra = _extra(headers)
    if not name:
        raise ApiError(500, "InternalError", "Internal error occurred: requested groups without impersonating a user")
    for wish in _wishes(name, groups, uid, extra):
        decision = authorizer.decide(caller, wish)
        if not decision.allowed:
            raise refusal(caller, wish, decision.reason)
    if name.startswith(ACCOUNT_PREFIX) and not groups:
        groups = account_groups(name.removeprefix(ACCOUNT_PREFIX).partition(":")[0])
    if name == ANONYMOUS.name:
        every = groups or ANONYMOUS.groups
        return User(name, every, uid, extra, MASTERS in every)
    return user(name, groups, uid, extra)


def _extra(headers: CIMultiDictProxy[str]) -> dict[str, tuple[str, ...]]:
    keys = {key for key in headers if key.lower().startswith(_EXTRA.lower())}
    return {unquote(key[len(_EXTRA) :]).lower(): tuple(headers.getall(key)) for key in sorted(keys)}


def _wishes(name: str, groups: tuple[str, ...], uid: str, extra: dict[str, tuple[str, ...]]) -> Iterator[Attributes]:
    if name.startswith(ACCOUNT_PREFIX):
        space, _, account = name.removeprefix(ACCOUNT_PREFIX).partition(":")
        yield Attributes("impersonate", "", "serviceaccounts", "", space, account)
    else:
        yield Attributes("impersonate", "", "users", "", "", name)
    for group in groups:
        yield Attributes("impersonate", "", "groups", "", "", group)
    if uid:
        yield Attributes("impersonate", _AUTHENTICATION, "uids", "", "", uid)
    for key, values in extra.items():
        for value in values:
            yield Attributes("impersonate", _AUTHENTICATION, "userextras", key, "", value)
