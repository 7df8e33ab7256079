"""Health checks by name, and their answers in the form Kubernetes components give.

`livez` says whether restarting would help, `readyz` whether to rely on this process; `healthz` is `livez` under its old
name. A check is a callable that returns None if all is well, else the reason. It must return at once: it looks at a
value, it does not ask anybody.
"""

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from tenantry_telemetry.api import NOOP_RECORDER, RuntimeRecorder

Check = Callable[[], str | None]
HealthKind = Literal["healthz", "livez", "readyz"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """What to send back: an HTTP status (200, 404, 500) and plain text."""

    status: int
    text: str


class Health:
    """The checks of one process. `ping` always passes; `shutdown` fails `readyz` from the moment a stop begins."""

    def __init__(self, recorder: RuntimeRecorder = NOOP_RECORDER) -> None:
        self._recorder = recorder
        self._live: dict[str, Check] = {"ping": _ping}
        self._ready: dict[str, Check] = {"ping": _ping, "shutdown": self._not_stopping}
        self._stopping = False

    def add_live(self, name: str, check: Check) -> None:
        """Add a check to `livez` and `healthz`. ValueError if the name is taken."""
        _add(self._live, name, check)

    def add_ready(self, name: str, check: Check) -> None:
        """Add a check to `readyz`. ValueError if the name is taken."""
        _add(self._ready, name, check)

    def begin_shutdown(self) -> None:
        """From now on `readyz` fails, so that callers go elsewhere; `livez` is untouched."""
        self._stopping = True

    def names(self, kind: HealthKind) -> tuple[str, ...]:
        """Names of the checks of a kind, in the order in which they run."""
        return tuple(self._checks(kind))

    def report(self, kind: HealthKind, verbose: bool = False, exclude: Collection[str] = ()) -> HealthAnswer:
        """Ask all checks of `kind` but the excluded ones. Each line is `[+]name ok` or `[-]name failed: reason`.

        A pass says only "ok" unless `verbose`; a failure always tells everything and has status 500.
        """
        checks = self._checks(kind)
        lines: list[str] = []
        failed: list[str] = []
        for name, check in checks.items():
            if name in exclude:
                lines.append(f"[+]{name} excluded: ok")
                continue
            reason = self._ask(kind, name, check)
            lines.append(f"[+]{name} ok" if reason is None else f"[-]{name} failed: {reason}")
            if reason is not None:
                failed.append(name)
        lines += _unmatched(exclude, checks)
        if failed:
            _log.warning("health check failed", extra={"check": kind, "reason": ",".join(failed)})
            return HealthAnswer(500, "\n".join([*lines, f"{kind} check failed", ""]))
        return HealthAnswer(200, "\n".join([*lines, f"{kind} check passed", ""]) if verbose else "ok")

    def single(self, kind: HealthKind, name: str) -> HealthAnswer:
        """Ask one check: "ok", 500 with the reason, or 404 if there is none of this name."""
        check = self._checks(kind).get(name)
        if check is None:
            return HealthAnswer(404, f'no check "{name}" in {kind}; there are: {", ".join(self.names(kind))}\n')
        reason = self._ask(kind, name, check)
        return HealthAnswer(200, "ok") if reason is None else HealthAnswer(500, f"{name} failed: {reason}\n")

    def _checks(self, kind: HealthKind) -> dict[str, Check]:
        return self._ready if kind == "readyz" else self._live

    def _ask(self, kind: HealthKind, name: str, check: Check) -> str | None:
        try:
            reason = check()
        except Exception as fault:
            # A broken check must not break the endpoint, nor pass for a healthy one.
            reason = f"the check raised {type(fault).__name__}: {fault}"
        self._recorder.healthcheck(name, kind, reason is None)
        return reason

    def _not_stopping(self) -> str | None:
        return "the process is shutting down" if self._stopping else None


def _ping() -> str | None:
    return None


def _add(checks: dict[str, Check], name: str, check: Check) -> None:
    if name in checks:
        raise ValueError(f"there is a health check {name!r} already")
    checks[name] = check


def _unmatched(exclude: Iterable[str], checks: dict[str, Check]) -> list[str]:
    unknown = [f'"{name}"' for name in exclude if name not in checks]
    return [f"warn: some health checks cannot be excluded: no matches for {', '.join(unknown)}"] if unknown else []
