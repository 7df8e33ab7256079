"""Every change has a fragment, named and worded as changelog.d/README.md says."""

import re

from repository import ROOT

FRAGMENTS = sorted(path for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md")


def test_there_are_fragments() -> None:
    assert FRAGMENTS != []


def test_fragments_are_named_properly() -> None:
    assert [path.name for path in FRAGMENTS if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\.md", path.name)] == []


def test_fragments_are_short_sentences() -> None:
    texts = {path.name: path.read_text(encoding="utf-8").strip() for path in FRAGMENTS}
    wordy = [name for name, text in texts.items() if not text.endswith(".") or not 20 <= len(text) <= 600]
    assert wordy == []
