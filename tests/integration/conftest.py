"""One fixture chooses the cluster: the embedded one, a kube-apiserver of our own, or one that exists."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from clusters import Target, assets, embedded, existing, why_not
from rig import Rig


@pytest.fixture(params=["embedded", "assets", "existing"])
async def target(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Target]:
    """The cluster under test; kinds that can't be had here are skipped with the reason."""
    kind: str = request.param
    if reason := why_not(kind):
        pytest.skip(reason)
    opened: AbstractAsyncContextManager[Target]
    if kind == "embedded":
        opened = embedded(tmp_path)
    elif kind == "assets":
        opened = assets(Path(os.environ["KUBEBUILDER_ASSETS"]), tmp_path)
    else:
        opened = existing(os.environ["TENANTRY_TEST_KUBECONFIG"])
    async with opened as target:
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
