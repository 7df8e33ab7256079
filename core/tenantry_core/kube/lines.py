"""Cuts a body that arrives in pieces into lines, each byte copied at most twice."""

MAX_LINE = 64 << 20
"""Bytes of one line above which the stream is given up; an object in etcd is at most 1.5 MiB by default."""


class LineTooLong(ValueError):
    """A line grew beyond the limit without an end."""


class LineSplitter:
    """Feed chunks, get whole lines. The unfinished rest is kept as a list of pieces, so a long line costs no
    re-copying.
    """

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._pieces: list[bytes] = []
        self._held = 0
        self._limit = limit

    def feed(self, chunk: bytes) -> list[bytes]:
        """Lines that this chunk completes, without their line ends; empty lines are left out."""
        lines = chunk.split(b"\n")
        rest = lines.pop()
        if lines and self._pieces:
            self._pieces.append(lines[0])
            lines[0] = b"".join(self._pieces)
            self._pieces, self._held = [], 0
        if rest:
            self._pieces.append(rest)
            self._held += len(rest)
            if self._held > self._limit:
                raise LineTooLong(f"a line is longer than {self._limit} bytes")
        return [line for line in lines if line]

    def rest(self) -> bytes:
        """What came after the last line end."""
        return b"".join(self._pieces)
