"""How controllers write: creations pass admission as a request would, changes of status are written only if any."""

from collections.abc import Callable
from typing import Any

from tenantry_sim.api.call import Call
from tenantry_sim.api.verbs import create_object
from tenantry_sim.kinds.table import BY_KEY
from tenantry_sim.status import ApiError
from tenantry_sim.store.records import Object, Record
from tenantry_sim.world import World


def create(world: World, key: str, namespace: str, obj: Object) -> Record:
    """Admit, default and store a new object. Raises ApiError, and Suspended while webhooks are asked."""
    call = Call("POST", BY_KEY[key], namespace, "", "", {})
    keeper = world.doorkeeper
    gate = call.gate = keeper.gate(call, obj) if keeper is not None else None
    if keeper is None or gate is None:
        record = create_object(world, call, obj)
    else:
        try:
            record = create_object(world, call, obj)
        except ApiError:
            keeper.passed(gate)
            raise
        keeper.passed(gate)
    assert record is not None
    return record


def change(world: World, key: str, record: Record, action: Callable[[Object], Any]) -> Record:
    """Apply `action` to a private copy and store it if it differs; the generation counts changes of the spec."""
    before, after = record.decode(), record.decode()
    action(after)
    if after == before:
        return record
    if world.kind(key).resource.generation and after.get("spec") != before.get("spec"):
        after["metadata"]["generation"] = before["metadata"].get("generation", 0) + 1
    return world.store.replace(world.kind(key), record, after)


def set_status(world: World, key: str, record: Record, status: Object) -> Record:
    """Replace the status where it differs."""

    def write(obj: Object) -> None:
        obj["status"] = status

    return change(world, key, record, write)


def scale(world: World, key: str, record: Record, replicas: int) -> Record:
    """Set `spec.replicas`."""

    def write(obj: Object) -> None:
        obj["spec"]["replicas"] = replicas

    return change(world, key, record, write)


def put_condition(status: Object, condition: Object, now: str, updates: bool = False) -> None:
    """Put a condition in its place; times move only when status (transition) or anything (update) changes."""
    conditions = status.setdefault("conditions", [])
    fresh = {"type": condition["type"], "status": condition["status"], "lastTransitionTime": now, **condition}
    if updates:
        fresh["lastUpdateTime"] = now
    for i, present in enumerate(conditions):
        if present.get("type") != condition["type"]:
            continue
        if present.get("status") == condition["status"]:
            fresh["lastTransitionTime"] = present.get("lastTransitionTime", now)
            if present.get("reason") == condition.get("reason") and updates:
                fresh["lastUpdateTime"] = present.get("lastUpdateTime", now)
        conditions[i] = fresh
        return
    conditions.append(fresh)


def condition_of(status: Object, kind: str) -> Object | None:
    """The condition of a type."""
    return next((c for c in status.get("conditions") or () if c.get("type") == kind), None)
