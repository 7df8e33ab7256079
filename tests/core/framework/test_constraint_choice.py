"""Constraints are asked from the best node down; the first allowed one is taken."""

from __future__ import annotations

import numpy as np
import pytest
from plugin_samples import NotLast, cluster, context, guards

from tenantry_core.cycle.constraints import best_first, constraints_of, first_allowed, note_refused
from tenantry_core.cycle.decision import Diagnosis
from tenantry_core.framework.profile import profile_of
from tenantry_core.framework.simple_adapter import adapt


@pytest.mark.parametrize(
    ("totals", "cursor", "order"),
    [
        ([1, 5, 3], 0, [4, 7, 2]),
        ([5, 5, 5], 0, [2, 4, 7]),
        ([5, 5, 5], 4, [4, 7, 2]),
        ([5, 5, 5], 9, [2, 4, 7]),
        ([9, 1, 1], 5, [2, 7, 4]),
    ],
    ids=["by total", "ties in order", "ties from the cursor", "wrapped", "total before cursor"],
)
def test_best_first(totals: list[int], cursor: int, order: list[int]) -> None:
    assert best_first(np.array([2, 4, 7]), np.array(totals), cursor).tolist() == order


def test_the_first_allowed_row_is_taken() -> None:
    profile = profile_of("s", [(adapt(NotLast(), guards().make("NotLast")), 1)])
    constraints = constraints_of(profile)
    ctx = context(cluster())
    row, refused = first_allowed(constraints, ctx, [2, 1, 0])
    assert row == 1
    assert refused == [("NotLast", "node(s) refused by plugin NotLast", 2)]
    assert first_allowed(constraints, ctx, [2])[0] is None
    assert first_allowed((), ctx, [2]) == (2, [])


def test_refusals_end_up_in_the_diagnosis() -> None:
    ctx = context(cluster())
    constraints = constraints_of(profile_of("s", [(adapt(NotLast(), guards().make("NotLast")), 1)]))
    _, refused = first_allowed(constraints, ctx, [2])
    diagnosis = Diagnosis(nodes=3)
    note_refused(diagnosis, refused, 3)
    (reason,) = diagnosis.reasons
    assert (reason.plugin, reason.rows.tolist(), reason.unresolvable) == ("NotLast", [False, False, True], True)
    assert diagnosis.plugins == {"NotLast"}
    assert diagnosis.unresolvable is not None
    assert diagnosis.unresolvable.tolist() == [False, False, True]
