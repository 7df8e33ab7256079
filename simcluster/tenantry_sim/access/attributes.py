"""What a request wants to do, in the terms in which access is granted."""

from dataclasses import dataclass

from tenantry_sim.access.users import User
from tenantry_sim.api.call import Call
from tenantry_sim.status import ApiError, qualified

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch"}
_ONE = "metadata.name="


@dataclass(frozen=True, slots=True)
class Attributes:
    """A wish: either about a resource, or about a path that is none (`path` is then set)."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @property
    def full(self) -> str:
        """Resource and subresource as rules and messages write them."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def of_call(call: Call) -> Attributes:
    """The wish behind a routed request."""
    resource, name = call.resource, call.name
    if call.method == "GET":
        verb = "watch" if call.watching else "get" if name else "list"
    elif call.method == "DELETE":
        verb = "delete" if name else "deletecollection"
    else:
        verb = _VERBS.get(call.method, call.method.lower())
    if not name and verb in ("list", "watch", "deletecollection"):
        # One object chosen by name counts as that object.
        selector = call.query.get("fieldSelector", "")
        if selector.startswith(_ONE) and "," not in selector:
            name = selector.removeprefix(_ONE)
    # A single namespace counts as lying within itself.
    namespace = name if resource.key == "/namespaces" else call.namespace
    return Attributes(verb, resource.group, resource.plural, call.subresource, namespace, name)


def of_path(method: str, path: str) -> Attributes:
    """The wish behind a request for a path that is no resource."""
    return Attributes(method.lower(), path=path)


def refusal(user: User, wish: Attributes, reason: str = "") -> ApiError:
    """403 in the words of the API server."""
    tail = f": {reason}" if reason else ""
    if wish.path:
        text = f'forbidden: User "{user.name}" cannot {wish.verb} path "{wish.path}"{tail}'
        return ApiError(403, "Forbidden", text, {})
    where = f'in the namespace "{wish.namespace}"' if wish.namespace else "at the cluster scope"
    what = qualified(wish.resource, wish.group) + (f' "{wish.name}"' if wish.name else "")
    text = (
        f'{what} is forbidden: User "{user.name}" cannot {wish.verb} resource "{wish.full}" '
        f'in API group "{wish.group}" {where}{tail}'
    )
    details = {**({"name": wish.name} if wish.name else {}), **({"group": wish.group} if wish.group else {})}
    return ApiError(403, "Forbidden", text, {**details, "kind": wish.resource})
