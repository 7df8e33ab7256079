"""Exit codes, and the exception that ends a command with one."""

from __future__ import annotations

DONE = 0
NO = 1
USAGE = 2
FAULT = 3


class CommandFailed(Exception):
    """Ends a command with a message on standard error."""

    def __init__(self, message: str, code: int = FAULT) -> None:
        super().__init__(message)
        self.code = code
