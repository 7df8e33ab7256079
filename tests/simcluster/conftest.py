"""One embedded cluster and a client for each test."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from simcluster_client import Api

from tenantry_sim import SimCluster, SimConfig


@pytest.fixture
async def cluster() -> AsyncIterator[SimCluster]:
    """Three simulated nodes in three zones."""
    async with SimCluster(SimConfig(nodes=3, seed=1)) as running:
        yield running


@pytest.fixture
async def api(cluster: SimCluster) -> AsyncIterator[Api]:
    async with aiohttp.ClientSession() as session:
        yield Api(session, cluster.url)
