"""Plain data to frozen dataclasses, strictly, with every error and its field path.

A field that is absent or null keeps its default. An unknown field, a wrong type or a value out of the range that the
field declares is an error; the rest of the object is read all the same, so that one run shows everything.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from tenantry_core.config.fields import Duration
from tenantry_core.config.problems import FieldError, join, nearest, one_of

T = TypeVar("T")

_DURATION = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)")
_PART = re.compile(r"([\d.]+)(\D+)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


class Wrong(Exception):
    """A value that can't be read; caught by the reader, which adds it to its list."""


class Reader:
    """Reads values and gathers what is wrong with them in `errors`."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []

    def refuse(self, path: str, message: str) -> None:
        """Add an error."""
        self.errors.append(FieldError(path, message))

    def mapping(self, raw: object, path: str) -> Mapping[str, Any]:
        """`raw` as an object with text keys; anything else is an error, and read as an empty object."""
        if not isinstance(raw, Mapping):
            self.refuse(path, f"must be an object, not {describe(raw)}")
            return {}
        strange = [key for key in raw if not isinstance(key, str)]
        for key in strange:
            self.refuse(join(path, str(key)), f"a field name must be text, not {describe(key)}")
        return {key: value for key, value in raw.items() if isinstance(key, str)}

    def known(self, raw: Mapping[str, Any], names: Mapping[str, Any], path: str) -> None:
        """Refuse every field of `raw` that is not in `names`, with the nearest one."""
        for key in raw:
            if key not in names:
                self.refuse(join(path, key), f"unknown field{nearest(key, names)}")

    def structure(self, kind: type[T], raw: object, path: str, skip: frozenset[str] = frozenset()) -> T:
        """Read a dataclass. Fields whose file name is in `skip` are the caller's own business."""
        given = self.mapping(raw, path)
        hints, declared = _shape(kind)
        self.known({key: None for key in given if key not in skip}, declared, path)
        values: dict[str, Any] = {}
        for name, declaration in declared.items():
            if name in skip or given.get(name) is None:
                continue
            where = join(path, name)
            before = len(self.errors)
            value = self.value(hints[declaration.name], given[name], where)
            if len(self.errors) == before:
                self._in_range(declaration, value, where)
            if value is not MISSING:
                values[declaration.name] = value
        return kind(**values)

    def value(self, hint: Any, raw: object, path: str) -> Any:
        """Read a value of the type `hint`; MISSING when it can't be read."""
        origin = get_origin(hint)
        if origin in (Union, types.UnionType):
            return self.value(next(a for a in get_args(hint) if a is not type(None)), raw, path)
        if is_dataclass(hint) and isinstance(hint, type):
            return self.structure(hint, raw, path)
        if origin is tuple:
            return self._list(get_args(hint)[0], raw, path)
        if origin is Mapping:
            return self._named(get_args(hint)[1], raw, path)
        try:
            return duration(raw) if hint is Duration else scalar(hint, raw)
        except Wrong as wrong:
            self.refuse(path, str(wrong))
            return MISSING

    def _list(self, hint: Any, raw: object, path: str) -> Any:
        if not isinstance(raw, list):
            self.refuse(path, f"must be a list, not {describe(raw)}")
            return MISSING
        read = [self.value(hint, item, f"{path}[{i}]") for i, item in enumerate(raw)]
        return tuple(item for item in read if item is not MISSING)

    def _named(self, hint: Any, raw: object, path: str) -> Any:
        given = self.mapping(raw, path)
        if hint is object:
            return given
        read = {key: self.value(hint, {} if item is None else item, join(path, key)) for key, item in given.items()}
        return {key: item for key, item in read.items() if item is not MISSING}

    def _in_range(self, declaration: Field[Any], value: Any, path: str) -> None:
        rule = declaration.metadata
        if "supported" in rule and value not in rule["supported"]:
            self.refuse(path, one_of(value, rule["supported"]))
        if "low" not in rule:
            return
        low, high = rule["low"], rule["high"]
        if value < low or (high is not None and value > high):
            wanted = f"at least {low}" if high is None else f"in the range {low} to {high}"
            self.refuse(path, f"must be {wanted}, not {value}")


def camel(name: str) -> str:
    """`max_skew` as `maxSkew`."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _shape(kind: type[Any]) -> tuple[dict[str, Any], dict[str, Field[Any]]]:
    return get_type_hints(kind), {camel(f.name): f for f in fields(kind)}


def describe(raw: object) -> str:
    """What a value is, in the words of an error."""
    match raw:
        case None:
            return "nothing"
        case Mapping():
            return "an object"
        case list():
            return "a list"
        case str():
            return f'the text "{raw[:60]}"'
        case bool():
            return "true" if raw else "false"
        case _:
            return str(raw)[:60]


def scalar(kind: type[Any], raw: object) -> Any:
    """A bool, int, float or str. Nothing is converted but a whole number to a float. Raises Wrong."""
    if kind is float and isinstance(raw, int) and not isinstance(raw, bool):
        return float(raw)
    if type(raw) is not kind or (isinstance(raw, float) and not math.isfinite(raw)):
        raise Wrong(f"must be {_KINDS[kind]}, not {describe(raw)}")
    return raw


def duration(raw: object) -> Duration:
    """Seconds of a text such as `1m30s`. Raises Wrong."""
    text = raw.removeprefix("-") if isinstance(raw, str) else ""
    if text == "0":
        return Duration(0.0)
    if not isinstance(raw, str) or not text or _DURATION.sub("", text):
        raise Wrong(f'must be a duration such as "15s" or "1m30s", not {describe(raw)}')
    total = sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
    return Duration(-total if raw.startswith("-") else total)
