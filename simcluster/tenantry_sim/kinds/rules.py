"""The hooks through which one kind differs from the generic handlers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tenantry_sim.status import Cause
from tenantry_sim.store.records import Object
from tenantry_sim.world import World


def _nothing(*_: Any) -> None:
    return None


def _sound(*_: Any) -> list[Cause]:
    return []


@dataclass(frozen=True)
class Part:
    """A subresource through which a part of the spec is changed."""

    merge: Callable[[Object, Object], Object]
    """The old object with what the subresource takes from the new one: (old, new)."""
    validate: Callable[[Object, Object], list[Cause]]
    """What is wrong with the change: (old, merged)."""
    admitted: bool = False
    """Whether limits and quotas have a say, as for a new object."""


@dataclass(frozen=True)
class Rules:
    """All hooks change the decoded object in place; those that refuse raise ApiError."""

    default: Callable[[Object], None] = _nothing
    """Versioned defaults; runs on create, update and patch."""
    create: Callable[[World, Object], None] = _nothing
    """Mutating admission on create."""
    update: Callable[[World, Object, Object], None] = _nothing
    """Mutating admission on update: (world, old, new)."""
    validate: Callable[[Object], list[Cause]] = _sound
    """What is wrong with a new object."""
    validate_update: Callable[[Object, Object], list[Cause]] = _sound
    """What is wrong with a change: (old, new)."""
    admit: Callable[[World, Object, bool], None] = _nothing
    """Validating admission on create, after validation: (world, object, dry run)."""
    normalise_status: Callable[[Object], None] = _nothing
    """Defaults inside the status; runs on every write."""
    initial_status: Callable[[Object], Object] | None = None
    """The status of a new object; None gives an empty one where the kind has a status."""
    parts: Mapping[str, Part] = field(default_factory=dict)
    """Subresources that change a part of the spec, by name."""


def prune_nulls(value: Any) -> Any:
    """Drop null members, as Go's decoder does. Changes objects in place."""
    if isinstance(value, dict):
        for key in [k for k, v in value.items() if v is None]:
            del value[key]
        for inner in value.values():
            if isinstance(inner, dict | list):
                prune_nulls(inner)
    elif isinstance(value, list):
        for inner in value:
            prune_nulls(inner)
    return value


def condition_times(obj: Object) -> None:
    """Conditions of pods always carry type, status and both times, the latter null when unset."""
    for condition in (obj.get("status") or {}).get("conditions") or ():
        condition.setdefault("type", "")
        condition.setdefault("status", "")
        condition.setdefault("lastProbeTime", None)
        condition.setdefault("lastTransitionTime", None)
