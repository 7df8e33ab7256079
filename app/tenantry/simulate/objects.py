"""Objects that admission looks at and scheduling does not: quotas and limit ranges, with their decoders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenantry_core.model.decode import Decoder
from tenantry_core.model.objects import ObjectMeta, Quantities, Struct
from tenantry_core.model.quantity import QuantityError, amount


class ScopeRequirement(Struct, frozen=True):
    scope_name: str
    operator: str
    values: tuple[str, ...] | None = ()


class ScopeSelector(Struct, frozen=True):
    match_expressions: tuple[ScopeRequirement, ...] | None = ()


class QuotaSpec(Struct, frozen=True):
    hard: Quantities | None = None
    scopes: tuple[str, ...] | None = ()
    scope_selector: ScopeSelector | None = None


class QuotaStatus(Struct, frozen=True):
    used: Quantities | None = None


class ResourceQuota(Struct, frozen=True):
    metadata: ObjectMeta
    spec: QuotaSpec = QuotaSpec()
    status: QuotaStatus = QuotaStatus()


class LimitItem(Struct, frozen=True):
    type: str
    default: Quantities | None = None
    default_request: Quantities | None = None
    min: Quantities | None = None
    max: Quantities | None = None
    max_limit_request_ratio: Quantities | None = None


class LimitRangeSpec(Struct, frozen=True):
    limits: tuple[LimitItem, ...] | None = ()


class LimitRange(Struct, frozen=True):
    metadata: ObjectMeta
    spec: LimitRangeSpec = LimitRangeSpec()


ADMISSION_DECODERS: dict[str, Decoder[Any]] = {
    "ResourceQuota": Decoder("ResourceQuota", ResourceQuota),
    "LimitRange": Decoder("LimitRange", LimitRange),
}


def counted_as(resource: str) -> str:
    """The resource whose unit a quota's resource is counted in: `requests.cpu` in that of `cpu`."""
    for prefix in ("requests.", "limits."):
        if resource.startswith(prefix):
            return resource.removeprefix(prefix)
    return resource


def quota_amount(resource: str, text: str | int) -> int:
    """Canonical amount of a quota's resource. Raises QuantityError."""
    return amount(counted_as(resource), text)


def quantity_problem(item: ResourceQuota | LimitRange) -> tuple[str, str] | None:
    """(field, rule) of the first quantity that cannot be read, or None."""
    for path, quantities in _quantities(item):
        for name, text in (quantities or {}).items():
            try:
                quota_amount(name, text)
            except QuantityError as error:
                return f"{path}.{name}", str(error)
    return None


def _quantities(item: ResourceQuota | LimitRange) -> Iterator[tuple[str, Quantities | None]]:
    if isinstance(item, ResourceQuota):
        yield "spec.hard", item.spec.hard
        yield "status.used", item.status.used
        return
    for i, limit in enumerate(item.spec.limits or ()):
        for name in ("default", "default_request", "min", "max", "max_limit_request_ratio"):
            yield f"spec.limits[{i}].{name}", getattr(limit, name)
