"""Options, outputs and refusals of `tenantry bench engine`."""

import builtins
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tenantry.bench.workloads import WORKLOADS
from tenantry.cli.main import call

FIELDS = [
    "workload",
    "nodes",
    "pods",
    "decisions_per_second",
    "p50_us",
    "p99_us",
    "cpu_seconds_per_1000_pods",
    "peak_memory_bytes",
    "yardstick_per_second",
    "ratio",
]
TINY = ["bench", "engine", "--nodes", "10", "--pods", "5"]


def test_json_has_exactly_the_fields(capsys: pytest.CaptureFixture[str]) -> None:
    assert call([*TINY, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == FIELDS
    assert (found["workload"], found["nodes"], found["pods"]) == ("SchedulingBasic", 10, 5)
    assert all(found[field] > 0 for field in FIELDS[1:])


def test_text_has_a_line_and_says_what_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert call([*TINY, "--workload", "TopologySpreading", "--seed", "3", "--repeat", "3"]) == 0
    text = capsys.readouterr().out
    assert "TopologySpreading" in text
    assert "not amortised" in text


@pytest.mark.slow
def test_all_gives_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert call([*TINY, "--workload", "all", "--json"]) == 0
    assert [found["workload"] for found in json.loads(capsys.readouterr().out)] == list(WORKLOADS)


def test_plot_is_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert call([*TINY, "--plot", str(tmp_path / "bench.png")]) == 0
    assert (tmp_path / "bench.png").read_bytes().startswith(b"\x89PNG")


def test_plot_without_the_library_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def absent(name: str, *args: Any, **more: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.delitem(sys.modules, "matplotlib", raising=False)
    monkeypatch.setattr(builtins, "__import__", absent)
    assert call([*TINY, "--plot", str(tmp_path / "bench.png")]) == 3
    assert "pip install 'tenantry[dev]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        pytest.param(["--workload", "SchedulingBasics"], "Did you mean SchedulingBasic?", id="near-miss"),
        pytest.param(["--workload", "topologyspreading"], "Did you mean TopologySpreading?", id="letter-case"),
        pytest.param(["--workload", "zzz"], "There are SchedulingBasic", id="nothing-near"),
        pytest.param(["--workload", "MultiTenantFairShare"], "cannot run yet", id="later-step"),
        pytest.param(["--plot", "no/such/folder/x.png"], "no folder", id="plot-folder"),
    ],
)
def test_refusals(options: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call([*TINY, *options]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--nodes", "--pods", "--repeat"])
@pytest.mark.parametrize("value", ["0", "-1", "many"])
def test_numbers_are_positive(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        call([*TINY, option, value])
    assert stopped.value.code == 2
    assert option in capsys.readouterr().err
