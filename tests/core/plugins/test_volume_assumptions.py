"""What the cache assumes of storage objects, and what ends it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from volume_world import VolumeWorld, claim, node, pod, volume

from tenantry_core.cache.storage import StorageStore


def _changed(item: Any) -> Any:
    return replace(item, metadata=replace(item.metadata, annotations={"assumed": "yes"}))


@pytest.mark.parametrize(
    ("news", "assumed"),
    [
        pytest.param(volume("v", version="1"), True, id="the same version once more"),
        pytest.param(volume("v", version="2"), False, id="a newer version"),
    ],
)
def test_news_of_a_volume(news: Any, assumed: bool) -> None:
    store = StorageStore()
    store.put(volume("v", version="1"))
    store.assume_volume(_changed(volume("v", version="1")))
    store.put(news)
    assert (store.volumes["v"].metadata.annotations == {"assumed": "yes"}) is assumed
    assert store.stored_volume("v") is news
    store.restore_volume("v")
    assert store.volumes["v"] is news


def test_restore_shows_what_is_stored() -> None:
    store = StorageStore()
    stored = claim()
    store.put(stored)
    store.assume_claim(_changed(stored))
    store.assume_claim(_changed(stored))
    store.restore_claim("default", "c")
    store.restore_claim("default", "c")
    assert store.claims["default", "c"] is stored


def test_a_deleted_object_is_gone_whatever_was_assumed() -> None:
    store = StorageStore()
    store.put(volume("v"))
    store.assume_volume(_changed(volume("v")))
    store.drop(volume("v"))
    store.restore_volume("v")
    assert store.stored_volume("v") is None
    assert list(store.volumes_of_class("wffc")) == []


def test_volumes_change_class() -> None:
    store = StorageStore()
    store.put(volume("v", storage_class="x"))
    store.put(volume("v", storage_class="y", version="2"))
    assert list(store.volumes_of_class("x")) == []
    assert [v.metadata.name for v in store.volumes_of_class("y")] == ["v"]


def test_every_change_is_told() -> None:
    store, versions = StorageStore(), []
    store.listeners.append(lambda: versions.append(store.version))
    store.put(volume("v"))
    store.assume_volume(_changed(volume("v")))
    store.restore_volume("v")
    store.restore_volume("v")
    store.drop(volume("v"))
    assert versions == [1, 2, 3, 4]


def test_claims_on_a_row_follow_pods() -> None:
    world = VolumeWorld(node("a"), pod("x", "c", "c", on="a"), pod("y", "c", "d", on="a"))
    row, storage = world.cache.nodes.row_of("a"), world.cache.storage
    assert storage.claims_on(row) == {("default", "c"): 2, ("default", "d"): 1}
    world.cache.remove_pod("uid-y")
    assert storage.claims_on(row) == {("default", "c"): 1}
    world.cache.remove_pod("uid-x")
    assert storage.claims_on(row) == {}
    assert list(storage.claim_users("default", "c")) == []
