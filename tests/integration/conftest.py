"""One fixture chooses the cluster: the embedded one, a kube-apiserver of our own, or one that exists."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from clusters import KINDS, Target, open_cluster, why_not
from rig import Rig


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test runs on each kind of cluster that can be had; `test_real_clusters` says which can't."""
    if "target" in metafunc.fixturenames:
        metafunc.parametrize("target", [kind for kind in KINDS if not why_not(kind)], indirect=True)


@pytest.fixture
async def target(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Target]:
    """The cluster under test."""
    async with open_cluster(request.param, tmp_path) as target:
        yield target


@pytest.fixture
async def rig(target: Target) -> AsyncIterator[Rig]:
    """A namespace, a scheduler name and nodes of this test alone."""
    rig = Rig(target)
    await rig.open()
    yield rig
    await rig.close()


@pytest.fixture
def faulty(rig: Rig) -> Rig:
    """A rig whose server can be made to fail; only the embedded one can."""
    if rig.target.faults is None:
        pytest.skip("faults are made by the embedded cluster")
    return rig
