"""Quotas before and after, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest
from dumps import node, played, pod, quota, template, workload


def ledger(*items: dict[str, Any], **scenario: Any) -> dict[str, Any]:
    (found,) = played(node("n1", cpu="32"), *items, **scenario).as_dict()["quota"]["namespaces"]
    rows: dict[str, Any] = {n: (r["hard"], r["before"], r["after"]) for n, r in found["resources"].items()}
    return rows | {"refused": found["refused"]}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(quota({"pods": "10"}), {"pods": (10, 2, 4), "refused": 0}, id="counted-over-pods"),
        pytest.param(quota({"pods": "10"}, {"pods": "7"}), {"pods": (10, 7, 9), "refused": 0}, id="as-written"),
        pytest.param(quota({"pods": "3"}), {"pods": (3, 2, 3), "refused": 1}, id="one-refused"),
        pytest.param(
            quota({"requests.cpu": "3500m"}),
            {"requests.cpu": (3500, 2000, 3000), "refused": 1},
            id="cpu-in-thousandths",
        ),
        pytest.param(quota({"cpu": "9"}), {"cpu": (9000, 2000, 4000), "refused": 0}, id="short-name"),
        pytest.param(quota({"services": "2"}, {"services": "1"}), {"services": (2, 1, 1), "refused": 0}, id="no-pods"),
        pytest.param(quota({"pods": "9"}, scopes=["BestEffort"]), {"pods": (9, 0, 0), "refused": 0}, id="other-scope"),
        pytest.param(quota({"pods": "2"}, scopes=["NotBestEffort"]), {"pods": (2, 2, 2), "refused": 2}, id="own-scope"),
        pytest.param(
            quota(
                {"pods": "2"},
                scopeSelector={"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["x"]}]},
            ),
            {"pods": (2, 0, 0), "refused": 0},
            id="priority-scope",
        ),
    ],
)
def test_ledger(given: dict[str, Any], expected: dict[str, Any]) -> None:
    running = [pod(f"web-{i}", on="n1") for i in range(2)]
    assert ledger(given, *running, add=[workload(replicas=2)]) == expected


def test_the_refused_pod_says_which_quota_and_how_far() -> None:
    running = [pod("web-1", on="n1")]
    answer = played(node("n1"), quota({"requests.cpu": "2"}), *running, add=[workload(replicas=2)])
    (refused,) = [p for p in answer.pods if p.outcome == "refused"]
    assert (
        refused.reason
        == "exceeded quota: compute, requested: requests.cpu=1, used: requests.cpu=2, limited: requests.cpu=2"
    )
    assert [(r.workload, r.count, r.reason) for r in answer.refusals] == [("Deployment shop/added", 1, refused.reason)]
    assert not answer.everything_fits


def test_a_quota_on_memory_refuses_pods_that_do_not_name_it() -> None:
    answer = played(node("n1"), quota({"requests.memory": "8Gi", "limits.cpu": "4"}), add=[workload()])
    (refused,) = answer.pods
    assert refused.reason == "failed quota: compute: must specify limits.cpu for: main; requests.memory for: main"


def test_a_quota_of_another_namespace_is_no_matter() -> None:
    other = quota({"pods": "0"})
    other["metadata"]["namespace"] = "else"
    assert played(node("n1"), other, add=[workload()]).count("placed") == 1


def test_what_preemption_takes_away_for_good_is_given_back() -> None:
    bare = pod("bare-1", on="n1", cpu="4", priority=0)
    add = workload(given=template("4", priorityClassName="system-cluster-critical"))
    assert ledger(quota({"pods": "9"}), bare, add=[add])["pods"] == (9, 1, 2)
    found = played(node("n1"), quota({"pods": "9"}), bare, add=[add]).as_dict()
    assert found["quota"]["namespaces"][0]["resources"]["pods"] == {"hard": 9, "before": 1, "after": 1}


def test_tenants_have_a_place_of_their_own() -> None:
    assert played(node("n1")).as_dict()["quota"] == {"namespaces": [], "tenants": []}
