"""The webhooks of all stored configurations, compiled whenever a configuration changes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tenantry_sim import selectors
from tenantry_sim.cel import CelError, Program, compile_expression
from tenantry_sim.kinds.hooks import VARIABLES
from tenantry_sim.kinds.table import RESOURCES
from tenantry_sim.store.records import Change, Object
from tenantry_sim.store.resource import Resource
from tenantry_sim.world import World

GROUP = "admissionregistration.k8s.io"
_KINDS = {f"{GROUP}/mutatingwebhookconfigurations": True, f"{GROUP}/validatingwebhookconfigurations": False}
_OPERATIONS = {"POST": "CREATE", "PUT": "UPDATE", "PATCH": "UPDATE", "DELETE": "DELETE"}


@dataclass(frozen=True)
class Rule:
    """One rule: which operations on which resources."""

    operations: frozenset[str]
    groups: frozenset[str]
    versions: frozenset[str]
    resources: tuple[str, ...]
    """`pods`, `pods/binding`, `*` (all but subresources), `*/*`, `*/scale`, `pods/*`."""
    scope: str

    def matches(self, resource: Resource, subresource: str, operation: str) -> bool:
        """Whether the rule speaks of an operation on a resource in the version of that row."""
        if not _within(self.operations, operation) or not _within(self.groups, resource.group):
            return False
        if not _within(self.versions, resource.version):
            return False
        # A namespace counts as an object of the cluster.
        if self.scope != "*" and (self.scope == "Namespaced") != resource.namespaced:
            return False
        return any(_names(entry, resource.plural, subresource) for entry in self.resources)


def _within(values: frozenset[str], value: str) -> bool:
    return "*" in values or value in values


def _names(entry: str, plural: str, subresource: str) -> bool:
    wanted, _, sub = entry.partition("/")
    return wanted in ("*", plural) and sub in ((subresource, "*") if subresource else ("", "*"))


@dataclass(frozen=True)
class Hook:
    """One webhook of one configuration."""

    key: str
    """Configuration and place in it; unique among the webhooks of one sort."""
    name: str
    mutating: bool
    rules: tuple[Rule, ...]
    namespaces: selectors.Match
    objects: selectors.Match
    conditions: tuple[tuple[str, Program | CelError], ...]
    client: dict[str, Any]
    """`clientConfig` as it is stored."""
    seconds: int
    """Time that one call may take."""
    fails_closed: bool
    """Whether a call that fails refuses the request."""
    equivalent: bool
    """Whether a rule also speaks of the same objects under another group or version."""
    reinvoked: bool
    """Whether a mutating webhook wants to see what later ones changed."""
    side_effects: str

    def target(self, rows: Sequence[Resource], subresource: str, operation: str) -> Resource | None:
        """The row under which the webhook wants to see the object; None when it does not.

        `rows` are the row of the request and then the others that show the same objects, see `Hooks.rows`.
        """
        for row in rows if self.equivalent else rows[:1]:
            if any(rule.matches(row, subresource, operation) for rule in self.rules):
                return row
        return None


def _rule(rule: dict[str, Any]) -> Rule:
    return Rule(
        frozenset(rule.get("operations") or ()),
        frozenset(rule.get("apiGroups") or ()),
        frozenset(rule.get("apiVersions") or ()),
        tuple(rule.get("resources") or ()),
        rule.get("scope", "*"),
    )


def _condition(text: str) -> Program | CelError:
    try:
        return compile_expression(text, VARIABLES)
    except CelError as problem:
        return problem


def _hook(config: Object, index: int, mutating: bool) -> Hook:
    hook = config["webhooks"][index]
    conditions = hook.get("matchConditions") or ()
    return Hook(
        f"{config['metadata']['name']}/{index}",
        hook["name"],
        mutating,
        tuple(_rule(rule) for rule in hook.get("rules") or ()),
        selectors.from_object(hook.get("namespaceSelector") or {}),
        selectors.from_object(hook.get("objectSelector") or {}),
        tuple((c.get("name", ""), _condition(c.get("expression", ""))) for c in conditions),
        hook.get("clientConfig") or {},
        hook.get("timeoutSeconds", 10),
        hook.get("failurePolicy", "Fail") == "Fail",
        hook.get("matchPolicy", "Equivalent") == "Equivalent",
        hook.get("reinvocationPolicy", "Never") == "IfNeeded",
        hook.get("sideEffects", "None"),
    )


@dataclass
class Hooks:
    """All webhooks in the order in which they are asked: by name of the configuration, then by place in it."""

    world: World
    mutating: list[Hook] = field(default_factory=list)
    validating: list[Hook] = field(default_factory=list)
    active: bool = False
    """Whether there is any webhook at all; nothing else needs to be looked at while there is none."""
    _interest: dict[tuple[str, str, str], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # A definition may bring another version of a resource, and a webhook may want to see objects in that one.
        for key in (*_KINDS, "apiextensions.k8s.io/customresourcedefinitions"):
            self.world.kind(key).listeners.append(self._changed)
        self._compile()

    def _changed(self, change: Change) -> None:
        del change
        self._compile()

    def _compile(self) -> None:
        for key, mutating in _KINDS.items():
            configs = [record.decode() for record in self.world.kind(key).ordered()]
            found = [_hook(c, i, mutating) for c in configs for i in range(len(c.get("webhooks") or ()))]
            if mutating:
                self.mutating = found
            else:
                self.validating = found
        self.active = bool(self.mutating or self.validating)
        self._interest.clear()

    def rows(self, resource: Resource) -> list[Resource]:
        """The row itself, then the rows of other groups or versions that show the same stored objects."""
        store = resource.stored_as or resource.key
        every = (*RESOURCES, *self.world.catalog.by_path.values())
        return [resource, *(r for r in every if r is not resource and (r.stored_as or r.key) == store)]

    def interested(self, method: str, resource: Resource, subresource: str) -> bool:
        """Whether a rule of any webhook speaks of such requests. Configurations themselves are never shown."""
        key = (method, resource.api_version + "/" + resource.plural, subresource)
        known = self._interest.get(key)
        if known is None:
            known = self._interest[key] = self._rules_match(method, resource, subresource)
        return known

    def _rules_match(self, method: str, resource: Resource, subresource: str) -> bool:
        operation = _OPERATIONS.get(method)
        if operation is None or resource.group == GROUP:
            return False
        # An apply is a PATCH that may create.
        operations = (operation, "CREATE") if method == "PATCH" else (operation,)
        every, rows = (*self.mutating, *self.validating), self.rows(resource)
        return any(hook.target(rows, subresource, o) for hook in every for o in operations)
