"""The shape of one row of the resource table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, eq=False)
class Resource:
    """One served resource: what discovery prints and what the generic handlers need to know."""

    group: str
    """API group; empty for core."""
    version: str
    """API version, `v1` for all rows so far."""
    plural: str
    """Name in the path."""
    kind: str
    """Kind of one object."""
    namespaced: bool = True
    """Whether objects live in a namespace."""
    singular: str = ""
    """Singular name; the kind in lower case when empty."""
    short: tuple[str, ...] = ()
    """Short names that kubectl accepts."""
    categories: tuple[str, ...] = ()
    """Categories that kubectl accepts, such as `all`."""
    subresources: tuple[str, ...] = ()
    """Subresources besides the object itself, such as `status`."""
    generation: bool = False
    """Whether `metadata.generation` counts changes of the spec."""
    keeps_status: bool = False
    """Whether a create may bring a status (nodes)."""
    returns_deleted: bool = False
    """Whether delete answers with the object instead of a Status."""
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Selectable field paths beyond metadata, each with the keys that lead to it."""
    stored_as: str = ""
    """`group/plural` of the resource whose store this one shares (events)."""
    verbs: tuple[str, ...] = ALL_VERBS
    """Verbs served on the object itself."""
    finalizer: str = ""
    """Finalizer that a delete adds, for a controller to lift."""
    custom: Any = None
    """What its definition says of a custom resource (`tenantry_sim.custom.served`); None for built-in kinds."""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def single(self) -> str:
        return self.singular or self.kind.lower()

    @property
    def key(self) -> str:
        return f"{self.group}/{self.plural}"

    @property
    def has_status(self) -> bool:
        return "status" in self.subresources

    @property
    def selectable(self) -> frozenset[str]:
        """Every path that a field selector may name."""
        return frozenset(self.fields) | {"metadata.name", "metadata.namespace"}


def field_values(resource: Resource, obj: Mapping[str, Any]) -> dict[str, str]:
    """The object's values at the resource's selectable paths, as text; absent ones are left out."""
    found: dict[str, str] = {}
    for path, keys in resource.fields.items():
        value: Any = obj
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if value is True or value is False:
            found[path] = "true" if value else "false"
        elif value is not None:
            found[path] = str(value)
    return found
