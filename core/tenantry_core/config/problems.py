"""A configuration error, and the small helpers that word one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple


class FieldError(NamedTuple):
    """One thing that is wrong, and where. `str()` gives `path: message`, which is what a user is shown."""

    path: str
    """Field path from the root of its document, as `profiles[0].plugins.score.enabled[1].weight`."""
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


def nearest(word: str, candidates: Iterable[str]) -> str:
    """`; did you mean "X"?` for the candidate most like `word`, whatever its case, or "" when none is near."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    found = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return f'; did you mean "{by_folded[found[0]]}"?' if found else ""


def one_of(value: str, supported: Iterable[str]) -> str:
    """Wording for a value outside a closed list."""
    listed = ", ".join(f'"{name}"' for name in supported)
    return f'unsupported value "{value}": supported values are {listed}'


def join(path: str, name: str) -> str:
    """Path of the field `name` of the object at `path`."""
    return f"{path}.{name}" if path else name
