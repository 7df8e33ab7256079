"""The last question before a node is taken: constraints, asked from the best node down until one may be taken.

Without constraints in a profile none of this is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from tenantry_core.cycle.decision import Diagnosis, Reason
from tenantry_core.framework.columns import IntArray
from tenantry_core.framework.constraint import Constraint
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.profile import Profile


class Refused(NamedTuple):
    """A node that a constraint would not let the pod take."""

    plugin: str
    text: str
    row: int


def constraints_of(profile: Profile) -> tuple[Constraint, ...]:
    """Constraints of a profile, in its order; work them out once for each profile."""
    return tuple(p for p in profile.plugins if isinstance(p, Constraint))


def best_first(rows: IntArray, totals: IntArray, cursor: int) -> IntArray:
    """Rows by total, highest first; equal ones begin at the first row from `cursor` on and wrap round."""
    turned = np.where(rows >= cursor, 0, 1)
    return rows[np.lexsort((rows, turned, -totals))]


def first_allowed(
    constraints: tuple[Constraint, ...], ctx: CycleContext, rows: Iterable[int]
) -> tuple[int | None, list[Refused]]:
    """The first of `rows` that no constraint refuses, None where there is none, and the refusals on the way."""
    refused: list[Refused] = []
    for row in rows:
        found = _refusal(constraints, ctx, int(row))
        if found is None:
            return int(row), refused
        refused.append(found)
    return None, refused


def note_refused(diagnosis: Diagnosis, refused: Sequence[Refused], size: int) -> None:
    """Add refusals to a diagnosis, `size` rows long. They count as incurable: no preemption for a node not allowed."""
    by_reason: dict[tuple[str, str], list[int]] = {}
    for plugin, text, row in refused:
        by_reason.setdefault((plugin, text), []).append(row)
    for (plugin, text), rows in by_reason.items():
        mask = np.zeros(size, dtype=np.bool_)
        mask[rows] = True
        diagnosis.reasons.append(Reason(plugin, text, mask, True))
        diagnosis.unresolvable = mask if diagnosis.unresolvable is None else diagnosis.unresolvable | mask
    diagnosis.plugins |= {plugin for plugin, _ in by_reason}


def _refusal(constraints: tuple[Constraint, ...], ctx: CycleContext, row: int) -> Refused | None:
    for constraint in constraints:
        text = constraint.constrain(ctx, row)
        if text is not None:
            return Refused(constraint.name, text, row)
    return None
