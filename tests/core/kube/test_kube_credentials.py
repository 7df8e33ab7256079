"""Credentials come from a kubeconfig or the pod, are renewed, and say clearly what is missing."""

import ssl
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from fakes.clock import FakeClock

from tenantry_core.kube import credentials
from tenantry_core.kube.connection import Connection
from tenantry_core.kube.credentials import InClusterSource, KubeconfigSource, connect, load
from tenantry_core.kube.errors import CredentialsError

PLUGIN = """#!{python}
import json, pathlib
file = pathlib.Path({counter!r})
number = int(file.read_text()) + 1
file.write_text(str(number))
status = {{"token": f"t{{number}}"}}
status.update({extra!r})
if number == {fails}:
    raise SystemExit("no luck")
print(json.dumps({{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}}))
"""


def kubeconfig(folder: Path, user: dict[str, Any], cluster: dict[str, Any] | None = None) -> str:
    path = folder / "config"
    path.write_text(
        yaml.safe_dump(
            {
                "current-context": "c",
                "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u", "namespace": "team"}}],
                "clusters": [{"name": "k", "cluster": cluster or {"server": "http://127.0.0.1:1/"}}],
                "users": [{"name": "u", "user": user}],
            }
        )
    )
    return str(path)


def plugin(folder: Path, extra: dict[str, str] | None = None, fails: int = 0) -> dict[str, Any]:
    counter, script = folder / "count", folder / "plugin"
    counter.write_text("0")
    script.write_text(PLUGIN.format(python=sys.executable, counter=str(counter), extra=extra or {}, fails=fails))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(script)}}


async def token(connection: Connection) -> str:
    return (await connection.credentials.headers()).get("Authorization", "")


@pytest.mark.parametrize(
    ("user", "header"),
    [
        pytest.param({"token": "abc"}, "Bearer abc", id="token"),
        pytest.param({"username": "u", "password": "p"}, "Basic dTpw", id="basic"),
        pytest.param({}, "", id="nobody"),
    ],
)
async def test_fixed_users(tmp_path: Path, user: dict[str, Any], header: str) -> None:
    """What a kubeconfig says becomes one header, the context's namespace and the bare server."""
    connection = await load(kubeconfig(tmp_path, user))
    assert await token(connection) == header
    assert (connection.server, connection.namespace, connection.ssl) == ("http://127.0.0.1:1", "team", None)


async def test_token_file_is_read_again(tmp_path: Path) -> None:
    """A token file that changed is seen within a minute."""
    (tmp_path / "tok").write_text("one\n")
    clock = FakeClock()
    connection = await connect(KubeconfigSource(kubeconfig(tmp_path, {"tokenFile": "tok"})), clock)
    assert await token(connection) == "Bearer one"
    (tmp_path / "tok").write_text("two\n")
    assert await token(connection) == "Bearer one"
    clock.jump(61)
    assert await token(connection) == "Bearer two"


@pytest.mark.parametrize(
    ("extra", "after_a_minute"),
    [
        pytest.param({}, "Bearer t1", id="no expiry: kept"),
        pytest.param({"expirationTimestamp": "2000-01-01T00:00:00Z"}, "Bearer t2", id="expired: renewed"),
        pytest.param({"expirationTimestamp": "2999-01-01T00:00:00Z"}, "Bearer t1", id="good for long: kept"),
    ],
)
async def test_exec_plugin(tmp_path: Path, extra: dict[str, str], after_a_minute: str) -> None:
    """The plugin runs at the start, again when its token has expired, and at once after a 401."""
    clock = FakeClock()
    connection = await connect(KubeconfigSource(kubeconfig(tmp_path, plugin(tmp_path, extra))), clock)
    assert await token(connection) == "Bearer t1"
    clock.jump(61)
    used = {"Authorization": await token(connection)}
    assert used["Authorization"] == after_a_minute
    assert await connection.credentials.refresh(used)
    assert await token(connection) != after_a_minute


