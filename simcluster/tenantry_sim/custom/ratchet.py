"""Whether the part of an object that a cause speaks of is the same before and after a change."""

import re
from typing import Any

from tenantry_sim.status import Cause
from tenantry_sim.store.records import Object

_STEP = re.compile(r"([^.\[\]]+)|\[([^\]]+)\]")
_MISSING = object()


def unchanged(cause: Cause, old: Object, new: Object) -> bool:
    """True when the value is there on both sides and equal. A missing member belongs to the object that lacks it."""
    steps = [name or index for name, index in _STEP.findall(cause.field)]
    if cause.reason == "FieldValueRequired":
        steps = steps[:-1]
    before, after = _at(old, steps), _at(new, steps)
    return before is not _MISSING and before == after


def _at(value: Any, steps: list[str]) -> Any:
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return _MISSING
    return value
