"""The text of the project speaks about itself alone: no machine's paths, no registry's host names."""

import re

from repository import relative, tracked

# Put together from parts, so that this file does not break its own rule.
FOLDERS = ("work", "root", "home", "Users", "opt/wheels", "opt/pypi")
HOSTS = (
    "pypi" + ".org",
    "pythonhosted" + ".org",
    "registry.npmjs" + ".org",
    "deb.debian" + ".org",
    "proxy.golang" + ".org",
)
MACHINE_PATH = re.compile(rf"(?<![\w.~$}}/-])/(?:{'|'.join(FOLDERS)})/\w")
HOST = re.compile("|".join(map(re.escape, HOSTS)))


def lines() -> list[tuple[str, str]]:
    """(`path:line`, text) of every tracked text file."""
    found = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [(f"{relative(path)}:{number}", line) for number, line in enumerate(text.splitlines(), start=1)]
    return found


def test_no_machine_path() -> None:
    assert [where for where, line in lines() if MACHINE_PATH.search(line)] == []


def test_no_registry_host() -> None:
    assert [where for where, line in lines() if HOST.search(line)] == []


def test_the_lock_pins_every_requirement_with_hashes() -> None:
    (lock,) = [path for path in tracked() if path.name == "requirements.lock"]
    entries = re.split(r"\n(?=[a-z0-9])", lock.read_text(encoding="utf-8"))
    pinned = [entry for entry in entries if not entry.startswith("#")]
    assert len(pinned) > 30
    assert [entry.split()[0] for entry in pinned if "==" not in entry or "--hash=sha256:" not in entry] == []
