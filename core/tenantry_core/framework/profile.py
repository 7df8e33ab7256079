"""A profile: the plugins of one scheduler name, per extension point, in order, with their weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tenantry_core.framework.binding import BindPlugin, PermitPlugin, PostBindPlugin, PreBindPlugin, ReservePlugin
from tenantry_core.framework.plugin import (
    FilterPlugin,
    Plugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreScorePlugin,
    ScorePlugin,
)


class Weighted(NamedTuple):
    """A score plugin and what its 0 to 100 is multiplied by."""

    name: str
    plugin: ScorePlugin
    weight: int


class Named(NamedTuple):
    """A filter plugin under its name."""

    name: str
    plugin: FilterPlugin


@dataclass(frozen=True)
class Profile:
    """Everything the cycle and the bind stage call, in calling order."""

    scheduler_name: str
    plugins: tuple[Plugin, ...]
    pre_enqueue: tuple[PreEnqueuePlugin, ...]
    pre_filter: tuple[PreFilterPlugin, ...]
    filter: tuple[Named, ...]
    post_filter: tuple[Any, ...]
    pre_score: tuple[PreScorePlugin, ...]
    score: tuple[Weighted, ...]
    reserve: tuple[ReservePlugin, ...]
    permit: tuple[PermitPlugin, ...]
    pre_bind: tuple[PreBindPlugin, ...]
    bind: tuple[BindPlugin, ...]
    post_bind: tuple[PostBindPlugin, ...]
    percentage_of_nodes_to_score: int = 0
    """Percent of nodes looked at before scoring; 0 and 100 look at all."""


def profile_of(scheduler_name: str, plugins: Sequence[tuple[Plugin, int]], percentage: int = 0) -> Profile:
    """Build a profile in which every plugin takes part in each point it implements; pairs are (plugin, weight)."""
    every = [plugin for plugin, _ in plugins]
    return Profile(
        scheduler_name=scheduler_name,
        plugins=tuple(every),
        pre_enqueue=_all(every, PreEnqueuePlugin),
        pre_filter=_all(every, PreFilterPlugin),
        filter=tuple(Named(p.name, p) for p in every if isinstance(p, FilterPlugin)),
        post_filter=tuple(p for p in every if hasattr(p, "post_filter")),
        pre_score=_all(every, PreScorePlugin),
        score=tuple(Weighted(p.name, p, w) for p, w in plugins if isinstance(p, ScorePlugin) and w > 0),
        reserve=_all(every, ReservePlugin),
        permit=_all(every, PermitPlugin),
        pre_bind=_all(every, PreBindPlugin),
        bind=_all(every, BindPlugin),
        post_bind=_all(every, PostBindPlugin),
        percentage_of_nodes_to_score=percentage,
    )


def _all(plugins: Sequence[Plugin], point: Any) -> tuple[Any, ...]:
    return tuple(p for p in plugins if isinstance(p, point))
