"""Ends a call that hangs: `while True: pass`, a long sleep, a loop that swallows exceptions.

The call stays on its own thread. A watcher thread looks at what is running; once a call is past the limit it has the
main thread handle a signal whose handler raises, or, on any other thread, sets an asynchronous exception there. Only
code inside a call is ever interrupted. A call inside C code that never returns to the interpreter cannot be ended.
"""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

T = TypeVar("T")
HANG_SECONDS = 1.0
POLL_SECONDS = 0.05
IDLE_POLLS = 100
"""Polls without a call after which the watcher sleeps until the next one."""


class CallInterrupted(BaseException):
    """Raised inside a hanging call. Not an Exception, so that `except Exception` in a plugin does not stop it."""


class Watchdog:
    """Runs calls under a time limit. One instance serves all threads."""

    def __init__(self, limit: float = HANG_SECONDS) -> None:
        self._limit = limit
        # Real time on purpose: a hang is real whatever clock the scheduler was given.
        self._now = time.monotonic
        self._running: dict[int, float] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._watcher: threading.Thread | None = None
        self._main = threading.main_thread().ident or 0

    def call(self, work: Callable[[], T]) -> T:
        """Result of `work`, or CallInterrupted once it ran past the limit. Its exceptions pass through."""
        me = threading.get_ident()
        if me in self._running:
            return work()
        if self._watcher is None:
            self._start(me)
        try:
            self._running[me] = self._now()
            if not self._wake.is_set():
                self._wake.set()
            return work()
        finally:
            self._leave(me)

    def _leave(self, me: int) -> None:
        """Close the window in which an interrupt may land; one that is already on its way lands here."""
        try:
            if me == self._main:
                # No lock: the handler runs on this thread, so it sees the entry either there or gone.
                self._running.pop(me, None)
                return
            with self._lock:
                self._running.pop(me, None)
            # Gives an exception set just before the lock was taken the chance to be raised now, not later.
            time.sleep(0)
        except CallInterrupted:
            self._running.pop(me, None)
            raise

    def _start(self, me: int) -> None:
        with self._lock:
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="tenantry-watchdog", daemon=True)
                self._watcher.start()
        if me == self._main and hasattr(signal, "SIGVTALRM"):
            signal.signal(signal.SIGVTALRM, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        started = self._running.get(self._main)
        if started is not None and self._now() - started >= self._limit:
            raise CallInterrupted

    def _watch(self) -> None:
        idle = 0
        while True:
            idle = 0 if self._running else idle + 1
            if idle > IDLE_POLLS:
                self._wake.clear()
                if not self._running:
                    self._wake.wait()
                idle = 0
            time.sleep(POLL_SECONDS)
            self._interrupt_overdue()

    def _interrupt_overdue(self) -> None:
        with self._lock:
            now = self._now()
            for thread, started in list(self._running.items()):
                if now - started < self._limit:
                    continue
                if thread == self._main and hasattr(signal, "pthread_kill"):
                    signal.pthread_kill(thread, signal.SIGVTALRM)
                else:
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        ctypes.c_ulong(thread), ctypes.py_object(CallInterrupted)
                    )
