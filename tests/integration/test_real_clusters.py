"""Real clusters that this run can reach answer; one that can't be had here says why."""

from __future__ import annotations

from pathlib import Path

import pytest
from clusters import KINDS, open_cluster, why_not

from tenantry_core.kube.client import KubeClient
from tenantry_core.kube.http import HttpTransport
from tenantry_core.kube.resources import NAMESPACES


@pytest.mark.parametrize("kind", KINDS[1:])
async def test_answers(kind: str, tmp_path: Path) -> None:
    """Where it is skipped, no integration test ran on a cluster of this kind; elsewhere all of them did."""
    if reason := why_not(kind):
        pytest.skip(reason)
    async with open_cluster(kind, tmp_path) as target:
        client = KubeClient(HttpTransport(target.connection))
        try:
            listing = await client.list_all(NAMESPACES)
        finally:
            await client.close()
    assert listing.items
