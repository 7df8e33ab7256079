"""Whatever stands in a file, the answer is a configuration or a list of errors, never an exception."""

import json
from dataclasses import fields

from hypothesis import given, settings
from hypothesis import strategies as st

from tenantry_core.config import Config, SchedulerSettings, TenantrySettings, load_config
from tenantry_core.config.decode import camel

NAMES = sorted(
    {camel(f.name) for kind in (SchedulerSettings, TenantrySettings) for f in fields(kind)}
    | {"name", "args", "enabled", "disabled", "multiPoint", "score", "pluginConfig", "schedulerName", "NodeAffinity"}
)
WORDS = st.sampled_from([*NAMES, "*", "", "15s", "-1h", "PodTopologySpread", "addedAffinity", "scoringStrategy"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 70), 1 << 70) | st.floats() | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=20,
)
HEADERS = [
    {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"},
    {"apiVersion": "tenantry.io/v1alpha1", "kind": "TenantryConfiguration"},
]


@given(st.sampled_from(HEADERS), st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6))
@settings(max_examples=200, deadline=None)
def test_any_fields(header: dict[str, str], body: dict[str, object]) -> None:
    result = load_config(json.dumps({**body, **header}))
    assert isinstance(result, Config) or all(error.message for error in result)


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text(text: str) -> None:
    result = load_config(text)
    assert isinstance(result, Config) or all(error.message for error in result)
