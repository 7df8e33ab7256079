"""The Kubernetes quantity grammar, strictly, in integers.

Source: the resource.Quantity grammar of apimachinery: a signed decimal number with either a decimal exponent, a binary
suffix (Ki to Ei) or a decimal suffix (n, u, m, none, k to E). Fractions are rounded up, away from zero.
"""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import lru_cache

SATURATED = 1 << 62
"""Largest amount kept, in canonical units. Sums of a few of these still fit in int64 once clamped again."""

_GRAMMAR = re.compile(r"([+-]?)(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+|[KMGTPE]i|[numkMGTPE])?", re.ASCII)
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_EXACT = Context(prec=200)


class QuantityError(ValueError):
    """The text is not a quantity. The message quotes the text and names the grammar."""


@lru_cache(maxsize=8192)
def parse(text: str) -> Decimal:
    """Return the exact amount that `text` stands for.

    Raises QuantityError for anything outside the grammar, white space included.
    """
    found = _GRAMMAR.fullmatch(text) if len(text) <= 64 else None
    if found is None:
        raise QuantityError(
            f"{text[:64]!r} is not a quantity: want a number with an optional suffix such as m, k, Mi or e3"
        )
    sign, number, suffix = found.groups()
    amount = Decimal(number)
    if suffix in _BINARY:
        amount = _EXACT.multiply(amount, Decimal(1 << _BINARY[suffix]))
    elif suffix in _DECIMAL:
        amount = amount.scaleb(_DECIMAL[suffix], _EXACT)
    elif suffix:
        exponent = int(suffix[1:])
        if abs(exponent) > 60:
            raise QuantityError(f"{text!r} is not a quantity: the exponent is out of range")
        amount = amount.scaleb(exponent, _EXACT)
    return -amount if sign == "-" else amount


@lru_cache(maxsize=8192)
def units(text: str) -> int:
    """Whole units (bytes, counts), rounded up and saturated at ±SATURATED."""
    return _whole(parse(text))


@lru_cache(maxsize=8192)
def milli(text: str) -> int:
    """Thousandths (milli-CPU), rounded up and saturated at ±SATURATED."""
    return _whole(parse(text).scaleb(3, _EXACT))


def amount(resource: str, text: str | int) -> int:
    """Canonical integer of one resource: milli for cpu, whole units for everything else."""
    text = text if isinstance(text, str) else str(text)
    return milli(text) if resource == "cpu" else units(text)


def saturate(number: int) -> int:
    """Clamp a Python integer into the range that int64 columns can hold."""
    return max(-SATURATED, min(SATURATED, number))


def _whole(exact: Decimal) -> int:
    rounding = ROUND_CEILING if exact >= 0 else ROUND_FLOOR
    return saturate(int(exact.to_integral_value(rounding=rounding, context=_EXACT)))


def format_amount(resource: str, value: int) -> str:
    """Human text of a canonical amount: `250m`, `4`, `512Mi`."""
    if resource == "cpu":
        return str(value // 1000) if value % 1000 == 0 else f"{value}m"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        for suffix in ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki"):
            size = 1 << _BINARY[suffix]
            if value and value % size == 0:
                return f"{value // size}{suffix}"
    return str(value)
