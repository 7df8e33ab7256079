"""The recorded preemption cases of kube-scheduler 1.36.2: same message, and an outcome that was seen there.

Upstream starts its search at random and leaves the order of pods that have not started to chance, so the recorded
outcome has to be among ours over the first few offsets.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from preemption_world import World

from tenantry_core.cycle.message import fit_message
from tenantry_core.cycle.preempt import Preemption
from tenantry_core.model.decode import from_builtins

DATA = Path(__file__).parents[2] / "data" / "preemption_cases.jsonl.gz"
CASES = [json.loads(line) for line in gzip.decompress(DATA.read_bytes()).decode().splitlines()]
STARTS = 6


def _pod(raw: dict[str, Any]) -> Any:
    raw["metadata"]["uid"] = raw["metadata"]["name"]
    return from_builtins("Pod", raw)


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_preemption_parity(case: dict[str, Any]) -> None:
    world = World(*(from_builtins("Node", n) for n in case["nodes"]))
    for kind, items in (("Namespace", case["namespaces"]), ("", case["objects"])):
        for item in items:
            world.cache.put(kind or item["kind"], from_builtins(kind or item["kind"], item))
    for raw in case["existing"]:
        world.cache.upsert_pod(_pod(raw))
    preemptor = _pod(case["pod"])
    diagnosis = world.diagnosis(preemptor)
    assert fit_message(diagnosis) == case["result"]["message"]
    found = Preemption(world.profile).outcomes(world.context(preemptor), diagnosis, STARTS)
    ours = {(r.nominated_node, frozenset(v.uid for v in r.victims)) for r in found}
    seen = {(a["nominatedNode"], frozenset(a["victims"])) for a in case["result"]["preemption"]}
    assert ours & seen
