"""The recorded volume cases of kube-scheduler 1.36.2: bound or not, how many nodes would do, and the message."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from volume_world import VolumeWorld

from tenantry_core.cycle.decision import Placement
from tenantry_core.cycle.message import fit_message
from tenantry_core.model.decode import from_builtins

DATA = Path(__file__).parents[2] / "data" / "volume_cases.jsonl.gz"
CASES = [json.loads(line) for line in gzip.decompress(DATA.read_bytes()).decode().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_volume_parity(case: dict[str, Any]) -> None:
    for raw in (*case["existing"], case["pod"]):
        raw["metadata"]["uid"] = raw["metadata"]["name"]
    world = VolumeWorld(
        *(from_builtins("Namespace", n) for n in case["namespaces"]),
        *(from_builtins("Node", n) for n in case["nodes"]),
        *(from_builtins(o["kind"], o) for o in case["objects"]),
        *(from_builtins("Pod", p) for p in case["existing"]),
    )
    decision, wanted = world.decide(from_builtins("Pod", case["pod"])), case["result"]
    if isinstance(decision, Placement):
        assert decision.feasible == wanted["feasibleNodes"]
        assert decision.feasible > 1 or decision.node == wanted["node"]
    else:
        assert wanted["node"] is None
        assert fit_message(decision.diagnosis) == wanted["message"]
