"""The layer contract is complete, and the light parts are light when they are really imported."""

import configparser
import subprocess
import sys

import pytest
from repository import ROOT

HEAVY = ("numpy", "aiohttp", "kubernetes", "grpc", "opentelemetry", "prometheus_client", "rich", "logging_loki")


def test_every_package_of_ours_is_a_root_of_the_contract() -> None:
    contract = configparser.ConfigParser()
    contract.read(ROOT / ".importlinter")
    ours = {path.parent.name for path in ROOT.glob("*/tenantry*/__init__.py")}
    assert set(contract["importlinter"]["root_packages"].split()) == ours


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        pytest.param("tenantry_telemetry.api", HEAVY, id="recorder-protocols"),
        pytest.param("tenantry_core.model", tuple(set(HEAVY) - {"numpy"}), id="model"),
        pytest.param("tenantry_core.config", tuple(set(HEAVY) - {"numpy"}), id="config"),
    ],
)
def test_importing_pulls_in_nothing_heavy(module: str, unwanted: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print(*sorted(set({unwanted!r}) & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout.split() == []
