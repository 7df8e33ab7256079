"""Isolation of plugins from outside: each has a breaker, a budget per call, and a watchdog over calls that hang.

State of a guard::

    CLOSED --3 failures in a row--> ISOLATED --after 30 s, one trial call--> CLOSED (it worked)
       |                               ^  |                              \\-> ISOLATED, for twice as long (it did not)
       |                               +--+
       +--a call hung--> UNLOADED (for good; a new version of the plugin gets a new guard)

A call is one question of the runner, over all the nodes it asks about. Built-in plugins run without a guard.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeVar

from tenantry_core.framework.watchdog import HANG_SECONDS, CallInterrupted, Watchdog
from tenantry_telemetry.api import NOOP_RECORDER, CycleRecorder

T = TypeVar("T")
Cause = Literal["raised", "range", "slow", "hung"]
_log = logging.getLogger(__name__)


class BadValueError(ValueError):
    """A plugin answered with a value outside its range or of a wrong kind."""


class GuardState(Enum):
    """Whether the plugin is asked."""

    CLOSED = "on"
    ISOLATED = "isolated"
    UNLOADED = "unloaded"


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """Limits of a guard."""

    budget_seconds: float = 0.1
    """Seconds one call may take; 0.1 because the loop stands still meanwhile. From `pluginBudgetMilliseconds`."""
    failures: int = 3
    """Failures in a row after which the plugin is isolated; one slip is forgiven."""
    retry_seconds: float = 30.0
    """Seconds from isolation to the first trial call; doubled after each trial that fails."""
    retry_limit_seconds: float = 600.0
    """Longest time between trial calls, seconds."""
    hang_seconds: float = HANG_SECONDS
    """Seconds after which a call is interrupted and its plugin unloaded."""


@dataclass
class Guards:
    """What all guards share, and the list of them."""

    monotonic: Callable[[], float] = time.monotonic
    """Seconds of the scheduler's clock; a function, because what decides knows nothing of clocks that can wait."""
    recorder: CycleRecorder = NOOP_RECORDER
    settings: GuardSettings = GuardSettings()
    on_change: Callable[[], None] | None = None
    """Called when a plugin was isolated, restored or unloaded, possibly in the middle of a decision: evaluations kept
    from before no longer hold, and pods that the plugin refused may be tried again."""

    def __post_init__(self) -> None:
        self.version = 0
        self.watchdog = Watchdog(self.settings.hang_seconds)
        self._guards: dict[str, Guard] = {}

    def make(self, name: str, required: bool = False) -> Guard:
        """A new guard; it takes the place of an older one of that name."""
        found = self._guards[name] = Guard(name, required, self)
        return found

    def drop(self, name: str) -> None:
        """Forget the guard of a plugin that is gone."""
        self._guards.pop(name, None)

    def get(self, name: str) -> Guard | None:
        """The guard of a plugin; None for one that has none."""
        return self._guards.get(name)

    def state(self, name: str) -> GuardState:
        """State of a plugin's guard; CLOSED for one that has none."""
        guard = self._guards.get(name)
        return GuardState.CLOSED if guard is None else guard.state

    def notes(self) -> list[str]:
        """One line for each plugin that is not asked at present, for the reasons of decisions and for logs."""
        return [g.text for g in self._guards.values() if g.state is not GuardState.CLOSED]

    def changed(self) -> None:
        """Note a change of state."""
        self.version += 1
        if self.on_change is not None:
            self.on_change()


class Guard:
    """The breaker of one plugin."""

    __slots__ = (
        "_failures",
        "_next_trial",
        "_shared",
        "_wait",
        "calls",
        "cause",
        "errors",
        "name",
        "required",
        "seconds",
        "state",
    )

    def __init__(self, name: str, required: bool, shared: Guards) -> None:
        self.name = name
        self.required = required
        """Whether an isolated filter or constraint refuses every node instead of being left out."""
        self.state = GuardState.CLOSED
        self.cause: Cause | None = None
        self.calls = 0
        self.errors = 0
        """Calls that failed, late ones included."""
        self.seconds = 0.0
        """Time spent in all calls."""
        self._shared = shared
        self._failures = 0
        self._wait = shared.settings.retry_seconds
        self._next_trial = 0.0

    @property
    def text(self) -> str:
        """What is wrong, naming the plugin; shown in place of its reasons."""
        if self.state is GuardState.CLOSED:
            return f'plugin "{self.name}" failed ({self.cause})'
        return f'plugin "{self.name}" is {self.state.value} ({self.cause})'

    @property
    def refuses(self) -> bool:
        """What a filter without an answer says: refuse after a failure, and while isolated only where `required`."""
        return self.required or self.state is GuardState.CLOSED

    def run(self, work: Callable[[], T]) -> T | None:
        """Result of `work`, which is never None; None where the plugin failed or is not asked now."""
        shared = self._shared
        if self.state is not GuardState.CLOSED and not self._may_try():
            return None
        started = shared.monotonic()
        self.calls += 1
        try:
            result = shared.watchdog.call(work)
        except CallInterrupted:
            self._unload()
            return None
        except BadValueError as error:
            self._failed("range", error)
            return None
        except Exception as error:
            self._failed("raised", error)
            return None
        taken = shared.monotonic() - started
        self.seconds += taken
        if taken > shared.settings.budget_seconds:
            self._failed("slow", None)
        else:
            self._worked()
        return result

    def _may_try(self) -> bool:
        return self.state is GuardState.ISOLATED and self._shared.monotonic() >= self._next_trial

    def _worked(self) -> None:
        self._failures = 0
        if self.state is GuardState.ISOLATED:
            self.state, self.cause, self._wait = GuardState.CLOSED, None, self._shared.settings.retry_seconds
            self._shared.recorder.plugin_restored(self.name)
            _log.warning("Plugin works again", extra={"plugin": self.name})
            self._shared.changed()

    def _failed(self, cause: Cause, error: Exception | None) -> None:
        self._failures += 1
        self.errors += 1
        self.cause = cause
        settings = self._shared.settings
        _log.warning("Plugin failed", exc_info=error, extra={"plugin": self.name, "reason": cause})
        if self.state is GuardState.ISOLATED:
            self._wait = min(2 * self._wait, settings.retry_limit_seconds)
            self._next_trial = self._shared.monotonic() + self._wait
        elif self._failures >= settings.failures:
            self._isolate(GuardState.ISOLATED, cause)

    def _unload(self) -> None:
        self.errors += 1
        self._isolate(GuardState.UNLOADED, "hung")

    def _isolate(self, state: GuardState, cause: Cause) -> None:
        self.state, self.cause = state, cause
        self._next_trial = self._shared.monotonic() + self._wait
        self._shared.recorder.plugin_isolated(self.name, cause)
        _log.error("Plugin is left out", extra={"plugin": self.name, "reason": cause})
        self._shared.changed()
