"""Health reports: which checks belong to which kind, and what is said about them."""

import pytest

from tenantry_telemetry.api import NoopRecorder
from tenantry_telemetry.health import Health, HealthAnswer, HealthKind


class Recorded(NoopRecorder):
    def __init__(self) -> None:
        self.seen: list[tuple[str, str, bool]] = []

    def healthcheck(self, name: str, kind: HealthKind, ok: bool) -> None:
        self.seen.append((name, kind, ok))


def broken() -> str | None:
    raise KeyError("lost")


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("healthz", ("ping", "leaderElection")),
        ("livez", ("ping", "leaderElection")),
        ("readyz", ("ping", "shutdown", "informer-sync")),
    ],
)
def test_kinds(kind: HealthKind, names: tuple[str, ...]) -> None:
    health = Health()
    health.add_live("leaderElection", lambda: None)
    health.add_ready("informer-sync", lambda: None)
    assert health.names(kind) == names
    assert health.report(kind) == HealthAnswer(200, "ok")


def test_all_checks_are_named_even_after_one_failed() -> None:
    health = Health()
    health.add_live("first", lambda: "too late")
    health.add_live("second", lambda: None)
    answer = health.report("livez")
    assert answer.status == 500
    assert answer.text.splitlines() == [
        "[+]ping ok",
        "[-]first failed: too late",
        "[+]second ok",
        "livez check failed",
    ]


def test_check_that_raises_fails() -> None:
    health = Health()
    health.add_live("odd", broken)
    assert health.single("livez", "odd") == HealthAnswer(500, "odd failed: the check raised KeyError: 'lost'\n")


def test_shutdown_ends_readiness_only() -> None:
    health = Health()
    health.begin_shutdown()
    assert health.report("livez").status == 200
    assert "[-]shutdown failed: the process is shutting down" in health.report("readyz").text


def test_unknown_exclusion_is_mentioned() -> None:
    answer = Health().report("livez", verbose=True, exclude=["ping", "pong"])
    assert answer == HealthAnswer(
        200,
        "[+]ping excluded: ok\n"
        'warn: some health checks cannot be excluded: no matches for "pong"\n'
        "livez check passed\n",
    )


def test_name_taken() -> None:
    with pytest.raises(ValueError, match="'ping' already"):
        Health().add_ready("ping", lambda: None)


def test_answers_are_recorded() -> None:
    recorder = Recorded()
    health = Health(recorder)
    health.begin_shutdown()
    health.report("readyz")
    assert recorder.seen == [("ping", "readyz", True), ("shutdown", "readyz", False)]
