"""A raw object of the API to a struct, or to the reason why it can't be read. Pure."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from tenantry_core.kube import resources as kinds
from tenantry_core.kube.resources import Resource
from tenantry_core.model.decode import DECODERS, DecodeError, Identity

FOLLOWED: tuple[Resource, ...] = (
    kinds.NODES,
    kinds.PODS,
    kinds.NAMESPACES,
    kinds.PERSISTENT_VOLUMES,
    kinds.PERSISTENT_VOLUME_CLAIMS,
    kinds.STORAGE_CLASSES,
    kinds.CSI_NODES,
    kinds.CSI_DRIVERS,
    kinds.CSI_STORAGE_CAPACITIES,
    kinds.VOLUME_ATTACHMENTS,
    kinds.SERVICES,
    kinds.REPLICATION_CONTROLLERS,
    kinds.REPLICA_SETS,
    kinds.STATEFUL_SETS,
    kinds.POD_DISRUPTION_BUDGETS,
)
"""Every kind that scheduling follows."""

REQUIRED = frozenset({kinds.NODES, kinds.PODS})
"""Kinds without which nothing can be decided. A server that lacks or forbids another one is put up with."""


class ObjectKey(NamedTuple):
    """Namespace ("" for cluster-scoped kinds) and name."""

    namespace: str
    name: str


class Unreadable(NamedTuple):
    """An object that does not fit its struct: what is known of it, the field, and the rule that it breaks."""

    kind: str
    identity: Identity
    field: str
    rule: str

    @property
    def key(self) -> ObjectKey:
        """Key of the object; both parts are empty where even that can't be read."""
        return ObjectKey(self.identity.namespace, self.identity.name)


def translate(kind: str, raw: msgspec.Raw) -> msgspec.Struct | Unreadable:
    """The struct of an object of `kind` (a key of `model.decode.DECODERS`)."""
    try:
        decoded: msgspec.Struct = DECODERS[kind](raw)
    except DecodeError as fault:
        return Unreadable(kind, fault.identity, fault.field, fault.rule)
    return decoded
