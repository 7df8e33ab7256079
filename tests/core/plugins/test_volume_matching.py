"""Which volume a claim gets on which node: equal, for every node at once, to asking each node in turn."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from volume_world import VolumeWorld, claim, node, pod, storage_class, volume

from tenantry_core.plugins.volume_matching import affinity_terms, eligible_volumes, requested
from tenantry_core.plugins.volume_search import VolumeSearch

NONE = "2 node(s) didn't find available persistent volumes to bind."


@pytest.mark.parametrize(
    ("volumes", "verdict"),
    [
        pytest.param([volume("v")], {"a", "b"}, id="anywhere"),
        pytest.param([volume("v", on=["a"])], {"a"}, id="local"),
        pytest.param([volume("v", zone=["z2"])], {"b"}, id="zonal"),
        pytest.param([volume("v", size="500Mi")], NONE, id="too small"),
        pytest.param([volume("v", modes=["ReadOnlyMany"])], NONE, id="access mode"),
        pytest.param([volume("v", spec={"volumeMode": "Block"})], NONE, id="volume mode"),
        pytest.param([volume("v", storage_class="other")], NONE, id="class"),
        pytest.param([volume("v", phase="Released")], NONE, id="phase"),
        pytest.param([volume("v", claim="else")], NONE, id="promised to another claim"),
        pytest.param([volume("v", claim="c", claim_uid="old")], NONE, id="promised to a namesake"),
        pytest.param([volume("v", claim="c", phase="Pending")], {"a", "b"}, id="promised to this claim"),
        pytest.param([volume("v", claim="c", on=["a"]), volume("w")], {"a"}, id="promised one wins over others"),
        pytest.param([], NONE, id="none"),
    ],
)
def test_volume_for_one_claim(volumes: list[Any], verdict: object) -> None:
    world = VolumeWorld(node("a", zone="z1"), node("b", zone="z2"), storage_class(), claim(), *volumes)
    assert world.verdict(pod("p", "c")) == verdict


def test_claim_selector_picks_volumes_by_label() -> None:
    wanted = claim(spec={"selector": {"matchLabels": {"tier": "fast"}}})
    world = VolumeWorld(node("a"), node("b"), storage_class(), wanted, volume("slow", on=["a"]))
    world.add(volume("fast", on=["b"], labels={"tier": "fast"}))
    assert world.verdict(pod("p", "c")) == {"b"}


def test_reached_volume_of_bound_claim() -> None:
    world = VolumeWorld(node("a"), node("b"), claim(to="v"), volume("v", on=["b"]))
    assert world.verdict(pod("p", "c")) == {"b"}
    world.add(volume("v", on=["z"]))
    assert world.verdict(pod("p", "c")) == "2 node(s) didn't match PersistentVolume's node affinity."


def test_one_node_may_have_two_reasons() -> None:
    things = (storage_class(), claim("d"), claim("c", to="v"), volume("v", on=["z"]))
    verdict = VolumeWorld(node("a"), *things).verdict(pod("p", "c", "d"))
    assert verdict == (
        "1 node(s) didn't find available persistent volumes to bind, "
        "1 node(s) didn't match PersistentVolume's node affinity."
    )


NODES = ("a", "b", "c")
places = st.one_of(
    st.none(),
    st.sets(st.sampled_from(NODES), min_size=1).map(lambda names: ("on", sorted(names))),
    st.sets(st.sampled_from(["z1", "z2"]), min_size=1).map(lambda zones: ("zone", sorted(zones))),
    st.just(("spec", {"nodeAffinity": {"required": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "NotIn", "values": ["a"]}]}]}}})),
)  # fmt: skip
sizes = st.sampled_from(["1Gi", "2Gi", "3Gi"])


def _in_turn(world: VolumeWorld, name: str, claims: list[Any]) -> list[str | None]:
    """The rule, said for one node: smallest claim first, smallest volume that is free and in reach."""
    row = world.cache.nodes.row_of(name)
    labels = world.cache.nodes.objects[row].metadata.labels  # type: ignore[union-attr]
    taken: set[str] = set()
    found: list[str | None] = []
    for one in sorted(claims, key=requested):
        for candidate in eligible_volumes(world.cache.storage, one):
            terms, own = affinity_terms(candidate), candidate.metadata.name
            if own not in taken and (terms is None or any(t.matches(labels or {}, name) for t in terms)):
                taken.add(own)
                found.append(own)
                break
        else:
            found.append(None)
    return found


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(sizes, places), max_size=6), st.lists(sizes, min_size=1, max_size=3))
def test_all_nodes_at_once_equals_each_in_turn(volumes: list[Any], asked: list[str]) -> None:
    world = VolumeWorld(*(node(n, zone="z1" if n == "a" else "z2") for n in NODES), storage_class())
    for i, (size, place) in enumerate(volumes):
        world.add(volume(f"v{i}", size=size, **(dict([place]) if place else {})))
    claims = [claim(f"c{i}", size=size) for i, size in enumerate(asked)]
    search = VolumeSearch(world.cache.nodes, world.cache.storage, [], claims)
    for name in NODES:
        row, each = world.cache.nodes.row_of(name), _in_turn(world, name, claims)
        assert bool(search.masks.bindable[row]) == (None not in each)
        assert [v.metadata.name for v, _ in search.plan(row).bindings] == [v for v in each if v is not None]
