"""Files and functions stay small enough to be read in one go."""

import ast
from collections.abc import Iterator
from pathlib import Path

from repository import checks, relative, sources

FILE_LINES = 400
FUNCTION_LINES = 60

LONGER: dict[str, str] = {}
"""Exceptions: `path` or `path::function` -> why it is longer. Keep it empty; a line here wants a good reason."""


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Name and length in lines of every function, docstring and decorators included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            yield node.name, (node.end_lineno or first) - first + 1


def too_long() -> dict[str, int]:
    found = {}
    for path in [*sources(), *checks()]:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > FILE_LINES:
            found[relative(path)] = lines
        found.update({f"{relative(path)}::{n}": length for n, length in functions(path) if length > FUNCTION_LINES})
    return found


def test_nothing_is_too_long() -> None:
    found = too_long()
    assert {name: lines for name, lines in found.items() if name not in LONGER} == {}


def test_no_exception_is_out_of_date() -> None:
    assert set(LONGER) - set(too_long()) == set()
