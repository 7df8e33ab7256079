"""A resolved profile and the plugin factories to the profile that the cycle runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenantry_core.config.points import Point
from tenantry_core.config.resolve import ResolvedProfile, resolve_profile
from tenantry_core.config.schema import Profile as ProfileSettings
from tenantry_core.framework.profile import Named, Profile, Weighted
from tenantry_core.plugins.defaults import Factory, builtin_factories
from tenantry_core.plugins.ports import Ports


def build_profile(
    resolved: ResolvedProfile,
    ports: Ports,
    factories: Mapping[str, Factory] | None = None,
    percentage: int = 0,
) -> Profile:
    """Make every plugin of the profile once and sort them by extension point. KeyError for an unknown name."""
    makers = factories if factories is not None else builtin_factories()
    made: dict[str, Any] = {name: makers[name](resolved.profile, ports) for name in resolved.plugins}

    def at(point: Point, method: str) -> tuple[Any, ...]:
        return tuple(made[n] for n in resolved.points[point] if hasattr(made[n], method))

    return Profile(
        scheduler_name=resolved.profile.scheduler_name,
        plugins=tuple(made.values()),
        pre_enqueue=at(Point.PRE_ENQUEUE, "pre_enqueue"),
        pre_filter=at(Point.PRE_FILTER, "pre_filter"),
        filter=tuple(Named(p.name, p) for p in at(Point.FILTER, "filter")),
        post_filter=at(Point.POST_FILTER, "post_filter"),
        pre_score=at(Point.PRE_SCORE, "pre_score"),
        score=tuple(Weighted(p.name, p, resolved.weights[p.name]) for p in at(Point.SCORE, "score")),
        reserve=at(Point.RESERVE, "reserve"),
        permit=at(Point.PERMIT, "permit"),
        pre_bind=at(Point.PRE_BIND, "pre_bind"),
        bind=at(Point.BIND, "bind"),
        post_bind=at(Point.POST_BIND, "post_bind"),
        percentage_of_nodes_to_score=percentage,
    )


def default_profile(scheduler_name: str = "default-scheduler", ports: Ports | None = None) -> Profile:
    """All default plugins with their default arguments and weights, every node considered."""
    resolved = resolve_profile(ProfileSettings(scheduler_name=scheduler_name))
    return build_profile(resolved, ports or Ports())
