"""A dump loads what it can; the rest is listed with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from dumps import loaded, node, pod

LEFT_OUT: list[Any] = [
    pytest.param(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "bad"},
            "status": {"allocatable": {"cpu": "4 x"}},
        },
        "Node",
        "status.allocatable.cpu: '4 x' is not a quantity",
        "bad",
        id="bad-quantity",
    ),
    pytest.param(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "s"}, "spec": {"priority": "x"}},
        "Pod",
        "spec.priority: Expected `int`, got `str`",
        "s/p",
        id="wrong-type",
    ),
    pytest.param({"apiVersion": "v1", "kind": "Pod"}, "Pod", "missing required field `metadata`", "", id="no-metadata"),
    pytest.param(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": ""}}, "Pod", "name is empty", "", id="no-name"
    ),
    pytest.param(
        {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "s"}},
        "Service",
        "unknown kind: serving.knative.dev/v1 Service",
        "s",
        id="another-group",
    ),
    pytest.param(
        {"apiVersion": "acme.io/v1", "kind": "Rocket", "metadata": {"name": "r"}},
        "Rocket",
        "has no say in placement",
        "r",
        id="unknown-kind",
    ),
    pytest.param(
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "x"}},
        "Secret",
        "has no say in placement",
        "x/s",
        id="known-and-unused",
    ),
    pytest.param(
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}},
        "Deployment",
        "its pods stand for it",
        "d",
        id="workload",
    ),
    pytest.param(
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "x"}}},
        "ResourceQuota",
        "spec.hard.pods: 'x' is not a quantity",
        "q",
        id="bad-quota",
    ),
    pytest.param({"kind": ""}, "-", "no object: it has no `kind`", "", id="no-kind"),
]


@pytest.mark.parametrize(("item", "kind", "said", "example"), LEFT_OUT)
def test_left_out(item: dict[str, Any], kind: str, said: str, example: str) -> None:
    found = loaded(node("n1"), item, pod("web-1", on="n1"))
    assert found.cache.sizes() == {"nodes": 1, "pods": 1, "assumed_pods": 0}
    (entry,) = found.left_out
    assert (entry.kind, entry.count) == (kind, 1)
    assert said in entry.reason
    assert entry.examples == ([example] if example else [])


def test_equal_reasons_are_counted_together() -> None:
    secrets = [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"s{i}"}} for i in range(5)]
    (entry,) = loaded(*secrets).left_out
    assert (entry.count, entry.examples) == (5, ["s0", "s1", "s2"])


def test_pods_by_hand_need_no_uid_and_the_later_version_stands() -> None:
    first, second = pod("web-1", on="n1"), pod("web-1", on="n2")
    for body in (first, second):
        del body["metadata"]["uid"], body["metadata"]["namespace"]
    found = loaded(node("n1"), node("n2"), first, second)
    assert [p.pod.spec.node_name for p in found.cache.placed_pods()] == ["n2"]
    assert list(found.pods) == [("default", "web-1")]


def test_two_pods_with_one_uid_both_hold_room() -> None:
    one, other = pod("web-1", on="n1"), pod("web-2", on="n1")
    other["metadata"]["uid"] = one["metadata"]["uid"]
    assert loaded(node("n1"), one, other).cache.sizes()["pods"] == 2


def test_ended_and_terminating_pods_do_not_wait() -> None:
    ended, leaving, waiting = pod("a-1"), pod("b-1"), pod("c-1")
    ended["status"]["phase"] = "Succeeded"
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert [p.metadata.name for p in loaded(ended, leaving, waiting).pending()] == ["c-1"]
