"""Deleting an object: preconditions, grace, finalizers."""

from dataclasses import dataclass, field
from typing import Any

from tenantry_sim.clock import stamp
from tenantry_sim.status import Cause, bad_request, conflict, invalid
from tenantry_sim.store.records import Object, Record
from tenantry_sim.store.store import KindStore
from tenantry_sim.world import World

FOREGROUND, ORPHAN = "foregroundDeletion", "orphan"
"""Finalizers that the garbage collector lifts."""
_POLICIES = {"": None, "Background": None, "Foreground": FOREGROUND, "Orphan": ORPHAN}


@dataclass(slots=True)
class DeleteOptions:
    """What the caller asked for; None stands for "the kind's own rule"."""

    grace: int | None = None
    uid: str = ""
    resource_version: str = ""
    dry_run: bool = False
    propagation: str = ""
    """`Background`, `Foreground` or `Orphan`; empty as `Background`."""
    causes: list[str] = field(default_factory=list)


def options_from(document: dict[str, Any], query: dict[str, str]) -> DeleteOptions:
    """Options of the body and of the query string. Raises ApiError 400."""
    preconditions = document.get("preconditions") or {}
    grace = document.get("gracePeriodSeconds", query.get("gracePeriodSeconds"))
    dry_run = document.get("dryRun") or query.get("dryRun")
    try:
        seconds = None if grace is None else int(grace)
    except (TypeError, ValueError):
        raise bad_request(f"invalid gracePeriodSeconds {grace!r}") from None
    uid, version = preconditions.get("uid", ""), preconditions.get("resourceVersion", "")
    return DeleteOptions(seconds, uid, version, bool(dry_run), _propagation(document, query))


def _propagation(document: dict[str, Any], query: dict[str, str]) -> str:
    policy = document.get("propagationPolicy") or query.get("propagationPolicy") or ""
    orphan = document.get("orphanDependents", query.get("orphanDependents"))
    if not policy and orphan is not None:
        return "Orphan" if orphan in (True, "true", "1") else "Background"
    if not isinstance(policy, str) or policy not in _POLICIES:
        why = f'Unsupported value: "{policy}": supported values: "Background", "Foreground", "Orphan"'
        raise invalid("DeleteOptions", "meta.k8s.io", "", [Cause("FieldValueNotSupported", why, "propagationPolicy")])
    return policy


def check_preconditions(kind: KindStore, record: Record, options: DeleteOptions) -> None:
    resource = kind.resource
    if options.uid and options.uid != record.uid:
        why = (
            f"the UID in the precondition ({options.uid}) does not match the UID in record ({record.uid}). "
            "The object might have been deleted and then recreated"
        )
        raise conflict(resource.kind, resource.group, record.name, why)
    if options.resource_version and options.resource_version != str(record.rv):
        why = (
            f"the ResourceVersion in the precondition ({options.resource_version}) does not match the ResourceVersion "
            f"in record ({record.rv}). The object might have been modified"
        )
        raise conflict(resource.kind, resource.group, record.name, why)


def delete(world: World, kind: KindStore, record: Record, options: DeleteOptions) -> tuple[Object, bool]:
    """Delete or mark for deletion. Returns the object as the caller sees it, and whether it is gone."""
    check_preconditions(kind, record, options)
    obj = record.decode()
    if kind.resource.key == "/namespaces":
        return _terminate_namespace(world, kind, record, obj, options)
    grace = _grace(kind, obj, options)
    metadata = obj["metadata"]
    if record.deleting:
        if grace >= metadata.get("deletionGracePeriodSeconds", 0) and grace > 0:
            return obj, False
    else:
        metadata["deletionTimestamp"] = stamp(world.clock.now() + grace)
        if "generation" in metadata:
            metadata["generation"] += 1
    finalizer = _POLICIES[options.propagation]
    added = finalizer is not None and finalizer not in metadata.get("finalizers", ())
    if added:
        metadata.setdefault("finalizers", []).append(finalizer)
    if kind.resource.finalizer and not record.deleting:
        metadata.setdefault("finalizers", []).append(kind.resource.finalizer)
    changed = added or metadata.get("deletionGracePeriodSeconds") != grace
    metadata["deletionGracePeriodSeconds"] = grace
    held = grace > 0 or bool(metadata.get("finalizers"))
    if options.dry_run:
        return obj, not held
    if held:
        if changed:
            world.store.replace(kind, record, obj)
        return obj, False
    if record.deleting and changed:
        record = world.store.replace(kind, record, obj)
    gone = world.store.remove(kind, record)
    metadata["resourceVersion"] = str(gone.rv)
    return obj, True


def _grace(kind: KindStore, obj: Object, options: DeleteOptions) -> int:
    """Seconds that the object stays; only pods on a node have any."""
    if kind.resource.key != "/pods":
        return 0
    if not obj["spec"].get("nodeName") or obj.get("status", {}).get("phase") in ("Succeeded", "Failed"):
        return 0
    grace = options.grace if options.grace is not None else int(obj["spec"].get("terminationGracePeriodSeconds", 30))
    return grace if grace >= 0 else 1


def _terminate_namespace(
    world: World, kind: KindStore, record: Record, obj: Object, options: DeleteOptions
) -> tuple[Object, bool]:
    if record.deleting or options.dry_run:
        return obj, False
    obj["metadata"]["deletionTimestamp"] = world.stamp()
    obj["status"] = {**obj.get("status", {}), "phase": "Terminating"}
    world.store.replace(kind, record, obj)
    return obj, False


def release(world: World, kind: KindStore, record: Record, obj: Object) -> bool:
    """After an update: remove an object that was only waiting for its last finalizer."""
    metadata = obj["metadata"]
    if "deletionTimestamp" not in metadata or metadata.get("finalizers"):
        return False
    if metadata.get("deletionGracePeriodSeconds", 0) > 0:
        return False
    if kind.resource.key == "/namespaces" and obj.get("spec", {}).get("finalizers"):
        return False
    gone = world.store.remove(kind, record)
    metadata["resourceVersion"] = str(gone.rv)
    return True
