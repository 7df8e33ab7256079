"""A body that arrives in pieces is cut into the same lines wherever it is cut."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenantry_core.kube.lines import LineSplitter, LineTooLong


@settings(max_examples=200, deadline=None)
@given(lines=st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"\n", b"x"))), sizes=st.lists(st.integers(1, 7)))
def test_lines_do_not_depend_on_the_cuts(lines: list[bytes], sizes: list[int]) -> None:
    """Property: feeding any pieces gives the non-empty lines, in order, and keeps the rest."""
    body = b"".join(line + b"\n" for line in lines) + b"rest"
    splitter, out, at = LineSplitter(), [], 0
    cuts = iter(sizes)
    while at < len(body):
        size = next(cuts, 5)
        out += splitter.feed(body[at : at + size])
        at += size
    assert out == [line for line in lines if line]
    assert splitter.rest() == b"rest"


def test_endless_line_is_given_up() -> None:
    """A line beyond the limit is a fault, not endless memory."""
    splitter = LineSplitter(limit=10)
    splitter.feed(b"12345678")
    with pytest.raises(LineTooLong):
        splitter.feed(b"9012")
