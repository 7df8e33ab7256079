"""A test that is skipped or expected to fail says why."""

import ast
from collections.abc import Iterator
from pathlib import Path

from repository import checks, relative

MARKS = ("skip", "skipif", "xfail")


def silent_marks(path: Path) -> Iterator[str]:
    """Places that skip or expect a failure without a reason."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_mark(node.func):
            reason = any(k.arg == "reason" and _says(k.value) for k in node.keywords)
            positional = bool(node.args) and _name(node.func) != "skipif" and _says(node.args[0])
            if not reason and not positional:
                yield f"{relative(path)}:{node.lineno}"
        elif _is_mark(node) and id(node) not in called:
            yield f"{relative(path)}:{getattr(node, 'lineno', 0)}"


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""


def _is_mark(node: ast.AST) -> bool:
    """`pytest.skip`, `pytest.mark.skip` and their like."""
    if not isinstance(node, ast.Attribute) or node.attr not in MARKS:
        return False
    owner = node.value
    return (isinstance(owner, ast.Name) and owner.id == "pytest") or _name(owner) == "mark"


def _says(value: ast.expr) -> bool:
    return not (isinstance(value, ast.Constant) and not value.value)


def test_every_skip_has_a_reason() -> None:
    assert [where for path in checks() for where in silent_marks(path)] == []
