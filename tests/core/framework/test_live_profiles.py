"""Profiles follow the plugins that come and go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from plugin_samples import guards

from tenantry_core.config.schema import Profile as ProfileSettings
from tenantry_core.framework.simple import NodeView, ScorePlugin, Task
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.loader_live import LiveProfiles
from tenantry_core.plugins.ports import Ports


class Late(ScorePlugin):
    """Comes while profiles run; the second time it is made it fails."""

    made = 0
    breaks = False

    @classmethod
    def create(cls, args: Mapping[str, object]) -> Self:
        Late.made += 1
        if Late.breaks and Late.made > 1:
            raise RuntimeError("no more")
        return cls()

    def name(self) -> str:
        return "Late"

    def score(self, task: Task, node: NodeView) -> float:
        return 0.5


def _live() -> LiveProfiles:
    Late.made, Late.breaks = 0, False
    live = LiveProfiles(Catalog(guards()), (ProfileSettings(),), {}, Ports())
    live.build()
    assert not live.due
    return live


def _scores(live: LiveProfiles) -> list[str]:
    return [s.name for s in live.current["default-scheduler"].score]


def test_a_plugin_that_comes_and_goes() -> None:
    live = _live()
    live.catalog.add(Late, "folder late.py", on=True)
    assert live.due
    live.refresh()
    assert "Late" in _scores(live)
    assert not live.due
    live.catalog.remove("Late")
    live.refresh()
    assert "Late" not in _scores(live)


def test_an_isolated_plugin_leaves_the_profiles_as_they_are() -> None:
    live = _live()
    before = live.current
    live.catalog.guards.changed()
    assert live.due
    assert live.refresh() is before
    assert not live.due


def test_profiles_that_cannot_be_built_stay_as_they_were() -> None:
    live = _live()
    before = live.current
    Late.breaks = True
    live.catalog.add(Late, "folder late.py", on=True)
    assert live.refresh() is before
    assert not live.due
