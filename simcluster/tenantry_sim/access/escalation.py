"""Nobody grants more than they hold: the check on writes of roles and bindings."""

from typing import Any

from tenantry_sim.access.attributes import Attributes
from tenantry_sim.access.policy import PolicyRule, compact, missing, read, text
from tenantry_sim.access.rbac import Authorizer
from tenantry_sim.access.users import User
from tenantry_sim.api.call import Call
from tenantry_sim.kinds.roles import RBAC
from tenantry_sim.status import ApiError, forbidden, not_found
from tenantry_sim.store.records import Object

_PLURALS = {"Role": "roles", "ClusterRole": "clusterroles"}
_ROLES = ("roles", "clusterroles")


def concerned(call: Call) -> bool:
    """Whether a call writes a role or a binding."""
    return call.resource.group == RBAC and call.method in ("POST", "PUT", "PATCH")


def check(authorizer: Authorizer, user: User, call: Call, obj: Object, old: Object | None) -> None:
    """Refuse a role or a binding that grants what the user does not hold. Raises ApiError."""
    if user.superuser:
        return
    plural, name = call.resource.plural, obj["metadata"]["name"]
    if plural in _ROLES:
        if old is not None and _same_grant(old, obj, ("rules", "aggregationRule")):
            return
        wanted = [read(rule) for rule in obj.get("rules") or ()]
        if obj.get("aggregationRule"):
            every = frozenset("*")
            wanted += [PolicyRule(every, every, every), PolicyRule(every, urls=("*",))]
        wish = Attributes("escalate", RBAC, plural, "", call.namespace, name)
    else:
        if old is not None and _same_grant(old, obj, ("subjects", "roleRef")):
            return
        role = obj["roleRef"]
        place = call.namespace if role["kind"] == "Role" else ""
        wish = Attributes("bind", RBAC, _PLURALS[role["kind"]], "", call.namespace, role["name"])
        if authorizer.decide(user, wish).allowed:
            return
        found = authorizer.role_rules(place, role["kind"], role["name"])
        if found is None:
            raise not_found(_PLURALS[role["kind"]], RBAC, role["name"])
        wanted = list(found)
    lacking = missing(wanted, authorizer.rules(user, call.namespace))
    if lacking and not authorizer.decide(user, wish).allowed:
        raise _refusal(user, plural, name, lacking)


def _same_grant(old: Object, new: Object, keys: tuple[str, ...]) -> bool:
    return all(_present(old.get(key)) == _present(new.get(key)) for key in keys)


def _present(value: Any) -> Any:
    return value or None


def _refusal(user: User, plural: str, name: str, lacking: list[PolicyRule]) -> ApiError:
    groups = " ".join(f'"{g}"' for g in user.groups)
    rules = "\n".join(text(rule) for rule in compact(lacking))
    why = f'user "{user.name}" (groups=[{groups}]) is attempting to grant RBAC permissions not currently held:\n{rules}'
    return forbidden(plural, RBAC, name, why)
