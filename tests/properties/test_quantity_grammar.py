"""Quantities: what is in the grammar is read exactly, what is not is refused, and amounts survive being written."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tenantry_core.model.quantity import SATURATED, QuantityError, amount, format_amount, milli, parse, units

SUFFIXES = {
    "": Fraction(1),
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "k": Fraction(1000),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "Ti": Fraction(2**40),
    "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
    "e3": Fraction(1000),
    "E-3": Fraction(1, 1000),
    "e+2": Fraction(100),
}
whole = st.integers(0, 10**12)
decimals = st.text("0123456789", max_size=6)


def ceiling(exact: Fraction) -> int:
    return min(SATURATED, -(-exact.numerator // exact.denominator))


@given(whole, decimals, st.sampled_from(sorted(SUFFIXES)))
def test_read_exactly_and_rounded_up(number: int, digits: str, suffix: str) -> None:
    text = f"{number}.{digits}{suffix}" if digits else f"{number}{suffix}"
    exact = (number + Fraction(int(digits or 0), 10 ** len(digits))) * SUFFIXES[suffix]
    assert Fraction(parse(text)) == exact
    assert units(text) == ceiling(exact)
    assert milli(text) == ceiling(exact * 1000)
    assert units("-" + text) == -units(text)
    assert units("+" + text) == units(text)


@given(st.integers(0, SATURATED), st.sampled_from(["cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "a.b/c"]))
def test_an_amount_survives_being_written_and_read(value: int, resource: str) -> None:
    assert amount(resource, format_amount(resource, value)) == value


@given(st.integers(-(10**30), 10**30))
def test_numbers_without_quotes_are_read_like_text_and_never_wrap(number: int) -> None:
    found = amount("memory", number)
    assert found == amount("memory", str(number))
    assert abs(found) <= SATURATED
    assert (found > 0) == (number > 0)


@given(st.text(max_size=8))
@example("٣")
@example("1\n")
def test_what_is_read_consists_of_the_grammar_alone(text: str) -> None:
    try:
        parse(text)
    except QuantityError as error:
        assert "is not a quantity" in str(error)
    else:
        assert set(text) <= set("0123456789+-.eEinumkMGTPK")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1 ",
        " 1",
        "1 Gi",
        "1ki",
        "1KI",
        "1K",
        "1mi",
        "1Mib",
        "1.2.3",
        "--1",
        "1e",
        "1e1.5",
        "0x10",
        "1_000",
        ".",
        "+",
        "Gi",
        "1e99",
        "NaN",
        "Infinity",
        "1,5",
        "١",
        "1" * 65,
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(QuantityError):
        parse(text)


@pytest.mark.parametrize(
    ("resource", "text", "want"),
    [
        ("cpu", "1", 1000),
        ("cpu", "0.5", 500),
        ("cpu", "1n", 1),
        ("cpu", "100.1m", 101),
        ("cpu", "1k", 1_000_000),
        ("memory", "1Gi", 1 << 30),
        ("memory", "1G", 10**9),
        ("memory", "100m", 1),
        ("memory", "1.5Ki", 1536),
        ("memory", "128974848000m", 128_974_848),
        ("memory", ".5", 1),
        ("memory", "5.", 5),
        ("memory", "8Ei", SATURATED),
        ("cpu", "9223372036854775807", SATURATED),
        ("vendor.example/gpu", "2", 2),
    ],
)
def test_known_values(resource: str, text: str, want: int) -> None:
    assert amount(resource, text) == want
