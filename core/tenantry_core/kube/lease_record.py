"""The Lease object and the records that an elector writes into it. Pure; no I/O."""

from typing import Any

import msgspec

from tenantry_core.kube.resources import LEASES
from tenantry_core.kube.values import Key


class LeaseSpec(msgspec.Struct, rename="camel", omit_defaults=True, frozen=True):
    """All fields of the spec, so that a PUT drops none."""

    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    acquire_time: str | None = None
    renew_time: str | None = None
    lease_transitions: int | None = None
    strategy: str | None = None
    preferred_holder: str | None = None

    @property
    def holder(self) -> str:
        """Identity of the holder, "" for a lease that is free."""
        return self.holder_identity or ""


class Lease(msgspec.Struct, rename="camel", frozen=True):
    """A Lease; its metadata is carried through as it came, labels and owners included."""

    metadata: dict[str, Any]
    spec: LeaseSpec = LeaseSpec()
    api_version: str = LEASES.api_version
    kind: str = LEASES.kind

    @property
    def resource_version(self) -> str:
        """Version that the next write is based on, "" for a lease not stored yet."""
        version = self.metadata.get("resourceVersion", "")
        return version if isinstance(version, str) else ""


def first(key: Key, identity: str, duration: float, now: str) -> Lease:
    """The record of whoever creates the lease."""
    return Lease({"name": key.name, "namespace": key.namespace}, LeaseSpec(identity, int(duration), now, now, 0))


def taken(lease: Lease, identity: str, duration: float, now: str) -> Lease:
    """The record of a new holder; the change of hands is counted."""
    transitions = (lease.spec.lease_transitions or 0) + 1
    return _with(
        lease,
        holder_identity=identity,
        lease_duration_seconds=int(duration),
        acquire_time=now,
        renew_time=now,
        lease_transitions=transitions,
    )


def renewed(lease: Lease, duration: float, now: str) -> Lease:
    """The same holder, a later time."""
    return _with(lease, lease_duration_seconds=int(duration), renew_time=now)


def released(lease: Lease, now: str) -> Lease:
    """Nobody's lease; a duration of one second lets older clients take it at once as well."""
    return _with(lease, holder_identity="", lease_duration_seconds=1, acquire_time=now, renew_time=now)


def _with(lease: Lease, **changes: Any) -> Lease:
    return msgspec.structs.replace(lease, spec=msgspec.structs.replace(lease.spec, **changes))
