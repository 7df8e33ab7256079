"""The catalogue as a table: unique, well formed, and in step with kube-scheduler's names."""

import ast
import inspect
import re

import pytest
from upstream_metrics import UPSTREAM, bounds

from tenantry_telemetry import api
from tenantry_telemetry.catalogue import CATALOGUE, by_name
from tenantry_telemetry.metric import Kind, Metric


@pytest.mark.parametrize("name", UPSTREAM)
def test_declared_as_upstream(name: str) -> None:
    kind, labels, buckets = UPSTREAM[name]
    metric = by_name()[name]
    assert metric.kind == kind
    assert metric.labels == tuple(labels.split())
    if buckets is not None:
        assert [*metric.buckets, float("inf")] == pytest.approx(bounds(buckets))


@pytest.mark.parametrize("metric", CATALOGUE, ids=[metric.name for metric in CATALOGUE])
def test_entry_is_well_formed(metric: Metric) -> None:
    assert re.fullmatch(
        r"(scheduler|rest_client|leader_election|workqueue|kubernetes|tenantry)_[a-z0-9_]+", metric.name
    )
    assert metric.name.endswith("_total") == (metric.kind is Kind.COUNTER)
    assert bool(metric.buckets) == (metric.kind is Kind.HISTOGRAM)
    assert list(metric.buckets) == sorted(set(metric.buckets))
    assert metric.help.endswith(".")
    assert not {"pod", "node", "uid"} & set(metric.labels)


def test_names_are_unique() -> None:
    assert len(by_name()) == len(CATALOGUE)


def test_core_facing_module_imports_typing_only() -> None:
    tree = ast.parse(inspect.getsource(api))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [getattr(node, "module", None) for node in imported] == ["typing"]
