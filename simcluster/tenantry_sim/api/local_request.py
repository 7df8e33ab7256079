"""A request that comes from inside the process: the members of an aiohttp request that the server looks at."""

import asyncio
from collections.abc import Mapping
from typing import Any

from multidict import CIMultiDict


class Line:
    """Stands for the connection."""

    def __init__(self) -> None:
        self.broken = False

    def abort(self) -> None:
        self.broken = True

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        del name
        return default


class LocalRequest:
    """One request. A watch hands its bytes to `pieces`, None at the end."""

    def __init__(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> None:
        self.method = method
        self.raw_path = target
        self.headers: CIMultiDict[str] = CIMultiDict(headers)
        self.transport = Line()
        self.content_length = len(body)
        self.can_read_body = bool(body)
        self.remote = "in-process"
        self.pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.head = asyncio.Event()
        """Set when the answer is a stream."""
        self._body = body

    async def read(self) -> bytes:
        """The body."""
        return self._body
