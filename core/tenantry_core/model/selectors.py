"""Label selectors compiled to a hashable form with one matching rule.

Source: apimachinery labels.Selector. A nil selector matches nothing, an empty one everything. Node selector terms add
Gt and Lt; an empty term matches nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tenantry_core.model.objects import LabelSelector, NodeSelectorTerm, SelectorRequirement

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


class SelectorError(ValueError):
    """A selector uses an operator or value outside the grammar."""


class Requirement(NamedTuple):
    """One condition on one label key; `values` is sorted."""

    key: str
    operator: str
    values: tuple[str, ...]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether a label map satisfies this condition."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case _:
                return self._compares(value)

    def _compares(self, value: str | None) -> bool:
        found, limit = as_integer(value), as_integer(self.values[0] if len(self.values) == 1 else None)
        if found is None or limit is None:
            return False
        return found > limit if self.operator == "Gt" else found < limit


class Selector(NamedTuple):
    """All requirements must hold. `nothing` marks the nil selector."""

    requirements: tuple[Requirement, ...]
    nothing: bool = False

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether a label map satisfies every requirement."""
        return not self.nothing and all(r.matches(labels) for r in self.requirements)

    @property
    def keys(self) -> tuple[str, ...]:
        """Label keys that decide the outcome."""
        return tuple(r.key for r in self.requirements)


NOTHING = Selector((), nothing=True)
EVERYTHING = Selector(())


def as_integer(text: str | None) -> int | None:
    """The integer a Gt or Lt comparison sees, or None where the text is not a 64-bit decimal."""
    if text is None or not text.isascii():
        return None
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not digits.isdigit():
        return None
    number = int(text)
    return number if -(1 << 63) <= number < (1 << 63) else None


def compile_requirement(raw: SelectorRequirement) -> Requirement:
    """Check one expression. Raises SelectorError for an unknown operator or a value list of the wrong size."""
    if raw.operator not in OPERATORS:
        raise SelectorError(f"operator: {raw.operator!r} is not one of {', '.join(OPERATORS)}")
    values = tuple(sorted(set(raw.values or ())))
    if raw.operator in ("In", "NotIn") and not values:
        raise SelectorError(f"values: must be given when operator is {raw.operator}")
    if raw.operator in ("Exists", "DoesNotExist") and values:
        raise SelectorError(f"values: must be empty when operator is {raw.operator}")
    return Requirement(raw.key, raw.operator, values)


def compile_selector(raw: LabelSelector | None) -> Selector:
    """Compile a label selector; None gives NOTHING, an empty one EVERYTHING."""
    if raw is None:
        return NOTHING
    found = [Requirement(k, "In", (v,)) for k, v in (raw.match_labels or {}).items()]
    found += [compile_requirement(r) for r in raw.match_expressions or ()]
    return Selector(tuple(sorted(found)))


def from_labels(labels: Mapping[str, str]) -> Selector:
    """The selector that wants every one of these labels."""
    return Selector(tuple(sorted(Requirement(k, "In", (v,)) for k, v in labels.items())))


def narrowed(selector: Selector, extra: tuple[Requirement, ...]) -> Selector:
    """A selector that also wants `extra`; NOTHING stays NOTHING."""
    if selector.nothing or not extra:
        return selector
    return Selector(tuple(sorted({*selector.requirements, *extra})))


class NodeTerm(NamedTuple):
    """A node selector term: label conditions and conditions on metadata.name, all of which must hold."""

    expressions: tuple[Requirement, ...]
    fields: tuple[Requirement, ...]

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Whether a node satisfies the term; an empty term satisfies nobody."""
        if not self.expressions and not self.fields:
            return False
        return all(r.matches(labels) for r in self.expressions) and all(
            r.matches({"metadata.name": name}) for r in self.fields
        )


def compile_node_term(raw: NodeSelectorTerm) -> NodeTerm:
    """Compile a node selector term. Raises SelectorError."""
    return NodeTerm(
        tuple(sorted(compile_requirement(r) for r in raw.match_expressions or ())),
        tuple(sorted(compile_requirement(r) for r in raw.match_fields or ())),
    )
