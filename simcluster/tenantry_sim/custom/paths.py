"""The subset of JSONPath that printer columns use: members, indexes, `*`, and filters by equality."""

import re
from collections.abc import Callable
from typing import Any

_STEP = re.compile(
    r"""\.(?P<name>(?:\\.|[^.\[\\])+)            # .name, with escaped dots
      | \[(?P<index>-?\d+)\]                      # [0]
      | \[(?P<all>\*)\]                           # [*]
      | \[['"](?P<quoted>[^'"]+)['"]\]            # ['name']
      | \[\?\(@\.(?P<key>[^=\s)]+)\s*==\s*["']?(?P<value>[^"')]*)["']?\)\]   # [?(@.type=="Ready")]
    """,
    re.VERBOSE,
)
Read = Callable[[Any], list[Any]]


class PathError(Exception):
    """A path outside the subset."""


def compile_path(text: str) -> Read:
    """A function from an object to everything that the path matches. Raises PathError."""
    bare = text.strip().removeprefix("{").removesuffix("}").removeprefix("$")
    if not bare.startswith((".", "[")):
        raise PathError(f"path {text!r} must start with a dot")
    steps: list[Callable[[Any], list[Any]]] = []
    at = 0
    while at < len(bare):
        match = _STEP.match(bare, at)
        if match is None:
            raise PathError(f"cannot read path {text!r} at {bare[at:]!r}")
        steps.append(_step(match))
        at = match.end()

    def read(value: Any) -> list[Any]:
        found = [value]
        for step in steps:
            found = [inner for item in found for inner in step(item)]
        return found

    return read


def _step(match: re.Match[str]) -> Read:
    facts = match.groupdict()
    if facts["all"] or facts["name"] == "*":
        return lambda v: list(v) if isinstance(v, list) else list(v.values()) if isinstance(v, dict) else []
    if facts["index"] is not None:
        index = int(facts["index"])
        return lambda v: [v[index]] if isinstance(v, list) and -len(v) <= index < len(v) else []
    if facts["key"]:
        keys, wanted = facts["key"].split("."), facts["value"]
        return lambda v: [i for i in v if _at(i, keys) == wanted] if isinstance(v, list) else []
    name = facts["quoted"] or re.sub(r"\\(.)", r"\1", facts["name"])
    return lambda v: [v[name]] if isinstance(v, dict) and name in v else []


def _at(value: Any, keys: list[str]) -> str | None:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)
