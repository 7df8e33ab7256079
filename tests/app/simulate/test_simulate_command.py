"""`tenantry simulate`: exit codes, output, and that every wrong use is said in one line."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from dumps import as_list, limit_range, node, pod, quota, template, workload

from tenantry.cli import exits
from tenantry.cli.main import call

CLUSTER = (node("n1"), node("n2", zone="b"), pod("web-1", on="n1", owner="ReplicaSet/web"), quota({"pods": "20"}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cluster.json").write_bytes(as_list(*CLUSTER))
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all(CLUSTER))
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(workload(replicas=2)))
    (tmp_path / "large.yaml").write_text(yaml.safe_dump(workload(given=template("3"), replicas=4)))
    (tmp_path / "node.yaml").write_text(yaml.safe_dump(node("fresh", cpu="16")))
    (tmp_path / "broken.json").write_text('{"kind": "List",\n"items": [}')
    (tmp_path / "broken.yaml").write_text("kind: List\nitems: [\n")
    (tmp_path / "config.yaml").write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: Other\n")
    return tmp_path


def run(folder: Path, *arguments: str) -> int:
    return call(["simulate", *(str(folder / a) if "." in a else a for a in arguments)])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(["cluster.json"], exits.DONE, id="nothing-to-do"),
        pytest.param(["cluster.yaml"], exits.DONE, id="yaml"),
        pytest.param(["cluster.json", "--add", "small.yaml"], exits.DONE, id="fits"),
        pytest.param(["cluster.json", "--add", "large.yaml"], exits.NO, id="does-not-fit"),
        pytest.param(["cluster.json", "--add", "large.yaml", "--node-file", "node.yaml"], exits.DONE, id="node-file"),
        pytest.param(
            ["cluster.json", "--add", "large.yaml", "--add-nodes", "3", "--like", "n1"], exits.DONE, id="add-nodes"
        ),
        pytest.param(
            ["cluster.json", "--add", "large.yaml", "--add-nodes", "1", "--node-file", "node.yaml"],
            exits.DONE,
            id="clones-of-a-file",
        ),
        pytest.param(["cluster.json", "--drain", "n1"], exits.DONE, id="drain"),
        pytest.param(["cluster.json", "--drain", "n1,n2"], exits.NO, id="drain-all"),
        pytest.param(["cluster.json", "--shape", "cpu=1", "--shape", "small.yaml"], exits.DONE, id="shapes"),
        pytest.param(["cluster.json", "cluster.yaml"], exits.DONE, id="two-dumps"),
        pytest.param(["cluster.json", "--scheduler-name", "mine", "--add", "small.yaml"], exits.DONE, id="name"),
    ],
)
@pytest.mark.parametrize("form", ["table", "wide", "json"])
def test_answers(folder: Path, arguments: list[str], code: int, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, *arguments, "-o", form) == code
    said = capsys.readouterr().out
    if form == "json":
        assert json.loads(said)["fits"] == (code == exits.DONE)
    else:
        assert ("everything fits" in said, "not everything fits" in said) == (True, code != exits.DONE)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param([], "give either dumps", id="nothing"),
        pytest.param(["cluster.json", "--kubeconfig", "kube.conf"], "give either dumps", id="both"),
        pytest.param(["none.json"], "none.json: No such file", id="no-file"),
        pytest.param(["broken.json"], "broken.json: line 2: not JSON", id="broken-json"),
        pytest.param(["broken.yaml"], "line 3", id="broken-yaml"),
        pytest.param(["cluster.json", "--add", "none.yaml"], "No such file", id="no-workload-file"),
        pytest.param(["cluster.json", "--drain", "n1,n9"], "there is no node n9", id="no-such-node"),
        pytest.param(["cluster.json", "--add-nodes", "1", "--like", "n9"], "there is no node n9", id="no-such-like"),
        pytest.param(["cluster.json", "--add-nodes", "1"], "needs --like NODE or --node-file", id="like-nothing"),
        pytest.param(["cluster.json", "--like", "n1"], "--like needs --add-nodes", id="like-alone"),
        pytest.param(["cluster.json", "--add-nodes", "0", "--like", "n1"], "is not from 1 to", id="no-nodes"),
        pytest.param(["cluster.json", "--node-file", "small.yaml"], "holds no node", id="no-node-in-file"),
        pytest.param(["cluster.json", "--node-file", "cluster.yaml"], "has n1, n2 already", id="known-nodes"),
        pytest.param(["cluster.json", "--shape", "cpu=x"], "'x' is not a quantity", id="bad-shape"),
        pytest.param(["cluster.json", "--shape", "node.yaml"], "holds no pod and no workload", id="shape-of-nothing"),
        pytest.param(["cluster.json", "--limit", "0"], "is not above 0", id="no-limit"),
        pytest.param(["-", "--add", "-"], "standard input can be read once", id="stdin-twice"),
        pytest.param(["cluster.json", "--config", "config.yaml"], "1 error(s)", id="bad-configuration"),
    ],
)
def test_wrong_use(folder: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, *arguments) == exits.USAGE
    assert said in capsys.readouterr().err


def test_a_kubeconfig_that_is_not_there_is_a_fault(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--kubeconfig", "none.conf") == exits.FAULT
    assert "none.conf" in capsys.readouterr().err


def test_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(as_list(*CLUSTER))))
    assert run(folder, "-", "--json") == exits.DONE


def test_json_schema(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "limits.yaml").write_text(yaml.safe_dump(limit_range(default={"memory": "1Gi"})))
    run(folder, "cluster.json", "limits.yaml", "--add", "large.yaml", "--drain", "n1", "--json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["schema"] == "tenantry.io/simulate/v1alpha1"
    assert set(found) == {
        "schema", "fits", "summary", "pods", "no_place", "refused", "preemptions", "nodes_added", "drain", "capacity",
        "quota", "utilisation", "left_out", "notes",
    }  # fmt: skip
    assert found["summary"]["nodes"] == {"before": 2, "after": 1}
    assert found["utilisation"]["cluster"]["cpu"]["before"] == {"allocatable": 8000, "requested": 1000, "share": 0.125}
    assert set(found["utilisation"]["zones"]) == {"a", "b"}
    reason = found["no_place"][0]["reasons"][0]
    assert set(reason) >= {"text", "plugin", "nodes", "outlook", "examples"}


def test_wide_names_every_pod(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    run(folder, "cluster.json", "--add", "small.yaml", "-o", "wide")
    assert "shop/added-simulated-1" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--add", "large.yaml", "--drain", "n1"], []], ids=["busy", "quiet"])
def test_plot(folder: Path, arguments: list[str]) -> None:
    run(folder, "cluster.json", *arguments, "--plot", "out.png")
    assert (folder / "out.png").read_bytes().startswith(b"\x89PNG")


def test_a_plot_that_cannot_be_written_is_a_fault(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "cluster.json", "--plot", "no/such/out.png") == exits.FAULT
    assert "out.png: No such file" in capsys.readouterr().err
