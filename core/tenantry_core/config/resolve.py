"""A profile to the plugins that run at each extension point, in order, with their score weights.

Source: the merge of default and custom plugin sets and the expansion of `multiPoint` in kube-scheduler 1.36:
defaults are a `multiPoint` list; a default named again keeps its place and takes the new weight; `*` disables all
defaults of a point; what a point names itself comes before what `multiPoint` brings when both name it, and after it
otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tenantry_core.config.points import BUILTIN_PLUGINS, DEFAULT_PLUGINS, Point
from tenantry_core.config.problems import FieldError, nearest
from tenantry_core.config.schema import PluginRef, PluginSet, Profile
from tenantry_core.config.settings import PluginOverride
from tenantry_core.errors import ConfigError

DEFAULT_SET = PluginSet(enabled=tuple(PluginRef(name, weight) for name, weight in DEFAULT_PLUGINS))
_NO_OVERRIDES: Mapping[str, PluginOverride] = {}


@dataclass(frozen=True, slots=True)
class ResolvedProfile:
    """What runs for one scheduler name."""

    profile: Profile
    """The profile as configured; plugins take their arguments from it."""
    points: Mapping[Point, tuple[str, ...]]
    """Plugin names at every extension point, in calling order."""
    weights: Mapping[str, int]
    """Weight of every plugin at Score, at least 1."""

    @property
    def plugins(self) -> tuple[str, ...]:
        """Every plugin that runs somewhere, once each, in order of first call."""
        return tuple(dict.fromkeys(name for names in self.points.values() for name in names))


def resolve_profile(
    profile: Profile,
    known_plugins: Mapping[str, frozenset[Point]] = BUILTIN_PLUGINS,
    overrides: Mapping[str, PluginOverride] = _NO_OVERRIDES,
) -> ResolvedProfile:
    """Plugin lists of a profile. Raises ConfigError where `load_config` would have given errors."""
    resolved, errors = resolve(profile, known_plugins, overrides)
    if errors:
        raise ConfigError([str(error) for error in errors])
    return resolved


def resolve(
    profile: Profile,
    known: Mapping[str, frozenset[Point]],
    overrides: Mapping[str, PluginOverride] = _NO_OVERRIDES,
    path: str = "profile",
) -> tuple[ResolvedProfile, list[FieldError]]:
    """Plugin lists of a profile and what is wrong with them; `path` is where the profile stands in its file."""
    errors = _listing_errors(profile, known, path)
    multi = merge(DEFAULT_SET, profile.plugins.multi_point).enabled
    multi = _switched(multi, overrides)
    points = {point: _at(point, profile, multi, known, overrides) for point in Point}
    weights = _weights(profile, multi, points[Point.SCORE], overrides)
    if len(sorting := points[Point.QUEUE_SORT]) != 1:
        listed = ", ".join(sorting) or "none"
        errors.append(FieldError(f"{path}.plugins.queueSort", f"exactly one plugin must be enabled, not {listed}"))
    if not points[Point.BIND]:
        errors.append(FieldError(f"{path}.plugins.bind", "at least one plugin must be enabled"))
    return ResolvedProfile(profile, points, weights), errors


def merge(default: PluginSet, custom: PluginSet) -> PluginSet:
    """Defaults changed by a user's set: disabled ones gone, reconfigured ones in their place, new ones at the end."""
    disabled = {ref.name for ref in custom.disabled}
    named = {ref.name: ref for ref in custom.enabled}
    kept = () if "*" in disabled else tuple(ref for ref in default.enabled if ref.name not in disabled)
    replaced = {ref.name for ref in kept} & named.keys()
    enabled = tuple(named.get(ref.name, ref) for ref in kept)
    enabled += tuple(ref for ref in custom.enabled if ref.name not in replaced)
    return PluginSet(enabled=enabled, disabled=custom.disabled)


def _switched(multi: tuple[PluginRef, ...], overrides: Mapping[str, PluginOverride]) -> tuple[PluginRef, ...]:
    present = {ref.name for ref in multi}
    added = tuple(PluginRef(name) for name, o in overrides.items() if o.enabled and name not in present)
    return multi + added


def _at(
    point: Point,
    profile: Profile,
    multi: tuple[PluginRef, ...],
    known: Mapping[str, frozenset[Point]],
    overrides: Mapping[str, PluginOverride],
) -> tuple[str, ...]:
    own = profile.plugins.at(point)
    named = [ref.name for ref in own.enabled]
    disabled = {ref.name for ref in own.disabled}
    spread = [
        ref.name
        for ref in multi
        if "*" not in disabled and ref.name not in disabled and point in known.get(ref.name, frozenset())
    ]
    both = [name for name in named if name in spread]
    ordered = both + [name for name in spread if name not in both] + [name for name in named if name not in both]
    left = [name for name in dict.fromkeys(ordered) if name not in overrides or overrides[name].enabled is not False]
    return tuple(sorted(left, key=lambda name: (overrides[name].order or 0) if name in overrides else 0))


def _weights(
    profile: Profile,
    multi: tuple[PluginRef, ...],
    scoring: tuple[str, ...],
    overrides: Mapping[str, PluginOverride],
) -> dict[str, int]:
    weights: dict[str, int] = {}
    for ref in (*profile.plugins.score.enabled, *multi):
        weights.setdefault(ref.name, ref.weight or 1)
    weights.update({name: o.weight for name, o in overrides.items() if o.weight is not None})
    return {name: weights.get(name, 1) for name in scoring}


def _listing_errors(profile: Profile, known: Mapping[str, frozenset[Point]], path: str) -> list[FieldError]:
    """Names in `enabled` lists that are unknown, repeated, or do not serve the point."""
    errors: list[FieldError] = []
    lists = [(point.field, profile.plugins.at(point), point) for point in Point]
    for field, plugins, point in [*lists, ("multiPoint", profile.plugins.multi_point, None)]:
        seen: set[str] = set()
        for i, ref in enumerate(plugins.enabled):
            where = f"{path}.plugins.{field}.enabled[{i}].name"
            if not ref.name:
                errors.append(FieldError(where, "must be set"))
            elif ref.name not in known:
                errors.append(FieldError(where, f'unknown plugin "{ref.name}"{nearest(ref.name, known)}'))
            elif ref.name in seen:
                errors.append(FieldError(where, f'"{ref.name}" is named twice'))
            elif point is not None and point not in known[ref.name]:
                served = ", ".join(p.field for p in Point if p in known[ref.name]) or "no extension point"
                errors.append(FieldError(where, f'"{ref.name}" does not serve {field}; it serves {served}'))
            seen.add(ref.name)
    return errors
