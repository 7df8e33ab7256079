"""Kubernetes quantities, parsed on our own so that they can serve as an oracle for other parsers.

Grammar: sign, digits with an optional point, then a binary suffix (Ki..Ei), a decimal one (n u m k M G T P E) or an
exponent (e3, E3). Values are exact: `fractions.Fraction`.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

PATTERN = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"
_SHAPE = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?:([eE][-+]?\d+)|(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]))?")
_SUFFIX: dict[str, Fraction] = {
    **{s: Fraction(10) ** p for s, p in {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12}.items()},
    "P": Fraction(10) ** 15,
    "E": Fraction(10) ** 18,
    **{s: Fraction(1024) ** (i + 1) for i, s in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))},
}
_BINARY = ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki")


class QuantityError(ValueError):
    """The text is no quantity."""


@lru_cache(maxsize=4096)
def _parse(text: str) -> Fraction:
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise QuantityError(f"quantities must match the regular expression '{PATTERN}'")
    sign, digits, exponent, suffix = match.groups()
    if exponent and abs(int(exponent[1:])) > 40:
        raise QuantityError("unable to parse quantity's suffix")
    value = Fraction(digits if not digits.endswith(".") else digits[:-1])
    value *= Fraction(10) ** int(exponent[1:]) if exponent else _SUFFIX.get(suffix or "", Fraction(1))
    return -value if sign == "-" else value


def parse(value: Any) -> Fraction:
    """The exact value of a quantity written as text or as a JSON number. Raises QuantityError."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise QuantityError(f"quantities must match the regular expression '{PATTERN}'")
    return _parse(str(value))


def format_like(value: Fraction, sample: str) -> str:
    """Write a value in the family of suffixes that `sample` uses, exact, without a fraction."""
    if sample.endswith("i"):
        for suffix in _BINARY:
            if value and (value / _SUFFIX[suffix]).denominator == 1:
                return f"{value / _SUFFIX[suffix]}{suffix}"
        if value.denominator == 1:
            return str(value)
    for suffix in ("E", "P", "T", "G", "M", "k"):
        if value and (value / _SUFFIX[suffix]).denominator == 1:
            return f"{value / _SUFFIX[suffix]}{suffix}"
    for suffix in ("", "m", "u", "n"):
        scaled = value / _SUFFIX.get(suffix, Fraction(1))
        if scaled.denominator == 1:
            return f"{scaled}{suffix}"
    return f"{-((-value / _SUFFIX['n']) // 1)}n"


def add(into: dict[str, Fraction], more: Mapping[str, Any]) -> dict[str, Fraction]:
    """Add a resource list to a sum, in place, and return the sum."""
    for name, value in more.items():
        into[name] = into.get(name, Fraction(0)) + (value if isinstance(value, Fraction) else parse(value))
    return into
