"""The example package passes the checks of loading and does what its description says."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugin_samples import guards

from tenantry_core.config.schema import PluginConfig
from tenantry_core.config.schema import Profile as ProfileSettings
from tenantry_core.config.settings import PluginOverride
from tenantry_core.cycle.constraints import constraints_of
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.ports import Ports
from tenantry_core.plugins.testing import node_view, task

SOURCE = Path(__file__).parents[3] / "examples" / "out_of_tree_plugin" / "src"


@pytest.fixture
def catalog(monkeypatch: pytest.MonkeyPatch) -> Catalog:
    monkeypatch.syspath_prepend(str(SOURCE))
    import tenantry_example_plugins as example

    found = Catalog(guards())
    found.add(example.CheapFirst, "package example 0.1.0")
    found.add(example.LicenceSeats, "package example 0.1.0")
    return found


def test_example_plugins_run_when_switched_on(catalog: Catalog) -> None:
    on = {name: PluginOverride(enabled=True, weight=3) for name in ("CheapFirst", "LicenceSeats")}
    settings = ProfileSettings(plugin_config=(PluginConfig("CheapFirst", raw={"dearest": 4.0}),))
    profile = catalog.build(settings, on, Ports())
    assert ("CheapFirst", 3) in [(s.name, s.weight) for s in profile.score]
    assert [c.name for c in constraints_of(profile)] == ["LicenceSeats"]


def test_example_constraint_counts_seats(catalog: Catalog) -> None:
    from tenantry_example_plugins import LicenceSeats

    licensed = task(labels={"example.com/licensed": "true"})
    seats = {"example.com/licence-seats": "1"}
    assert LicenceSeats().allows(licensed, node_view(labels=seats)) is True
    assert LicenceSeats().allows(licensed, node_view(labels=seats, pods=[{}])) == "node(s) had no free licence seat"
