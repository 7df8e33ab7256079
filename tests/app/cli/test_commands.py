"""The command line: which command is meant, exit codes, what parity prints."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tenantry.cli import exits
from tenantry.cli.main import COMMANDS, call, usage

CASES = Path(__file__).parents[2] / "data" / "parity" / "cases.jsonl.gz"


def cases(count: int) -> list[dict[str, Any]]:
    with gzip.open(CASES, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line, _ in zip(lines, range(count), strict=False)]


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        pytest.param([], exits.USAGE, "usage:", id="nothing"),
        pytest.param(["--help"], exits.DONE, "usage:", id="help"),
        pytest.param(["version"], exits.DONE, "1.36", id="version"),
        pytest.param(["--version"], exits.DONE, "1.36", id="version flag"),
        pytest.param(["version", "--json"], exits.DONE, '"kubernetes": "1.36"', id="version json"),
        pytest.param(["parrity"], exits.USAGE, "Did you mean 'parity'", id="typing error"),
        pytest.param(["sim"], exits.USAGE, "Did you mean 'sim serve'", id="half a command"),
        pytest.param(["demo", "--nodes", "2"], exits.USAGE, "--nodes: must be 4 or more", id="too small a demo"),
        pytest.param(["parity", "--cases", "/nowhere"], exits.USAGE, "No such file", id="no such file"),
        pytest.param(["sim", "serve", "--nodes", "-1"], exits.USAGE, "nodes: must be 0 or more", id="bad setting"),
    ],
)
def test_exit_codes(argv: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(argv) == code
    out = capsys.readouterr()
    assert said in out.out + out.err


def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        with pytest.raises(SystemExit) as ended:
            call([*name.split(), "--help"])
        assert ended.value.code == 0
        assert f"usage: tenantry {name}" in capsys.readouterr().out
        assert name in usage()


def test_parity_ends_with_agreement_over_total(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(json.dumps(case) for case in cases(5)))
    assert call(["parity", "--cases", str(file)]) == exits.DONE
    assert capsys.readouterr().out.splitlines()[-1] == "5/5"


def test_parity_names_what_disagrees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = cases(2)
    bad["result"]["feasibleNodes"] = 99
    file = tmp_path / "cases.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, (good, bad))).encode()))
    assert call(["parity", "--cases", str(file), "--json"]) == exits.NO
    found = json.loads(capsys.readouterr().out)
    assert (found["agree"], found["total"]) == (1, 2)
    assert found["disagree"][bad["id"]][0].endswith("want 99")
    assert sum(c["total"] for c in found["by_category"].values()) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", "holds no cases", id="empty"),
        pytest.param("{not json", ":1: not a case", id="not json"),
        pytest.param('\n{"id": "x"}', ":2: fields missing: category, existing", id="fields missing"),
    ],
)
def test_a_bad_case_file_is_wrong_usage(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(text)
    assert call(["parity", "--cases", str(file)]) == exits.USAGE
    assert said in capsys.readouterr().err
