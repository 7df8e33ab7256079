"""Tells the C allocator to keep what is freed, instead of giving it back to the operating system at once.

NumPy asks for a temporary of some tens of kilobytes for almost every operation on a column. With glibc's defaults such
a block, when it lies at the end of the heap or is larger than 128 KiB, goes back to the system when it is freed and is
fetched anew, page by page, for the next operation; that can take several times as long as the operation itself. Which
blocks this hits depends on chance, so figures jump from run to run.
"""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
"""Parameter numbers of glibc's mallopt(3)."""

KEPT = 64 << 20
"""Bytes of freed memory at the end of the heap that stay with the process."""
LARGE = 32 << 20
"""Bytes from which a block is fetched from the system by itself; glibc takes no larger value."""


def keep_freed_memory() -> bool:
    """Set it for this process, early. False where the C library has no such settings; nothing is lost but speed."""
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    settings = ((_TRIM_THRESHOLD, KEPT), (_TOP_PAD, KEPT // 4), (_MMAP_THRESHOLD, LARGE))
    taken = [mallopt(name, value) == 1 for name, value in settings]  # each is to be set, whatever the others say
    return all(taken)
