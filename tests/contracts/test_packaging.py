"""The wheel holds our packages and nothing else, and is built without a network."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from repository import ROOT, sources

NAMES = {
    "tenantry",
    "tenantry_core",
    "tenantry_sla",
    "tenantry_canary",
    "tenantry_telemetry",
    "tenantry_sim",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Names of the files in a freshly built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    result = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False, timeout=100)
    assert result.returncode == 0, result.stderr
    (built,) = Path(folder).glob("*.whl")
    return zipfile.ZipFile(built).namelist()


def test_top_level_names_are_ours(wheel: list[str]) -> None:
    names = {name.split("/")[0] for name in wheel}
    assert {name for name in names if not name.endswith(".dist-info")} == NAMES


def test_every_source_is_in_it(wheel: list[str]) -> None:
    ours = {path.relative_to(path.parents[_depth(path)]).as_posix() for path in sources()}
    assert ours - set(wheel) == set()


def test_types_and_licence_are_in_it(wheel: list[str]) -> None:
    assert {f"{name}/py.typed" for name in NAMES} <= set(wheel)
    assert any(name.endswith("licenses/LICENSE") for name in wheel)


def test_entry_points_are_in_it(wheel: list[str]) -> None:
    assert any(name.endswith("entry_points.txt") for name in wheel)


def _depth(path: Path) -> int:
    """How far up the folder is that holds the import package."""
    return len(path.relative_to(ROOT).parts) - 2
