"""Access as the HTTP server sees it: who sends this request, and may they do that?"""

import secrets
from typing import Any

from aiohttp import web

from tenantry_sim.access import escalation, impersonation
from tenantry_sim.access.attributes import Attributes, of_call, of_path, refusal
from tenantry_sim.access.authentication import Authenticator
from tenantry_sim.access.rbac import Authorizer
from tenantry_sim.access.reviews import Reviews
from tenantry_sim.access.reviews import find as find_review
from tenantry_sim.access.tokens import AccountTokens
from tenantry_sim.access.users import ADMIN, User
from tenantry_sim.api.call import Answer, Call, decode_body
from tenantry_sim.config import SimConfig, TokenUser
from tenantry_sim.status import not_allowed
from tenantry_sim.store.records import Object, encode
from tenantry_sim.world import World

_APPLY = "application/apply-patch+yaml"


class Access:
    """Authentication and authorization of one server."""

    def __init__(self, world: World, config: SimConfig) -> None:
        """Without a token in the settings, who brings no credentials is the administrator."""
        users = list(config.users)
        if config.token:
            users.append(TokenUser(ADMIN.name, config.token, ADMIN.groups, ADMIN.uid))
        self.world = world
        self.accounts = AccountTokens(world, secrets.token_bytes(32))
        self.authenticator = Authenticator(users, self.accounts, not config.token, config.anonymous)
        self.authorizer = Authorizer(world)
        self.reviews = Reviews(self.authenticator, self.authorizer)

    def caller(self, request: web.BaseRequest) -> User:
        """The user whose request this is. Raises ApiError 401 or 403."""
        found = self.authenticator.user(request.headers, request.transport)
        if impersonation.wanted(request.headers):
            return impersonation.impersonate(request.headers, found, self.authorizer)
        return found

    def demand(self, user: User, method: str, path: str, call: Call | None) -> None:
        """Let the request pass or refuse it. Raises ApiError 403."""
        if user.superuser:
            return
        wish = of_call(call) if call is not None else _beside(method, path)
        self._demand(user, wish)
        if call is not None and self._creates(call):
            self._demand(user, Attributes("create", wish.group, wish.resource, "", wish.namespace, wish.name))

    def _creates(self, call: Call) -> bool:
        """Whether this is an apply of something that is not there."""
        if call.method != "PATCH" or call.content_type != _APPLY or call.subresource:
            return False
        return self.world.store.kind(call.resource).get(call.namespace, call.name) is None

    def _demand(self, user: User, wish: Attributes) -> None:
        decision = self.authorizer.decide(user, wish)
        if not decision.allowed:
            raise refusal(user, wish, decision.reason)

    def guards(self, user: User, call: Call) -> bool:
        """Whether `guard` has something to check."""
        return not user.superuser and escalation.concerned(call)

    def guard(self, user: User, call: Call, obj: Object, old: Object | None) -> None:
        """Refuse grants of more than the user holds. Raises ApiError 403."""
        escalation.check(self.authorizer, user, call, obj, old)

    def review(self, path: str, call: Call, user: User) -> Answer | None:
        """The answer to a review; None at other paths. Raises ApiError."""
        found = find_review(path)
        if found is None:
            return None
        if call.method != "POST":
            raise not_allowed()
        kind, namespace = found
        document = self.reviews.answer(kind, user, namespace, decode_body(call, kind.kind))
        return Answer(201, encode(document))

    def token(self, call: Call) -> Answer:
        """The answer to a request for a service account's token. Raises ApiError."""
        if call.method != "POST":
            raise not_allowed()
        document: dict[str, Any] = decode_body(call, "TokenRequest")
        return Answer(201, encode(self.accounts.request(call.namespace, call.name, document)))


def _beside(method: str, path: str) -> Attributes:
    """The wish behind a path outside the resource table."""
    review = find_review(path)
    if review is not None:
        kind, namespace = review
        return Attributes("create" if method == "POST" else method.lower(), kind.group, kind.plural, "", namespace)
    parts = path.split("/")
    if len(parts) == 6 and parts[1:4] == ["api", "v1", "namespaces"] and parts[5] == "bindings":
        return Attributes("create", "", "bindings", "", parts[4])
    return of_path(method, path)
