"""kubectl as administrator and as a tenant's user, over TLS, with tokens and certificates."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from access_kit import Tenants, account, group, tenants, user

_KUBECTL = shutil.which("kubectl")
pytestmark = pytest.mark.skipif(_KUBECTL is None, reason="kubectl is not installed")


async def _kubectl(place: Tenants, folder: Path, who: dict[str, Any] | None, *arguments: str) -> tuple[int, str]:
    """Exit code and everything that kubectl printed."""
    assert _KUBECTL is not None
    path = folder / "kubeconfig"
    place.cluster.write_kubeconfig(path, who)
    environment = {"KUBECONFIG": str(path), "HOME": str(folder), "PATH": "/usr/bin:/bin"}
    process = await asyncio.create_subprocess_exec(
        *(_KUBECTL, "--request-timeout=20s", *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=environment,
    )
    printed, _ = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, printed.decode()


@pytest.mark.parametrize("by", ["token", "certificate", "service-account"])
async def test_tenant_works_in_its_namespace_only(tmp_path: Path, by: str) -> None:
    async with tenants() as place:
        for name in ("team-a", "team-b"):
            await place.admin.post("/api/v1/namespaces", {"metadata": {"name": name}})
        await place.admin.post("/api/v1/namespaces/team-a/serviceaccounts", {"metadata": {"name": "robot"}})
        subjects = (user("carol"), group("team-a"), account("robot", "team-a"))
        await place.bind("ClusterRole/edit", *subjects, namespace="team-a")
        who = {"token": "alice-token"}
        if by == "certificate":
            who = place.cluster.certificate_user("carol")
        elif by == "service-account":
            who = place.cluster.token_user("team-a", "robot")
        run = ["run", "p", "--image=pause", "--restart=Never", "-n"]
        assert await _kubectl(place, tmp_path, who, *run, "team-a") == (0, "pod/p created\n")
        code, printed = await _kubectl(place, tmp_path, who, *run, "team-b")
        assert (code, "(Forbidden): pods is forbidden: User" in printed or 'pods "p" is forbidden' in printed) == (
            1,
            True,
        )
        assert 'cannot create resource "pods" in API group "" in the namespace "team-b"' in printed
        code, printed = await _kubectl(place, tmp_path, who, "get", "nodes")
        assert (code, "at the cluster scope" in printed) == (1, True)


async def test_can_i(tmp_path: Path) -> None:
    async with tenants() as place:
        assert await _kubectl(place, tmp_path, None, "auth", "can-i", "delete", "pods") == (0, "yes\n")
        as_bob = ("auth", "can-i", "list", "pods", "--as", "bob")
        assert (await _kubectl(place, tmp_path, None, *as_bob))[0] == 1
        await place.bind("ClusterRole/view", user("bob"))
        assert await _kubectl(place, tmp_path, None, *as_bob) == (0, "yes\n")
        code, printed = await _kubectl(place, tmp_path, {"token": "bob-token"}, "auth", "can-i", "--list")
        assert (code, "configmaps" in printed) == (0, True)
