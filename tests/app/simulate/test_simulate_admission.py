"""What the API server would fill in and refuse: defaults, priority classes, limit ranges."""

from __future__ import annotations

from typing import Any

import pytest
from dumps import limit_range, loaded, node, played, pod, template, workload

from tenantry.simulate.admit import base_pod
from tenantry.simulate.inventory import Inventory
from tenantry.simulate.workloads import plan_of

LIMITED = {"name": "c", "resources": {"limits": {"cpu": "1"}}}


def priority_class(name: str, value: int, **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    } | more


def reasons(*items: dict[str, Any], add: dict[str, Any]) -> set[str]:
    return {p.reason for p in played(node("n1"), *items, add=[add]).pods}


@pytest.mark.parametrize(
    ("items", "name", "value"),
    [
        pytest.param([], None, 0, id="none"),
        pytest.param([priority_class("high", 100)], "high", 100, id="named"),
        pytest.param([priority_class("usual", 7, globalDefault=True)], None, 7, id="global-default"),
        pytest.param([], "system-node-critical", 2_000_001_000, id="built-in"),
        pytest.param([pod("x-1", on="n1", priorityClassName="seen", priority=5)], "seen", 5, id="seen-on-a-pod"),
    ],
)
def test_priority(items: list[dict[str, Any]], name: str | None, value: int) -> None:
    given = template(**({"priorityClassName": name} if name else {}))
    answer = played(node("n1"), *items, add=[workload(given=given)])
    assert answer.count("placed") == 1
    found = loaded(*items)
    plan = plan_of("Deployment", workload(given=given))
    assert not isinstance(plan, str)
    base = base_pod(plan, found)
    assert not isinstance(base, str)
    assert base.spec.priority == value


@pytest.mark.parametrize(
    ("items", "spec", "said"),
    [
        pytest.param([], {"priorityClassName": "gone"}, "no PriorityClass with name gone was found", id="no-class"),
        pytest.param(
            [priority_class("high", 100)],
            {"priorityClassName": "high", "priority": 3},
            "PriorityClass high says 100",
            id="contradicting-priority",
        ),
        pytest.param([], {"containers": []}, "spec.containers", id="no-containers"),
        pytest.param(
            [],
            {"containers": [{"name": "c", "resources": {"requests": {"cpu": "x"}}}]},
            "spec.containers[0].resources.requests.cpu",
            id="bad-quantity",
        ),
        pytest.param([], {"containers": "many"}, "template: not a pod template", id="no-template"),
        pytest.param(
            [],
            {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}}]},
            "container c: cpu request 2 is above its limit 1",
            id="request-over-limit",
        ),
        pytest.param(
            [limit_range(max={"cpu": "500m"})],
            {},
            "cpu request 1 is above its limit 500m",
            id="over-maximum-as-default",
        ),
        pytest.param(
            [limit_range(max={"cpu": "500m"})],
            {"containers": [LIMITED]},
            "maximum cpu usage per Container is 500m, but request is 1",
            id="over-maximum",
        ),
        pytest.param(
            [limit_range(min={"cpu": "2"})],
            {},
            "minimum cpu usage per Container is 2, but request is 1",
            id="under-minimum",
        ),
        pytest.param(
            [limit_range(maxLimitRequestRatio={"cpu": "2"}, default={"cpu": "3"})],
            {},
            "ratio per Container is 2, but it is 3.00",
            id="ratio",
        ),
        pytest.param(
            [limit_range(type="Pod", max={"cpu": "500m"})], {}, "maximum cpu usage per Pod is 500m", id="pod-maximum"
        ),
    ],
)
def test_refused(items: list[dict[str, Any]], spec: dict[str, Any], said: str) -> None:
    given = template()
    given["spec"] |= spec
    (reason,) = reasons(*items, add=workload(given=given))
    assert said in reason


@pytest.mark.parametrize(
    ("resources", "limits", "requested"),
    [
        pytest.param({}, {}, {}, id="nothing"),
        pytest.param({"limits": {"cpu": "2"}}, {}, {"cpu": "2"}, id="from-own-limit"),
        pytest.param(
            {}, {"default": {"cpu": "1"}, "defaultRequest": {"cpu": "200m"}}, {"cpu": "200m"}, id="range-request"
        ),
        pytest.param({}, {"default": {"cpu": "1"}}, {"cpu": "1"}, id="range-limit"),
        pytest.param({}, {"max": {"cpu": "3"}}, {"cpu": "3"}, id="range-maximum"),
        pytest.param(
            {"requests": {"cpu": "1"}}, {"defaultRequest": {"cpu": "2"}}, {"cpu": "1"}, id="own-request-stands"
        ),
    ],
)
def test_requests(resources: dict[str, Any], limits: dict[str, Any], requested: dict[str, str]) -> None:
    given = template()
    given["spec"]["containers"][0]["resources"] = resources
    plan = plan_of("Deployment", workload(given=given))
    assert not isinstance(plan, str)
    base = base_pod(plan, loaded(limit_range(**limits)))
    assert not isinstance(base, str)
    assert (base.spec.containers[0].resources.requests or {}) == requested


def test_a_workload_whose_selector_cannot_be_read_is_refused() -> None:
    broken = workload(selector={"matchExpressions": [{"key": "a", "operator": "Like"}]})
    (reason,) = reasons(add=broken)
    assert "spec.selector: operator: 'Like'" in reason


def test_added_pods_tolerate_unreachable_nodes_for_a_while() -> None:
    plan = plan_of("Deployment", workload())
    assert not isinstance(plan, str)
    base = base_pod(plan, Inventory())
    assert not isinstance(base, str)
    keys = {t.key for t in base.spec.tolerations or ()}
    assert keys == {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}
