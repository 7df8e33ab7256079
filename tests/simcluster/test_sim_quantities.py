"""The oracle's own quantities and selectors."""

from fractions import Fraction

import pytest

from tenantry_sim import quantities, selectors


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", Fraction(0)),
        ("100m", Fraction(1, 10)),
        ("1.5", Fraction(3, 2)),
        (".5", Fraction(1, 2)),
        ("1.", Fraction(1)),
        ("-2", Fraction(-2)),
        ("1Ki", Fraction(1024)),
        ("1.5Gi", Fraction(3 * 2**29)),
        ("2e3", Fraction(2000)),
        ("1E", Fraction(10**18)),
        ("3n", Fraction(3, 10**9)),
    ],
)
def test_quantity_values(text: str, value: Fraction) -> None:
    assert quantities.parse(text) == value


@pytest.mark.parametrize("text", ["", "abc", "1 ", "1KiB", "--1", "1e", "m", "1.2.3", "0x1"])
def test_no_quantities(text: str) -> None:
    with pytest.raises(quantities.QuantityError):
        quantities.parse(text)


@pytest.mark.parametrize(
    ("value", "sample", "text"),
    [
        (Fraction(1, 4), "200m", "250m"),
        (Fraction(3), "2", "3"),
        (Fraction(2**30), "512Mi", "1Gi"),
        (Fraction(0), "", "0"),
    ],
)
def test_quantity_texts(value: Fraction, sample: str, text: str) -> None:
    assert quantities.format_like(value, sample) == text


@pytest.mark.parametrize(
    ("selector", "labels", "matches"),
    [
        ("a=1", {"a": "1"}, True),
        ("a==1,b!=2", {"a": "1", "b": "2"}, False),
        ("a", {"a": ""}, True),
        ("!a", {"b": ""}, True),
        ("a in (x, y)", {"a": "y"}, True),
        ("a notin (x,y)", {}, True),
        ("a>5", {"a": "6"}, True),
        ("a<5", {"a": "x"}, False),
        ("a=", {"a": ""}, True),
    ],
)
def test_label_selectors(selector: str, labels: dict[str, str], matches: bool) -> None:
    match = selectors.parse_labels(selector)
    assert match is not None
    assert match(labels) is matches


@pytest.mark.parametrize("selector", ["=", "a===b", "a in", "a in (b", "a b", ",a", "a,"])
def test_broken_label_selectors(selector: str) -> None:
    with pytest.raises(selectors.SelectorError):
        selectors.parse_labels(selector)
