"""What the contract tests look at: the repository's folders and files."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("app", "core", "sla_guard", "canary", "telemetry", "simcluster")


def sources() -> list[Path]:
    """Every Python file of the packages."""
    return sorted(path for folder in PACKAGES for path in (ROOT / folder).rglob("*.py"))


def checks() -> list[Path]:
    """Every Python file of the tests and benchmarks."""
    return sorted(path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))


def tracked() -> list[Path]:
    """Every file under version control, or every source and test where there is no checkout."""
    found = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode:
        return [*sources(), *checks()]
    return [path for name in found.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def relative(path: Path) -> str:
    """A path as a person would write it."""
    return path.relative_to(ROOT).as_posix()
