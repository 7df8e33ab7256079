"""Every recorded case of kube-scheduler 1.36.2 is decided the same way here."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tenantry.parity.replay import disagreements

RECORDED = Path(__file__).parents[1] / "data" / "parity" / "cases.jsonl.gz"
COUNT = 589


def recorded() -> list[dict[str, Any]]:
    with gzip.open(RECORDED, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


CASES = recorded()


def test_every_recorded_case_is_here() -> None:
    assert len(CASES) == COUNT
    assert len({case["id"] for case in CASES}) == COUNT


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_decided_as_recorded(case: dict[str, Any]) -> None:
    assert disagreements(case) == []
