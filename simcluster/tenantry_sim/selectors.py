"""Label and field selectors of list, watch and deletecollection, and label selectors inside objects."""

import re
from collections.abc import Callable, Mapping
from typing import Any

Match = Callable[[Mapping[str, str]], bool]

_TOKEN = re.compile(r"\s*(\(|\)|,|!=|==|=|!|<|>|[^\s(),!=<>]+)")


class SelectorError(ValueError):
    """The selector does not parse; the text says why."""


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    stripped = text.rstrip()
    while at < len(stripped):
        match = _TOKEN.match(stripped, at)
        if match is None:
            raise SelectorError(f"unable to parse requirement: found '{stripped[at:]}', expected: identifier")
        found.append(match.group(1))
        at = match.end()
    return found


_SYMBOLS = frozenset("(),=!<>") | {"!=", "=="}


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def word(self) -> str:
        token = self.take()
        if not token or token in _SYMBOLS:
            raise SelectorError(f"unable to parse requirement: found '{token}', expected: identifier")
        return token

    def values(self) -> frozenset[str]:
        if self.take() != "(":
            raise SelectorError("unable to parse requirement: found '', expected: '('")
        found = []
        while True:
            token = self.peek()
            if token in (",", ")"):
                found.append("")
            else:
                found.append(self.word())
            token = self.take()
            if token == ")":
                return frozenset(found)
            if token != ",":
                raise SelectorError(f"unable to parse requirement: found '{token}', expected: ',' or ')'")

    def requirement(self) -> Match:
        if self.peek() == "!":
            self.take()
            return _absent(self.word())
        key = self.word()
        operator = self.peek()
        if operator in ("", ","):
            return lambda labels: key in labels
        self.take()
        if operator in ("=", "==", "!="):
            value = "" if self.peek() in ("", ",") else self.word()
            return _equals(key, value) if operator != "!=" else _differs(key, value)
        if operator in ("in", "notin"):
            values = self.values()
            return _within(key, values) if operator == "in" else _without(key, values)
        if operator in ("<", ">"):
            return _compares(key, operator, self.word())
        raise SelectorError(f"unable to parse requirement: found '{operator}', expected: in, notin, =, ==, !=, >, <")


def _absent(key: str) -> Match:
    return lambda labels: key not in labels


def _equals(key: str, value: str) -> Match:
    return lambda labels: labels.get(key) == value


def _differs(key: str, value: str) -> Match:
    return lambda labels: labels.get(key) != value


def _within(key: str, values: frozenset[str]) -> Match:
    return lambda labels: labels.get(key) in values


def _without(key: str, values: frozenset[str]) -> Match:
    return lambda labels: labels.get(key) not in values


def _compares(key: str, operator: str, text: str) -> Match:
    try:
        bound = int(text)
    except ValueError:
        raise SelectorError(f"unable to parse requirement: values[0]: Invalid value: {text!r}") from None

    def match(labels: Mapping[str, str]) -> bool:
        try:
            value = int(labels.get(key, ""))
        except ValueError:
            return False
        return value < bound if operator == "<" else value > bound

    return match


def _all(parts: list[Match]) -> Match:
    if len(parts) == 1:
        return parts[0]
    return lambda labels: all(part(labels) for part in parts)


def parse_labels(text: str) -> Match | None:
    """The label selector of a query string; None when it selects everything. Raises SelectorError."""
    if not text.strip():
        return None
    parser, parts = _Parser(text), []
    while True:
        parts.append(parser.requirement())
        token = parser.take()
        if not token:
            return _all(parts)
        if token != ",":
            raise SelectorError(f"unable to parse requirement: found '{token}', expected: ',' or 'end of string'")


def parse_fields(text: str, known: frozenset[str]) -> Match | None:
    """The field selector of a query string over the `known` paths; None selects everything. Raises SelectorError."""
    parts: list[Match] = []
    for term in filter(None, (t.strip() for t in text.split(","))):
        path, operator, value = _split_field(term)
        if path not in known:
            raise SelectorError(f"field label not supported: {path}")
        parts.append(_field(path, value, operator == "!="))
    return _all(parts) if parts else None


def _split_field(term: str) -> tuple[str, str, str]:
    for operator in ("!=", "==", "="):
        if operator in term:
            path, value = term.split(operator, 1)
            return path.strip(), operator, value.strip()
    raise SelectorError(f"invalid selector: '{term}'; can't understand '{term}'")


def _field(path: str, value: str, negate: bool) -> Match:
    if negate:
        return lambda fields: fields.get(path, "") != value
    return lambda fields: fields.get(path, "") == value


def from_object(selector: Mapping[str, Any] | None) -> Match:
    """A `metav1.LabelSelector`: null matches nothing, an empty one everything."""
    if selector is None:
        return lambda labels: False
    parts: list[Match] = [_equals(k, v) for k, v in (selector.get("matchLabels") or {}).items()]
    for term in selector.get("matchExpressions") or ():
        key, values = term.get("key", ""), frozenset(term.get("values") or ())
        builders: dict[str, Match] = {
            "In": _within(key, values),
            "NotIn": _without(key, values),
            "Exists": lambda labels, key=key: key in labels,  # type: ignore[misc]
            "DoesNotExist": _absent(key),
        }
        if term.get("operator") not in builders:
            raise SelectorError(f"{term.get('operator')!r} is not a valid label selector operator")
        parts.append(builders[term["operator"]])
    return _all(parts) if parts else lambda labels: True


def to_text(selector: Mapping[str, Any] | None) -> str:
    """A `metav1.LabelSelector` written as a query string, as the scale subresource reports it."""
    terms = [f"{k}={v}" for k, v in sorted(((selector or {}).get("matchLabels") or {}).items())]
    for term in (selector or {}).get("matchExpressions") or ():
        values = ",".join(sorted(term.get("values") or ()))
        key = term.get("key", "")
        form = {"In": f"{key} in ({values})", "NotIn": f"{key} notin ({values})", "Exists": key}
        terms.append(form.get(term.get("operator", ""), f"!{key}"))
    return ",".join(terms)
