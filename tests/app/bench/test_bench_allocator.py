"""The C allocator's settings are taken where there are any."""

import ctypes
import sys

import pytest

from tenantry.allocator import keep_freed_memory


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="the C library has no mallopt")
def test_settings_are_accepted() -> None:
    assert keep_freed_memory()


def test_another_system_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not keep_freed_memory()
