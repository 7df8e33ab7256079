"""`tenantry plugins list`: order, weight and on or off come from the configuration, files from the folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tenantry.cli import exits
from tenantry.cli.main import call

PLUGIN = """
from tenantry_core.framework.simple import ScorePlugin

class Flat(ScorePlugin):
    version = "1.2"

    def name(self):
        return "Flat"

    def score(self, task, node):
        return 0.5
"""


def listing(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, dict[str, Any]]:
    assert call(["plugins", "list", "-o", "json", *argv]) == exits.DONE
    return {line["name"]: line for line in json.loads(capsys.readouterr().out)}


def test_the_default_profile_runs_every_built_in_plugin(capsys: pytest.CaptureFixture[str]) -> None:
    found = listing(capsys)
    assert len(found) >= 20
    assert {line["state"] for name, line in found.items() if line["origin"] == "built-in"} == {"on"}
    assert found["TaintToleration"]["weight"] == 3
    assert found["NodeAffinity"]["order"] < found["NodeResourcesFit"]["order"] < found["DefaultBinder"]["order"]


def test_configuration_and_folder_are_heeded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "plugins"
    folder.mkdir(mode=0o700)
    (folder / "flat.py").write_text(PLUGIN)
    (folder / "flat.py").chmod(0o600)
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: tenantry.io/v1alpha1\nkind: TenantryConfiguration\n"
        f"pluginsFolder: {{enabled: true, path: {folder}}}\n"
        "plugins: {ImageLocality: {enabled: false}, Flat: {weight: 5}}\n"
    )
    found = listing(capsys, "--config", str(config))
    assert (found["ImageLocality"]["state"], found["ImageLocality"]["order"]) == ("off", None)
    assert (found["Flat"]["version"], found["Flat"]["weight"], found["Flat"]["state"]) == ("1.2", 5, "on")
    assert call(["plugins", "list", "--config", str(config)]) == exits.DONE
    assert "Flat" in capsys.readouterr().out


def test_a_scheduler_that_does_not_answer_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["plugins", "list", "--scheduler", "http://127.0.0.1:9"]) == exits.FAULT
    assert "--scheduler" in capsys.readouterr().err
