"""Every package and module says what it is for."""

import ast

from repository import relative, sources


def test_every_module_opens_with_a_docstring() -> None:
    silent = [
        relative(path) for path in sources() if ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) is None
    ]
    assert silent == []
