"""A backlog of the size that is promised: 5,000 pods on 5,000 nodes, over HTTP, against a server in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "cluster_drain.py"


@pytest.mark.slow
def test_no_pod_twice_none_lost_no_node_overcommitted() -> None:
    """The script checks the outcome pod by pod; how fast it was is for the benchmark to say."""
    command = [sys.executable, str(SCRIPT), "--json", "--nodes", "5000", "--pods", "5000", "--raw", "100"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["problems"] == []
    assert (found["nodes"], found["pods"]) == (5000, 5000)
