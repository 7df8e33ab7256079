"""`tenantry run`: what is wrong with its input is said at once, all of it, with exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenantry.cli import exits
from tenantry.cli.main import call
from tenantry.cli.run import for_name
from tenantry_core.config import Config, Profile, SchedulerSettings

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def test_bad_configuration_lists_every_error_with_its_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "config.yaml"
    plugins = "profiles:\n- plugins:\n    score:\n      enabled: [{name: NodeResourceFit}]\n"
    file.write_text(HEAD + "podInitialBackoffSeconds: 0\nnonsense: 1\n" + plugins)
    assert call(["run", "--config", str(file)]) == exits.USAGE
    said = capsys.readouterr().err
    assert "3 error(s)" in said
    assert "podInitialBackoffSeconds: " in said
    assert "nonsense: " in said
    assert 'profiles[0].plugins.score.enabled[0].name: unknown plugin "NodeResourceFit"' in said
    assert 'did you mean "NodeResourcesFit"?' in said


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(["--config", "/does/not/exist"], exits.USAGE, "/does/not/exist", id="no-such-config"),
        pytest.param(["--metrics-bind", "nowhere"], exits.USAGE, "is not HOST:PORT", id="bad-address"),
        pytest.param(["--kubeconfig", "/does/not/exist"], exits.FAULT, "no kubeconfig at", id="no-such-kubeconfig"),
    ],
)
def test_refusal(arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["run", *arguments]) == code
    assert said in capsys.readouterr().err


def with_profiles(*names: str) -> Config:
    return Config(scheduler=SchedulerSettings(profiles=tuple(Profile(scheduler_name=name) for name in names)))


@pytest.mark.parametrize(
    ("names", "wanted", "lease"),
    [
        pytest.param(["default-scheduler"], "mine", "tenantry-mine", id="only-profile-renamed"),
        pytest.param(["a", "b"], "b", "tenantry-b", id="one-of-several"),
        pytest.param(["default-scheduler"], "default-scheduler", "kube-scheduler", id="default-keeps-its-lease"),
    ],
)
def test_scheduler_name_picks_a_profile_and_a_lease(names: list[str], wanted: str, lease: str) -> None:
    found = for_name(with_profiles(*names), wanted).scheduler
    assert [profile.scheduler_name for profile in found.profiles] == [wanted]
    assert found.leader_election.resource_name == lease


def test_scheduler_name_that_no_profile_has_is_refused() -> None:
    with pytest.raises(exits.CommandFailed, match="no profile 'c' among a, b"):
        for_name(with_profiles("a", "b"), "c")
