"""The two plugins, tried on real views of a small cluster."""

from __future__ import annotations

import pytest
from tenantry_example_plugins import CheapFirst, LicenceSeats

from tenantry_core.plugins.testing import node_view, task


@pytest.mark.parametrize(
    ("cost", "score"), [("0", 1.0), ("2", 0.5), ("4", 0.0), ("100", 0.0), ("-1", 1.0), ("much", 0.0), (None, 0.0)]
)
def test_cheap_first(cost: str | None, score: float) -> None:
    labels = {} if cost is None else {"example.com/hourly-cost": cost}
    plugin = CheapFirst.create({"dearest": 4})
    assert plugin.score(task(), node_view(labels=labels)) == score


@pytest.mark.parametrize("dearest", [0, -1, "4"])
def test_cheap_first_refuses_bad_arguments(dearest: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        CheapFirst.create({"dearest": dearest})


@pytest.mark.parametrize(
    ("seats", "licensed", "placed", "allowed"),
    [
        ("1", True, 0, True),
        ("1", True, 1, False),
        ("0", True, 0, False),
        (None, True, 0, False),
        ("x", True, 0, False),
        (None, False, 5, True),
    ],
)
def test_licence_seats(seats: str | None, licensed: bool, placed: int, allowed: bool) -> None:
    labels = {} if seats is None else {"example.com/licence-seats": seats}
    pod = task(labels={"example.com/licensed": "true"} if licensed else {})
    assert (LicenceSeats().allows(pod, node_view(labels=labels, pods=[{}] * placed)) is True) is allowed
