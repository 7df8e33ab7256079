"""Label selectors and node selector terms match as the API defines them."""

from typing import Any

import pytest
from builders import a_pod, expression

from tenantry_core.model.objects import LabelSelector
from tenantry_core.model.selectors import compile_node_term, compile_selector

LABELS = {"app": "web", "size": "10"}


def node_term(**fields: Any) -> Any:
    pod = a_pod().wants_nodes(fields).build()
    return compile_node_term(pod.spec.affinity.node_affinity.required.node_selector_terms[0])


@pytest.mark.parametrize(
    ("requirement", "want"),
    [
        (expression("app", "In", "web", "db"), True),
        (expression("app", "In", "db"), False),
        (expression("tier", "In", "db"), False),
        (expression("app", "NotIn", "web"), False),
        (expression("app", "NotIn", "db"), True),
        (expression("tier", "NotIn", "db"), True),
        (expression("app", "Exists"), True),
        (expression("tier", "Exists"), False),
        (expression("app", "DoesNotExist"), False),
        (expression("tier", "DoesNotExist"), True),
        (expression("size", "Gt", "9"), True),
        (expression("size", "Gt", "10"), False),
        (expression("size", "Lt", "11"), True),
        (expression("size", "Lt", "-11"), False),
        (expression("app", "Gt", "1"), False),
        (expression("size", "Gt", "one"), False),
        (expression("size", "Gt", "9", "10"), False),
        (expression("tier", "Gt", "1"), False),
        (expression("size", "Lt", "9223372036854775808"), False),
    ],
    ids=lambda v: " ".join(map(str, v.values())) if isinstance(v, dict) else str(v),
)
def test_one_requirement(requirement: dict[str, Any], want: bool) -> None:
    assert node_term(matchExpressions=[requirement]).matches(LABELS, "n1") is want


@pytest.mark.parametrize(
    ("fields", "want"),
    [
        ({}, False),
        ({"matchFields": [expression("metadata.name", "In", "n1")]}, True),
        ({"matchFields": [expression("metadata.name", "NotIn", "n1")]}, False),
        (
            {
                "matchFields": [expression("metadata.name", "In", "n1")],
                "matchExpressions": [expression("app", "In", "db")],
            },
            False,
        ),
    ],
    ids=["empty term", "name", "not that name", "name and wrong label"],
)
def test_node_terms(fields: dict[str, Any], want: bool) -> None:
    assert node_term(**fields).matches(LABELS, "n1") is want


@pytest.mark.parametrize(
    ("selector", "want"),
    [
        (None, False),
        (LabelSelector(), True),
        (LabelSelector({"app": "web"}), True),
        (LabelSelector({"app": "db"}), False),
    ],
    ids=["nil matches nothing", "empty matches all", "equal", "different"],
)
def test_label_selectors(selector: LabelSelector | None, want: bool) -> None:
    assert compile_selector(selector).matches(LABELS) is want


def test_equal_selectors_compile_to_equal_values() -> None:
    one = compile_selector(LabelSelector({"a": "1", "b": "2"}))
    other = compile_selector(LabelSelector({"b": "2", "a": "1"}))
    assert one == other
    assert hash(one) == hash(other)