async def test_storm_of_401_runs_the_plugin_once(tmp_path: Path) -> None:
    """Requests that were refused with the old token share one renewal; the next is not before ten seconds."""
    connection = await connect(KubeconfigSource(kubeconfig(tmp_path, plugin(tmp_path))), FakeClock())
    used = await connection.credentials.headers()
    assert await connection.credentials.refresh(used)
    assert await connection.credentials.refresh(used)
    assert not await connection.credentials.refresh(await connection.credentials.headers())
    assert (tmp_path / "count").read_text() == "2"


async def test_failed_renewal_keeps_the_old_token(tmp_path: Path) -> None:
    """A plugin that fails later does not take away what we have; the reason is kept."""
    connection = await connect(KubeconfigSource(kubeconfig(tmp_path, plugin(tmp_path, fails=2))), FakeClock())
    assert not await connection.credentials.refresh(await connection.credentials.headers())
    assert await token(connection) == "Bearer t1"
    assert isinstance(connection.credentials, credentials.LoadedCredentials)
    assert "exec plugin" in connection.credentials.problem


FAULTS: list[Any] = [
    pytest.param({"exec": {"apiVersion": "v1", "command": "/does/not/exist"}}, None, "exec plugin", id="no plugin"),
    pytest.param({"token": "x"}, {"server": "https://h", "certificate-authority": "none"}, "none", id="no CA file"),
    pytest.param(
        {"token": "x"}, {"server": "https://h", "certificate-authority-data": "eA=="}, "https://h", id="bad CA"
    ),
]


@pytest.mark.parametrize(("user", "cluster", "text"), FAULTS)
async def test_unusable_kubeconfig(
    tmp_path: Path, user: dict[str, Any], cluster: dict[str, Any] | None, text: str
) -> None:
    """The error names what is wrong."""
    with pytest.raises(CredentialsError, match=text):
        await load(kubeconfig(tmp_path, user, cluster))


@pytest.mark.parametrize("content", ["", "[]", "a: b", "{", "current-context: x"], ids=repr)
async def test_malformed_kubeconfig(tmp_path: Path, content: str) -> None:
    """Whatever the file holds, one sort of error comes."""
    (tmp_path / "bad").write_text(content)
    with pytest.raises(CredentialsError):
        await load(str(tmp_path / "bad"))


async def test_nothing_to_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A named file that is absent is not replaced by another; without any, both places are named."""
    with pytest.raises(CredentialsError, match="no kubeconfig at /none"):
        await load("/none")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.setattr(credentials, "SERVICE_ACCOUNT", tmp_path)
    with pytest.raises(CredentialsError, match="no service account"):
        await load()


async def test_tls_settings(tmp_path: Path) -> None:
    """Verification off, server name and proxy reach the connection."""
    cluster = {
        "server": "https://h:6443",
        "insecure-skip-tls-verify": True,
        "tls-server-name": "other",
        "proxy-url": "http://p:1",
    }
    connection = await load(kubeconfig(tmp_path, {"token": "x"}, cluster))
    assert connection.ssl is not None
    assert not connection.ssl.check_hostname
    assert (connection.server_hostname, connection.proxy) == ("other", "http://p:1")


async def test_in_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Server from the environment, token and namespace from files; a 401 reads the token again."""
    real = ssl.create_default_context
    monkeypatch.setattr(ssl, "create_default_context", lambda cafile=None: real())
    for name, text in {"token": "one\n", "ca.crt": "any", "namespace": "sys\n"}.items():
        (tmp_path / name).write_text(text)
    environ = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    connection = await connect(InClusterSource(tmp_path, environ), FakeClock())
    assert (connection.server, connection.namespace) == ("https://[fd00::1]:443", "sys")
    assert (await token(connection)).lower() == "bearer one"
    (tmp_path / "token").write_text("two\n")
    assert await connection.credentials.refresh(await connection.credentials.headers())
    assert (await token(connection)).lower() == "bearer two"
