"""String formats of structural schemas that JSON schema does not know, or means something else by."""

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable

_SECONDS = {"ns": 1e-9, "us": 1e-6, "\u00b5s": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile("([0-9.]+)(ns|us|\u00b5s|ms|s|m|h)")
_DURATION = re.compile("[-+]?(([0-9]+[.]?[0-9]*|[.][0-9]+)(ns|us|\u00b5s|ms|s|m|h))+")
_MAC = re.compile("[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}")


def nanoseconds(text: str) -> int:
    """A length of time as Go writes it (`1h30m`), in nanoseconds. Raises ValueError."""
    if not _DURATION.fullmatch(text):
        raise ValueError(f"not a length of time: {text}")
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
    return round(seconds * 1e9) * (-1 if text.startswith("-") else 1)


def _parses(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def test(text: str) -> bool:
        try:
            parse(text)
        except (ValueError, binascii.Error):
            return False
        return True

    return test


FORMATS: dict[str, Callable[[str], bool]] = {
    "duration": _parses(nanoseconds),
    "cidr": lambda text: "/" in text and _parses(lambda t: ipaddress.ip_network(t, strict=False))(text),
    "mac": lambda text: _MAC.fullmatch(text) is not None,
    "byte": _parses(lambda text: base64.b64decode(text, validate=True)),
}
"""Tests by name; formats without one here are the validator's own, unknown ones hold for everything."""
