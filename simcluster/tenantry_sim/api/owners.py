"""When the owners of fields are tracked, and by which name a caller is known."""

from tenantry_sim.api.call import BUSY, Call
from tenantry_sim.ownership.managers import Writer, created, updated
from tenantry_sim.schemas.nodes import FREE, Node
from tenantry_sim.schemas.package import node_of
from tenantry_sim.store.records import Object
from tenantry_sim.world import World


def fields_of(call: Call) -> Node:
    """The fields of the call's kind."""
    resource = call.resource
    if resource.custom is not None:
        node: Node = resource.custom.node
        return node
    return node_of(resource.group, resource.version, resource.kind) or FREE


def writer_of(world: World, call: Call, operation: str = "Update") -> Writer:
    """The caller as a manager of fields: by `fieldManager`, else by the first word of its user agent."""
    manager = call.query.get("fieldManager") or call.agent.partition("/")[0][:128] or "unknown"
    resource = call.resource
    return Writer(manager, operation, resource.api_version, call.subresource, resource.has_status, world.stamp())


def note_create(world: World, call: Call, obj: Object) -> None:
    """Record the owners of a new object. Kinds of which many are written have to be asked for (`fieldManager`)."""
    if call.applied is not None:
        obj["metadata"]["managedFields"] = call.applied
    elif call.resource.key not in BUSY or call.query.get("fieldManager"):
        entries = created(obj, fields_of(call), writer_of(world, call))
        if entries:
            obj["metadata"]["managedFields"] = entries


def note_update(world: World, call: Call, old: Object, new: Object) -> None:
    """Record the owners after a change, if anybody tracks the object's fields."""
    if call.applied is not None:
        new["metadata"]["managedFields"] = call.applied
    elif new["metadata"].get("managedFields") and new != old:
        new["metadata"]["managedFields"] = updated(old, new, fields_of(call), writer_of(world, call))
    if not new["metadata"].get("managedFields", True):
        del new["metadata"]["managedFields"]
