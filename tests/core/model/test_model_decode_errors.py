"""A body that cannot be read says which field and why, and of which object as far as that is known."""

from typing import Any

import pytest
from builders import a_claim, a_node, a_pod, expression

from tenantry_core.model.decode import DECODERS, DecodeError, from_builtins, identify

META = {"name": "web", "namespace": "shop", "uid": "u1", "resourceVersion": "7"}


def pod(**spec: Any) -> dict[str, Any]:
    return {"metadata": META, "spec": spec}


def container(**fields: Any) -> dict[str, Any]:
    return {"containers": [{"name": "a"}, {"name": "b", **fields}]}


BAD = {
    "wrong type": ("Pod", pod(priority="high"), "spec.priority", "Expected `int`"),
    "wrong type in a list": ("Pod", pod(**container(image=3)), "spec.containers[1].image", "Expected `str`"),
    "missing field": ("Pod", {"metadata": {"namespace": "shop"}}, "metadata", "missing required field `name`"),
    "request": (
        "Pod",
        pod(**container(resources={"requests": {"cpu": "1core"}})),
        "spec.containers[1].resources.requests.cpu",
        "'1core' is not a quantity",
    ),
    "negative request": (
        "Pod",
        pod(**container(resources={"requests": {"memory": "-1"}})),
        "spec.containers[1].resources.requests.memory",
        "'-1' is negative",
    ),
    "limit": (
        "Pod",
        pod(**container(resources={"limits": {"cpu": ""}})),
        "spec.containers[1].resources.limits.cpu",
        "is not a quantity",
    ),
    "init request": (
        "Pod",
        pod(initContainers=[{"name": "i", "resources": {"requests": {"cpu": "x"}}}]),
        "spec.initContainers[0].resources.requests.cpu",
        "is not a quantity",
    ),
    "pod level": ("Pod", pod(resources={"requests": {"cpu": "x"}}), "spec.resources.requests.cpu", "not a quantity"),
    "overhead": ("Pod", pod(overhead={"cpu": "x"}), "spec.overhead.cpu", "is not a quantity"),
    "spread selector": (
        "Pod",
        pod(
            topologySpreadConstraints=[
                {
                    "maxSkew": 1,
                    "topologyKey": "zone",
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": {"matchExpressions": [expression("app", "Like", "a")]},
                }
            ]
        ),
        "spec.topologySpreadConstraints[0].labelSelector",
        "'Like' is not one of",
    ),
    "node affinity": (
        "Pod",
        a_pod("web", "shop").wants_nodes({"matchExpressions": [expression("zone", "In")]}).body,
        "spec.affinity.nodeAffinity",
        "values: must be given when operator is In",
    ),
    "pod affinity": (
        "Pod",
        a_pod("web", "shop")
        .near("zone", None, labelSelector={"matchExpressions": [expression("a", "Exists", "b")]})
        .body,
        "spec.affinity.podAffinity",
        "values: must be empty when operator is Exists",
    ),
    "pod anti-affinity, preferred": (
        "Pod",
        a_pod("web", "shop").apart("zone", {}, 5, namespaceSelector={"matchExpressions": [expression("a", "?")]}).body,
        "spec.affinity.podAntiAffinity",
        "'?' is not one of",
    ),
    "allocatable": (
        "Node",
        {"metadata": META, "status": {"allocatable": {"cpu": "4 cores"}}},
        "status.allocatable.cpu",
        "is not a quantity",
    ),
    "workload selector": (
        "ReplicaSet",
        {"metadata": META, "spec": {"selector": {"matchExpressions": [expression("a", "?")]}}},
        "spec.selector",
        "'?' is not one of",
    ),
    "budget selector": (
        "PodDisruptionBudget",
        {"metadata": META, "spec": {"selector": {"matchExpressions": [expression("a", "In")]}}},
        "spec.selector",
        "values: must be given",
    ),
}


@pytest.mark.parametrize(("kind", "body", "field", "rule"), BAD.values(), ids=BAD.keys())
def test_the_error_names_field_rule_and_object(kind: str, body: dict[str, Any], field: str, rule: str) -> None:
    with pytest.raises(DecodeError) as caught:
        from_builtins(kind, body)
    error = caught.value
    assert (error.kind, error.field) == (kind, field)
    assert rule in error.rule
    assert error.identity.namespace == "shop"
    assert str(error).startswith(f"{kind} shop/")


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"metadata": 3}', b'{"metadata": {"name": 3}}']
)
def test_rubbish_is_an_error_like_any_other(body: bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        DECODERS["Pod"](body)
    assert caught.value.identity.uid == ""
    assert identify(body).name == ""


@pytest.mark.parametrize("builder", [a_pod(), a_node(), a_claim()], ids=lambda b: b.kind)
def test_what_the_builders_make_is_read(builder: Any) -> None:
    assert builder.build().metadata.name == builder.body["metadata"]["name"]


def test_null_lists_and_unknown_fields_are_no_fault() -> None:
    body = pod(tolerations=None, volumes=None, initContainers=None, affinity=None, somethingNew={"a": [1]})
    found = from_builtins("Pod", body)
    assert found.spec.scheduler_name == "default-scheduler"
