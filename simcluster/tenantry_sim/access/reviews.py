"""Access and token reviews: questions about who somebody is and what they may do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tenantry_sim.access.attributes import Attributes
from tenantry_sim.access.authentication import Authenticator
from tenantry_sim.access.rbac import Authorizer
from tenantry_sim.access.users import MASTERS, User
from tenantry_sim.kinds import shapes
from tenantry_sim.kinds.rules import prune_nulls
from tenantry_sim.status import Cause, bad_request, invalid

_AUTHORIZATION = "authorization.k8s.io"
_AUTHENTICATION = "authentication.k8s.io"


@dataclass(frozen=True)
class Review:
    """One kind of review: where it is asked and how it is answered."""

    kind: str
    group: str
    answer: Callable[["Reviews", User, str, dict[str, Any]], dict[str, Any]]
    namespaced: bool = False

    @property
    def plural(self) -> str:
        return self.kind.lower() + "s"


def find(path: str) -> tuple[Review, str] | None:
    """The review that is asked at a path, and its namespace; None for other paths."""
    parts = path.strip("/").split("/")
    namespace = ""
    if len(parts) == 6 and parts[3] == "namespaces":
        namespace, parts = parts[4], [*parts[:3], parts[5]]
    if len(parts) != 4 or parts[0] != "apis" or parts[2] != "v1":
        return None
    review = _BY_PATH.get((parts[1], parts[3]))
    return (review, namespace) if review is not None and review.namespaced == bool(namespace) else None


@dataclass(frozen=True)
class Reviews:
    """Answers reviews."""

    authenticator: Authenticator
    authorizer: Authorizer

    def answer(self, review: Review, caller: User, namespace: str, document: dict[str, Any]) -> dict[str, Any]:
        """The review with its status. Raises ApiError 400 or 422."""
        document = prune_nulls(document)
        kind = document.get("kind") or review.kind
        if kind != review.kind:
            raise bad_request(f'{kind} in version "v1" cannot be handled as a {review.kind}')
        shapes.check(review.kind, document)
        spec: dict[str, Any] = document.get("spec") or {}
        status = review.answer(self, caller, namespace, spec)
        head = {"kind": review.kind, "apiVersion": f"{review.group}/v1", "metadata": {}}
        if namespace:
            head["metadata"] = {"namespace": namespace}
        if review.kind == "SelfSubjectReview":
            return {**head, "metadata": {"creationTimestamp": self.authorizer.world.stamp()}, "status": status}
        return {**head, "spec": spec, "status": status}

    def _own_access(self, caller: User, namespace: str, spec: dict[str, Any]) -> dict[str, Any]:
        return self._access(caller, namespace, spec, "SelfSubjectAccessReview")

    def _access_of(self, caller: User, namespace: str, spec: dict[str, Any]) -> dict[str, Any]:
        del caller
        groups = tuple(spec.get("groups") or ())
        if not spec.get("user") and not groups:
            why = "at least one of user or group must be specified"
            raise invalid("SubjectAccessReview", _AUTHORIZATION, "", [_required("spec.user", why)])
        who = User(spec.get("user", ""), groups, spec.get("uid", ""), superuser=MASTERS in groups)
        return self._access(who, namespace, spec, "SubjectAccessReview")

    def _access(self, who: User, namespace: str, spec: dict[str, Any], kind: str) -> dict[str, Any]:
        resource: Any = spec.get("resourceAttributes")
        path: Any = spec.get("nonResourceAttributes")
        if (resource is None) == (path is None):
            why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
            raise invalid(kind, _AUTHORIZATION, "", [_required("spec.resourceAttributes", why)])
        if path is not None:
            wish = Attributes(str(path.get("verb", "")), path=str(path.get("path", "")))
        else:
            if namespace and resource.get("namespace", namespace) != namespace:
                raise bad_request("spec.resourceAttributes.namespace must match metadata.namespace")
            keys = ("verb", "group", "resource", "subresource", "namespace", "name")
            wish = Attributes(*(str(resource.get(key, "")) for key in keys))
        decision = self.authorizer.decide(who, wish)
        return {"allowed": decision.allowed, **({"reason": decision.reason} if decision.reason else {})}

    def _own_rules(self, caller: User, namespace: str, spec: dict[str, Any]) -> dict[str, Any]:
        del namespace
        if not spec.get("namespace"):
            raise bad_request("no namespace on request")
        rules = self.authorizer.rules(caller, spec["namespace"])
        return {
            "resourceRules": [r.document() for r in rules if not r.urls],
            "nonResourceRules": [r.document() for r in rules if r.urls],
            "incomplete": False,
        }

    def _own_identity(self, caller: User, namespace: str, spec: dict[str, Any]) -> dict[str, Any]:
        del namespace, spec
        return {"userInfo": caller.info()}

    def _token(self, caller: User, namespace: str, spec: dict[str, Any]) -> dict[str, Any]:
        del caller, namespace
        if not spec.get("token"):
            raise bad_request("token is required for TokenReview in authentication")
        known = self.authenticator.token(spec["token"])
        if known is None:
            return {"user": {}, "error": "invalid bearer token"}
        return {"authenticated": True, "user": known.info()}


def _required(field: str, why: str) -> Cause:
    return Cause("FieldValueRequired", f"Required value: {why}", field)


_REVIEWS = (
    Review("SelfSubjectAccessReview", _AUTHORIZATION, Reviews._own_access),
    Review("SelfSubjectRulesReview", _AUTHORIZATION, Reviews._own_rules),
    Review("SubjectAccessReview", _AUTHORIZATION, Reviews._access_of),
    Review("LocalSubjectAccessReview", _AUTHORIZATION, Reviews._access_of, namespaced=True),
    Review("SelfSubjectReview", _AUTHENTICATION, Reviews._own_identity),
    Review("TokenReview", _AUTHENTICATION, Reviews._token),
)
_BY_PATH = {(r.group, r.plural): r for r in _REVIEWS}
