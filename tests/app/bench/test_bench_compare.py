"""`benchmarks/compare.py`: ratios of two runs."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


def _result(workload: str, rate: float) -> dict[str, Any]:
    return {
        "workload": workload,
        "nodes": 100,
        "pods": 10,
        "decisions_per_second": rate,
        "p50_us": 20.0,
        "p99_us": 50.0,
        "cpu_seconds_per_1000_pods": 0.02,
        "peak_memory_bytes": 1000,
        "yardstick_per_second": 1000.0,
        "ratio": rate / 1000.0,
    }


def _compare(folder: Path, before: Any, after: Any) -> subprocess.CompletedProcess[str]:
    names = []
    for name, content in (("a.json", before), ("b.json", after)):
        (folder / name).write_text(json.dumps(content))
        names.append(str(folder / name))
    command = [sys.executable, str(ROOT / "benchmarks" / "compare.py"), *names]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_ratio_is_after_over_before(tmp_path: Path) -> None:
    done = _compare(tmp_path, _result("A", 1000.0), [_result("A", 1500.0), _result("B", 1.0)])
    assert done.returncode == 0
    assert done.stdout.splitlines()[1].split() == ["A", "100", "1.50", "1.50", "1.00", "1.00", "1.00", "1.00"]
    assert "B at 100 nodes is only in B" in done.stderr


def test_nothing_in_common_is_a_no(tmp_path: Path) -> None:
    assert _compare(tmp_path, _result("A", 1.0), _result("B", 1.0)).returncode == 1


def test_another_file_is_refused(tmp_path: Path) -> None:
    done = _compare(tmp_path, {"workload": "A"}, [])
    assert done.returncode == 2
    assert "not the output" in done.stderr
