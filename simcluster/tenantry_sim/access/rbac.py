"""Role based access control: who may do what, from the stored roles and bindings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tenantry_sim import selectors
from tenantry_sim.access.attributes import Attributes
from tenantry_sim.access.policy import PolicyRule, read
from tenantry_sim.access.users import ACCOUNT_PREFIX, User
from tenantry_sim.kinds.roles import RBAC
from tenantry_sim.store.records import Change, Object
from tenantry_sim.world import World

CLUSTER_ROLES = f"{RBAC}/clusterroles"
ROLES = f"{RBAC}/roles"
BINDINGS = f"{RBAC}/rolebindings"
CLUSTER_BINDINGS = f"{RBAC}/clusterrolebindings"
_MOST_DECISIONS = 100_000


@dataclass(frozen=True)
class Grant:
    """The rules that one binding gives to a subject."""

    namespace: str
    """Where they hold; empty for everywhere."""
    rules: tuple[PolicyRule, ...]
    origin: str
    """The binding and the role, as reviews tell them."""
    subject: str
    """The subject, as reviews tell it."""
    problem: str = ""
    """Why the role could not be read; empty when it could."""


@dataclass(frozen=True)
class Decision:
    """Yes or no, with the reason."""

    allowed: bool
    reason: str = ""


_YES = Decision(True)


@dataclass
class Authorizer:
    """Evaluates RBAC. Decisions are kept until a role or a binding changes."""

    world: World
    _grants: dict[tuple[str, str], list[Grant]] = field(default_factory=dict)
    _decisions: dict[tuple[str, tuple[str, ...], Attributes], Decision] = field(default_factory=dict)
    _stale: bool = True

    def __post_init__(self) -> None:
        for key in (CLUSTER_ROLES, ROLES, BINDINGS, CLUSTER_BINDINGS):
            self.world.kind(key).listeners.append(self._changed)

    def _changed(self, change: Change) -> None:
        del change
        self._stale = True

    def decide(self, user: User, wish: Attributes) -> Decision:
        """Whether a user may do something."""
        if user.superuser:
            return _YES
        if self._stale:
            self._compile()
        key = (user.name, user.groups, wish)
        known = self._decisions.get(key)
        if known is None:
            if len(self._decisions) >= _MOST_DECISIONS:
                self._decisions.clear()
            known = self._decisions[key] = self._decide(user, wish)
        return known

    def _decide(self, user: User, wish: Attributes) -> Decision:
        problems = []
        for grant in self.grants(user, wish.namespace):
            if grant.problem:
                problems.append(grant.problem)
            elif any(rule.allows(wish) for rule in grant.rules):
                return Decision(True, f"RBAC: allowed by {grant.origin} to {grant.subject}")
        return Decision(False, f"RBAC: {_joined(problems)}" if problems else "")

    def grants(self, user: User, namespace: str) -> Iterator[Grant]:
        """What holds for the user in a namespace: that of the whole cluster first."""
        if self._stale:
            self._compile()
        subjects = [("User", user.name), *(("Group", group) for group in user.groups)]
        found = [grant for subject in subjects for grant in self._grants.get(subject, ())]
        yield from (grant for grant in found if not grant.namespace)
        if namespace:
            yield from (grant for grant in found if grant.namespace == namespace)

    def rules(self, user: User, namespace: str) -> list[PolicyRule]:
        """All rules that hold for the user in a namespace (or, when empty, in the whole cluster)."""
        if user.superuser:
            every = frozenset("*")
            return [PolicyRule(every, every, every), PolicyRule(every, urls=("*",))]
        return [rule for grant in self.grants(user, namespace) for rule in grant.rules]

    def role_rules(self, namespace: str, kind: str, name: str) -> tuple[PolicyRule, ...] | None:
        """The rules of a role, aggregated ones included; None when there is no such role."""
        record = self.world.find(*((CLUSTER_ROLES, name) if kind == "ClusterRole" else (ROLES, name, namespace)))
        if record is None:
            return None
        return tuple(read(rule) for rule in effective_rules(self.world, record.decode()))

    def _compile(self) -> None:
        self._grants.clear()
        self._decisions.clear()
        self._stale = False
        roles: dict[tuple[str, str, str], tuple[PolicyRule, ...] | None] = {}
        for key in (CLUSTER_BINDINGS, BINDINGS):
            for record in self.world.kind(key).ordered():
                binding = record.decode()
                reference = binding["roleRef"]
                place = "" if reference["kind"] == "ClusterRole" else record.namespace
                role = (place, reference["kind"], reference["name"])
                if role not in roles:
                    roles[role] = self.role_rules(*role)
                self._bind(binding, roles[role])

    def _bind(self, binding: Object, rules: tuple[PolicyRule, ...] | None) -> None:
        namespace, name, role = (
            binding["metadata"].get("namespace", ""),
            binding["metadata"]["name"],
            binding["roleRef"],
        )
        title = f'RoleBinding "{name}/{namespace}"' if namespace else f'ClusterRoleBinding "{name}"'
        origin = f'{title} of {role["kind"]} "{role["name"]}"'
        problem = ""
        if rules is None:
            problem = f'{role["kind"].lower()}.{RBAC} "{role["name"]}" not found'
        for subject in binding.get("subjects") or ():
            place = subject.get("namespace") or namespace
            kind, who = _subject(subject, place)
            shown = f'{subject["kind"]} "{_shown(subject, place)}"'
            self._grants.setdefault((kind, who), []).append(Grant(namespace, rules or (), origin, shown, problem))


def _subject(subject: dict[str, Any], namespace: str) -> tuple[str, str]:
    if subject["kind"] == "ServiceAccount":
        return "User", f"{ACCOUNT_PREFIX}{namespace}:{subject['name']}"
    return subject["kind"], subject["name"]


def _shown(subject: dict[str, Any], namespace: str) -> str:
    return f"{subject['name']}/{namespace}" if subject["kind"] == "ServiceAccount" else str(subject["name"])


def _joined(problems: Sequence[str]) -> str:
    unique = list(dict.fromkeys(problems))
    return unique[0] if len(unique) == 1 else "[" + ", ".join(unique) + "]"


def effective_rules(world: World, role: Object, above: frozenset[str] = frozenset()) -> list[dict[str, Any]]:
    """The rules of a role; of an aggregating one, those of the cluster roles that it selects. `above` ends circles."""
    aggregation = role.get("aggregationRule")
    if not aggregation:
        return role.get("rules") or []
    chosen = [selectors.from_object(s) for s in aggregation.get("clusterRoleSelectors") or ()]
    found: list[dict[str, Any]] = []
    inside = above | {role["metadata"]["name"]}
    for record in world.kind(CLUSTER_ROLES).ordered():
        if record.name not in inside and any(match(record.labels) for match in chosen):
            found += [r for r in effective_rules(world, record.decode(), inside) if r not in found]
    return found
