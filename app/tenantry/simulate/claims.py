"""Claims that come with added pods: those of a stateful set's templates, and those of ephemeral volumes.

A claim of a class that provisions at once would have its volume before the pod is tried: it is shown as bound to a
volume that every node reaches. A claim that waits for its first consumer is left to the volume plugins.
"""

from __future__ import annotations

from typing import Any

from tenantry.simulate.inventory import Inventory
from tenantry.simulate.read import floats_as_text
from tenantry_core.model.decode import DecodeError, from_builtins
from tenantry_core.model.storage import StorageClass

Body = dict[str, Any]
_DEFAULT = "storageclass.kubernetes.io/is-default-class"
_BOUND = {"pv.kubernetes.io/bind-completed": "yes"}
_BY_HAND = "kubernetes.io/no-provisioner"


def make_claim(found: Inventory, wanted: Body, meta: Body) -> str:
    """Put a claim with this spec into the cluster unless one of its name is there. Returns what is wrong, or ""."""
    namespace, name = meta["namespace"], meta["name"]
    if found.cache.storage.stored_claim(namespace, name) is not None:
        return ""
    spec: Body = floats_as_text(dict(wanted))
    if spec.get("storageClassName") is None:
        default = _default_class(found)
        if default is not None:
            spec["storageClassName"] = default.metadata.name
    body: Body = {"metadata": {"uid": f"added/{namespace}/{name}", **meta}, "spec": spec, "status": {}}
    chosen = found.storage_classes.get(str(spec.get("storageClassName")))
    try:
        if chosen is not None and _binds_at_once(chosen):
            _provision(found, body)
        found.cache.put("PersistentVolumeClaim", from_builtins("PersistentVolumeClaim", body))
    except DecodeError as error:
        return f"claim {name}: {error.field}: {error.rule}"
    return ""


def _binds_at_once(chosen: StorageClass) -> bool:
    return chosen.volume_binding_mode != "WaitForFirstConsumer" and chosen.provisioner != _BY_HAND


def _provision(found: Inventory, claim: Body) -> None:
    meta, spec = claim["metadata"], claim["spec"]
    volume = f"simulated-{meta['namespace']}-{meta['name']}"
    spec["volumeName"] = volume
    meta["annotations"] = dict(_BOUND)
    claim["status"] = {"phase": "Bound"}
    body = {
        "metadata": {"name": volume, "uid": volume},
        "spec": {
            "capacity": claim_requests(spec),
            "accessModes": spec.get("accessModes") or [],
            "storageClassName": spec["storageClassName"],
            "claimRef": {"namespace": meta["namespace"], "name": meta["name"], "uid": meta["uid"]},
        },
        "status": {"phase": "Bound"},
    }
    found.cache.put("PersistentVolume", from_builtins("PersistentVolume", body))


def claim_requests(spec: Body) -> Any:
    """What the claim asks for, as it stands."""
    resources = spec.get("resources")
    return (resources.get("requests") if isinstance(resources, dict) else None) or {}


def _default_class(found: Inventory) -> StorageClass | None:
    marked = [c for c in found.storage_classes.values() if (c.metadata.annotations or {}).get(_DEFAULT) == "true"]
    return max(marked, key=lambda c: c.metadata.creation_timestamp, default=None)
