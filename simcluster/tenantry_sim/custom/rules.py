"""CEL rules of a structural schema (`x-kubernetes-validations`)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tenantry_sim.cel import CelError, Program, compile_expression
from tenantry_sim.custom.celview import view
from tenantry_sim.status import Cause

Schema = Mapping[str, Any]

_OLD = re.compile(r"\boldSelf\b")
_WORDS = {
    "FieldValueInvalid": "Invalid value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueRequired": "Required value",
    "FieldValueDuplicate": "Duplicate value",
}
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Rule:
    """One compiled rule."""

    program: Program
    text: str
    message: str
    message_program: Program | None
    reason: str
    field: str
    transition: bool
    """Whether it speaks of the value before the change."""
    optional_old: bool
    """Whether it also runs on create, with an empty optional for the value before."""


def compile_rule(row: Mapping[str, Any]) -> Rule:
    """Compile one entry of `x-kubernetes-validations`. Raises CelError."""
    text, optional = str(row.get("rule", "")), bool(row.get("optionalOldSelf"))

    def ready(expression: str) -> Program:
        if not optional:
            return compile_expression(expression)
        old = "size(old) == 0 ? optional.none() : optional.of(old[0])"
        return compile_expression(f"cel.bind(oldSelf, {old}, {expression})", ("self", "old"))

    about = row.get("messageExpression")
    return Rule(
        program=ready(text),
        text=text,
        message=str(row.get("message", "")).strip(),
        message_program=ready(about) if about else None,
        reason=str(row.get("reason", "FieldValueInvalid")),
        field=str(row.get("fieldPath", "")),
        transition=_OLD.search(text) is not None,
        optional_old=optional,
    )


class RuleTree:
    """The rules of one schema and of everything below it; None below a value without rules keeps walks short."""

    __slots__ = ("element", "fields", "keys", "rules", "schema")

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.rules = [compile_rule(row) for row in schema.get("x-kubernetes-validations") or ()]
        self.fields: dict[str, RuleTree] = {}
        self.element: RuleTree | None = None
        self.keys: tuple[str, ...] = tuple(schema.get("x-kubernetes-list-map-keys") or ())
        for name, inner in (schema.get("properties") or {}).items():
            self._keep(name, RuleTree(inner))
        below = schema.get("items") or schema.get("additionalProperties")
        if isinstance(below, Mapping):
            tree = RuleTree(below)
            self.element = None if tree.empty else tree

    @property
    def empty(self) -> bool:
        return not self.rules and not self.fields and self.element is None

    def _keep(self, name: str, tree: "RuleTree") -> None:
        if not tree.empty:
            self.fields[name] = tree

    def causes(self, value: Any, old: Any = _MISSING, path: str = "") -> Iterator[Cause]:
        """Every rule that does not hold; `old` is the value before an update."""
        if value is None:
            return
        if self.rules:
            yield from self._own(value, old, path)
        if isinstance(value, dict):
            before = old if isinstance(old, dict) else {}
            for name, inner in value.items():
                tree = self.fields.get(name) or (self.element if not self.schema.get("items") else None)
                if tree is not None:
                    below = f"{path}.{name}" if path else name
                    if name not in self.fields:
                        below = f"{path}[{name}]"
                    yield from tree.causes(inner, before.get(name, _MISSING), below)
        elif isinstance(value, list) and self.element is not None:
            known = self._by_key(old)
            for i, item in enumerate(value):
                yield from self.element.causes(item, known.get(self._key(item), _MISSING), f"{path}[{i}]")

    def _key(self, item: Any) -> Any:
        return tuple(item.get(key) for key in self.keys) if self.keys and isinstance(item, dict) else None

    def _by_key(self, old: Any) -> dict[Any, Any]:
        """Entries of the list before; only a list that is a map lets its entries be told apart."""
        return {self._key(item): item for item in old} if self.keys and isinstance(old, list) else {}

    def _own(self, value: Any, old: Any, path: str) -> Iterator[Cause]:
        values = {"self": view(value, self.schema)}
        known = old is not _MISSING and old is not None
        if known:
            values["oldSelf"] = view(old, self.schema)
        values["old"] = [values["oldSelf"]] if known else []
        for rule in self.rules:
            if rule.transition and not known and not rule.optional_old:
                continue
            cause = _broken(rule, values, path)
            if cause is not None:
                yield cause


def _broken(rule: Rule, values: Mapping[str, Any], path: str) -> Cause | None:
    try:
        if rule.program.evaluate(values) is True:
            return None
        text = rule.message or f"failed rule: {rule.text}"
        if rule.message_program is not None:
            text = _message(rule.message_program, values) or text
    except CelError as problem:
        text = f"rule evaluation error: {problem} evaluating rule: {rule.message or rule.text}"
        return Cause("FieldValueInvalid", f"Invalid value: {text}", path)
    return Cause(rule.reason, f"{_WORDS.get(rule.reason, 'Invalid value')}: {text}", path + rule.field)


def _message(program: Program, values: Mapping[str, Any]) -> str:
    try:
        return str(program.evaluate(values)).strip()
    except CelError:
        return ""
