"""Reading stages from YAML."""

from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import yaml

from tenantry_sim.stages.model import Stage


class _Row(msgspec.Struct, forbid_unknown_fields=True):
    """One stage as it is written."""

    name: str
    when: str
    to: str
    after: float = 0.0
    annotation: str = ""
    has: list[str] = msgspec.field(default_factory=list)
    unless: list[str] = msgspec.field(default_factory=list)
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    doublesTo: float = 0.0  # noqa: N815 - members of the file are in camel case
    jitter: float = 0.0
    times: int = 0


class _File(msgspec.Struct, forbid_unknown_fields=True):
    stages: list[_Row]


def parse(text: str) -> tuple[Stage, ...]:
    """Stages of a document `stages: [...]`. Raises ValueError with what is wrong."""
    try:
        document: Any = yaml.safe_load(text)
        rows = msgspec.convert(document, _File).stages
    except (yaml.YAMLError, msgspec.ValidationError) as problem:
        raise ValueError(f"stages: {problem}") from None
    found = tuple(_stage(row) for row in rows)
    problems = [p for i, stage in enumerate(found) for p in stage.problems(f"stages[{i}]")]
    if problems:
        raise ValueError("; ".join(problems))
    return found


def _stage(row: _Row) -> Stage:
    return Stage(
        row.name,
        row.when,
        row.to,
        row.after,
        row.annotation,
        tuple(row.has),
        tuple(row.unless),
        row.labels,
        row.doublesTo,
        row.jitter,
        row.times,
    )


def load(path: str | Path) -> tuple[Stage, ...]:
    """Stages of a file. Raises OSError, and ValueError with what is wrong."""
    return parse(Path(path).read_text())


@lru_cache(maxsize=1)
def default_stages() -> tuple[Stage, ...]:
    """The stages that come with the package."""
    return parse(resources.files(__package__).joinpath("default.yaml").read_text())
