"""Stages from YAML: what a file may say, and what is said about a bad one."""

from pathlib import Path

import pytest

from tenantry_sim.__main__ import main
from tenantry_sim.stages import Stage, default_stages, load
from tenantry_sim.stages.load import parse


def test_the_default_file_comes_with_the_package() -> None:
    names = [stage.name for stage in default_stages()]
    assert names == sorted(set(names), key=names.index)
    assert {"start", "crash", "restart", "grant", "resize", "stop"} <= set(names)


def test_every_member_is_read(tmp_path: Path) -> None:
    file = tmp_path / "stages.yaml"
    file.write_text(
        "stages: [{name: a, when: ready, to: Crashed, after: 2, annotation: x/y, has: [h], unless: [u], "
        "labels: {k: v}, doublesTo: 8, jitter: 1, times: 3}]"
    )
    assert load(file) == (Stage("a", "ready", "Crashed", 2, "x/y", ("h",), ("u",), {"k": "v"}, 8, 1, 3),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("stages: [", "stages: while parsing", id="not YAML"),
        pytest.param("{}", "missing required field `stages`", id="no stages"),
        pytest.param("stages: [{name: a, when: ready}]", "missing required field `to`", id="no target"),
        pytest.param(
            "stages: [{name: a, when: ready, to: Ready, wait: 1}]", "unknown field `wait`", id="unknown member"
        ),
        pytest.param("stages: [{name: a, when: never, to: Ready}]", "stages[0].when: unknown value 'never'", id="when"),
        pytest.param(
            "stages: [{name: a, when: ready, to: Ready, after: -1}]",
            "stages[0].after_seconds: must be 0",
            id="negative",
        ),
    ],
)
def test_bad_file(text: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError) as told:
        parse(text)
    assert problem in str(told.value)
    file = tmp_path / "stages.yaml"
    file.write_text(text)
    assert main(["--stages", str(file)]) == 2
    assert problem in capsys.readouterr().err
