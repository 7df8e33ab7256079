"""Policy rules of roles: one rule as it is compared, and whether rules cover one another."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tenantry_sim.access.attributes import Attributes


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """One entry of a role's `rules`."""

    verbs: frozenset[str]
    groups: frozenset[str] = frozenset()
    resources: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    urls: tuple[str, ...] = ()

    def allows(self, wish: Attributes) -> bool:
        """Whether the rule grants the wish. An empty set of names stands for every name."""
        if "*" not in self.verbs and wish.verb not in self.verbs:
            return False
        if wish.path:
            return any(_url_covers(url, wish.path) for url in self.urls)
        if "*" not in self.groups and wish.group not in self.groups:
            return False
        if not _resource_covers(self.resources, wish.resource, wish.subresource):
            return False
        return not self.names or wish.name in self.names

    def document(self) -> dict[str, Any]:
        """As reviews show it."""
        if self.urls:
            return {"verbs": sorted(self.verbs), "nonResourceURLs": list(self.urls)}
        found = {"verbs": self.verbs, "apiGroups": self.groups, "resources": self.resources}
        shown = {key: sorted(values) for key, values in found.items()}
        return {**shown, "resourceNames": sorted(self.names)} if self.names else shown


def _resource_covers(granted: frozenset[str], resource: str, subresource: str) -> bool:
    if "*" in granted:
        return True
    if not subresource:
        return resource in granted
    return f"{resource}/{subresource}" in granted or f"*/{subresource}" in granted


def _url_covers(granted: str, path: str) -> bool:
    return granted in ("*", path) or (granted.endswith("*") and path.startswith(granted[:-1]))


def read(rule: dict[str, Any]) -> PolicyRule:
    """A rule as it is stored."""
    return PolicyRule(
        frozenset(rule.get("verbs") or ()),
        frozenset(rule.get("apiGroups") or ()),
        frozenset(rule.get("resources") or ()),
        frozenset(rule.get("resourceNames") or ()),
        tuple(rule.get("nonResourceURLs") or ()),
    )


def _parts(rule: PolicyRule) -> Iterable[PolicyRule]:
    """The rule as rules for one verb, one resource and at most one name each."""
    for verb in sorted(rule.verbs):
        one = frozenset((verb,))
        for url in rule.urls:
            yield PolicyRule(one, urls=(url,))
        for group in sorted(rule.groups):
            for resource in sorted(rule.resources):
                for names in [frozenset((n,)) for n in sorted(rule.names)] or [frozenset[str]()]:
                    yield PolicyRule(one, frozenset((group,)), frozenset((resource,)), names)


def _held(part: PolicyRule, owned: Sequence[PolicyRule]) -> bool:
    (verb,) = part.verbs
    for rule in owned:
        if "*" not in rule.verbs and verb not in rule.verbs:
            continue
        if part.urls:
            if any(_url_covers(url, part.urls[0]) for url in rule.urls):
                return True
            continue
        (group,), (resource,) = part.groups, part.resources
        name, _, sub = resource.partition("/")
        if "*" not in rule.groups and group not in rule.groups:
            continue
        if resource not in rule.resources and not _resource_covers(rule.resources, name, sub):
            continue
        if not rule.names or (part.names and part.names <= rule.names):
            return True
    return False


def missing(wanted: Sequence[PolicyRule], owned: Sequence[PolicyRule]) -> list[PolicyRule]:
    """The smallest parts of `wanted` that `owned` does not cover."""
    return [part for rule in wanted for part in _parts(rule) if not _held(part, owned)]


def compact(rules: Sequence[PolicyRule]) -> list[PolicyRule]:
    """Single parts that differ in their verb only become one rule again, in order."""
    merged: dict[tuple[Any, ...], set[str]] = {}
    for rule in rules:
        merged.setdefault((rule.groups, rule.resources, rule.names, rule.urls), set()).update(rule.verbs)
    return [PolicyRule(frozenset(verbs), *key) for key, verbs in merged.items()]


def text(rule: PolicyRule) -> str:
    """The rule as refusals of an escalation write it."""

    def many(values: Iterable[str]) -> str:
        return "[" + " ".join(f'"{v}"' for v in sorted(values)) + "]"

    if rule.urls:
        return f"{{NonResourceURLs:{many(rule.urls)}, Verbs:{many(rule.verbs)}}}"
    names = f", ResourceNames:{many(rule.names)}" if rule.names else ""
    return f"{{APIGroups:{many(rule.groups)}, Resources:{many(rule.resources)}{names}, Verbs:{many(rule.verbs)}}}"
