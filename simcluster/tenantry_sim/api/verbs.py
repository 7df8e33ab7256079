"""The generic verbs: get, list, create, update, delete, deletecollection, for every row of the resource table."""

from typing import Any

from tenantry_sim.api.call import Answer, Call, decode_object, decode_optional
from tenantry_sim.api.changes import commit, decode_update
from tenantry_sim.api.listing import Page, select
from tenantry_sim.api.owners import note_create
from tenantry_sim.api.tables import TableStyle, table_bytes
from tenantry_sim.kinds import charging, deletion
from tenantry_sim.kinds.events import to_stored, to_view, view_raw
from tenantry_sim.kinds.names import metadata_causes
from tenantry_sim.kinds.registry import rules_of
from tenantry_sim.kinds.rules import Rules
from tenantry_sim.status import Cause, already_exists, bad_request, forbidden, invalid, not_found
from tenantry_sim.store.records import Object, Record, encode, with_type
from tenantry_sim.store.resource import Resource
from tenantry_sim.world import World

_SERVER_SET = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "selfLink",
    "managedFields",
)
_EMPTY_DROPPED = ("labels", "annotations", "finalizers", "ownerReferences")


def required_record(world: World, call: Call) -> Record:
    """The record that the call names. Raises ApiError 404."""
    record = world.store.kind(call.resource).get(call.namespace, call.name)
    if record is None:
        raise not_found(call.resource.plural, call.resource.group, call.name)
    return record


def shown(world: World, call: Call, record: Record, code: int = 200) -> Answer:
    """A single object as the answer, as a Table if the caller asked for one."""
    if call.as_table:
        return Answer(code, table_bytes(call.resource, [record], record.rv, _style(world, call)))
    return Answer(code, with_type(call.resource, view_raw(call.resource, record)))


def _style(world: World, call: Call, more: str = "") -> TableStyle:
    return TableStyle(world.clock.now(), call.query.get("includeObject", "Metadata"), more=more)


def shown_object(resource: Resource, obj: Object, code: int = 200) -> Answer:
    """An object that is not (or no longer) stored as the answer."""
    return Answer(code, with_type(resource, encode(to_view(resource, obj))))


def get(world: World, call: Call) -> Answer:
    return shown(world, call, required_record(world, call))


def list_objects(world: World, call: Call) -> Answer:
    page = select(world.store, world.store.kind(call.resource), call)
    if call.as_table:
        return Answer(200, table_bytes(call.resource, page.records, page.rv, _style(world, call, page.next)))
    return Answer(200, list_bytes(call.resource, page))


def list_bytes(resource: Resource, page: Page) -> bytes:
    """A List of the page's records from their stored bytes."""
    metadata: dict[str, Any] = {"resourceVersion": str(page.rv)}
    if resource.custom is not None:
        metadata["continue"] = ""
    if page.next:
        metadata["continue"] = page.next
        if page.remaining:
            metadata["remainingItemCount"] = page.remaining
    if resource.group == "events.k8s.io":
        raws = [view_raw(resource, r) for r in page.records]
    elif resource.custom is not None:
        raws = [with_type(resource, r.raw) for r in page.records]
    else:
        raws = [r.raw for r in page.records]
    head = b'{"kind":"%bList","apiVersion":"%b","metadata":%b,"items":[' % (
        resource.kind.encode(),
        resource.api_version.encode(),
        encode(metadata),
    )
    return b"".join((head, b",".join(raws), b"]}"))


def create(world: World, call: Call) -> Answer:
    """Admit, default, validate and store a new object."""
    obj = to_stored(call.resource, decode_object(call))
    record = create_object(world, call, obj)
    return shown_object(call.resource, obj, 201) if record is None else shown(world, call, record, 201)


def create_object(world: World, call: Call, obj: Object) -> Record | None:
    """Store a decoded object; None after a dry run (the object then shows what would have been stored)."""
    resource, store = call.resource, world.store.kind(call.resource)
    rules = rules_of(resource)
    if call.gate is not None:
        obj = _mutated(world, call, rules, obj)
    _new_metadata(world, call, obj["metadata"])
    if call.gate is not None:
        call.gate.settle(obj["metadata"])
    _check_namespace(world, call, obj["metadata"]["name"])
    rules.default(obj)
    rules.create(world, obj)
    if resource.custom is not None and resource.has_status:
        obj.pop("status", None)
    elif (resource.has_status and not resource.keeps_status) or rules.initial_status is not None:
        obj["status"] = rules.initial_status(obj) if rules.initial_status is not None else {}
    rules.normalise_status(obj)
    causes = metadata_causes(resource.kind, obj["metadata"]) + rules.validate(obj)
    if causes:
        raise invalid(resource.kind, resource.group, obj["metadata"]["name"], causes)
    if call.gate is not None:
        call.gate.validate(call, "CREATE", obj, None)
    rules.admit(world, obj, call.dry_run)
    charges = charging.check_new(world, resource, obj)
    metadata = obj["metadata"]
    if store.get(metadata.get("namespace", ""), metadata["name"]) is not None:
        raise already_exists(resource.plural, resource.group, metadata["name"])
    note_create(world, call, obj)
    if call.dry_run:
        return None
    charging.charge(world, charges)
    return world.store.create(store, obj)


def _mutated(world: World, call: Call, rules: Rules, obj: Object) -> Object:
    """The new object as mutating webhooks leave it. They see defaults, but neither UID nor time of creation."""
    metadata = obj["metadata"]
    if call.resource.namespaced and not metadata.get("namespace"):
        metadata["namespace"] = call.namespace
    _check_namespace(world, call, metadata.get("name", ""))
    rules.default(obj)
    if call.resource.key == "/pods":
        nameless = "name" not in metadata
        metadata.setdefault("name", "")
        rules.create(world, obj)
        if nameless:
            del metadata["name"]
    assert call.gate is not None
    changed = call.gate.mutate(call, "CREATE", obj, None)
    if changed is not obj:
        obj.clear()
        obj.update(changed)
    return obj


def _new_metadata(world: World, call: Call, metadata: dict[str, Any]) -> None:
    if metadata.get("resourceVersion"):
        raise bad_request("resourceVersion should not be set on objects to be created")
    given = metadata.get("namespace", "")
    if call.resource.namespaced:
        if given and given != call.namespace:
            raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
        metadata["namespace"] = call.namespace
    else:
        metadata.pop("namespace", None)
    for key in _SERVER_SET:
        metadata.pop(key, None)
    for key in _EMPTY_DROPPED:
        if key in metadata and not metadata[key]:
            del metadata[key]
    if not metadata.get("name"):
        prefix = metadata.get("generateName", "")
        metadata["name"] = prefix[:58] + world.suffix() if prefix else ""
    metadata["uid"] = world.uid()
    metadata["creationTimestamp"] = world.stamp()
    if call.resource.generation:
        metadata["generation"] = 1


def _check_namespace(world: World, call: Call, name: str) -> None:
    """Namespace life cycle: it must exist and must not be ending."""
    if not call.resource.namespaced:
        return
    space = world.find("/namespaces", call.namespace)
    if space is None:
        raise not_found("namespaces", "", call.namespace)
    if space.deleting:
        why = f"unable to create new content in namespace {call.namespace} because it is being terminated"
        cause = Cause("NamespaceTerminating", f"namespace {call.namespace} is being terminated", "metadata.namespace")
        raise forbidden(call.resource.plural, call.resource.group, name, why, [cause])


def update(world: World, call: Call) -> Answer:
    """Replace an object, or its status, under optimistic concurrency."""
    record = required_record(world, call)
    obj = decode_update(call, record)
    result = commit(world, call, record, obj)
    return result if isinstance(result, Answer) else shown(world, call, result)


def delete(world: World, call: Call) -> Answer:
    record = required_record(world, call)
    options = deletion.options_from(decode_optional(call), call.query)
    if call.gate is not None:
        _ask_about_deletion(call, record)
    if (
        not call.resource.namespaced
        and call.resource.plural == "namespaces"
        and call.name in ("default", "kube-system", "kube-public")
    ):
        raise forbidden("namespaces", "", call.name, "this namespace may not be deleted")
    obj, gone = deletion.delete(world, world.store.kind(call.resource), record, options)
    if not gone or call.resource.returns_deleted:
        return shown_object(call.resource, obj)
    group = {"group": call.resource.group} if call.resource.group else {}
    details = {"name": call.name, **group, "kind": call.resource.plural, "uid": record.uid}
    head = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    return Answer(200, encode({**head, "details": details}))


def _ask_about_deletion(call: Call, record: Record) -> None:
    assert call.gate is not None
    call.gate.mutate(call, "DELETE", None, record.decode())
    call.gate.validate(call, "DELETE", None, record.decode())


def delete_collection(world: World, call: Call) -> Answer:
    """Delete every object that the selectors choose; answers with the list of them."""
    options = deletion.options_from(decode_optional(call), call.query)
    store = world.store.kind(call.resource)
    page = select(world.store, store, call)
    for record in page.records if call.gate is not None else ():
        _ask_about_deletion(call, record)
    for record in page.records:
        deletion.delete(world, store, record, options)
    return Answer(200, list_bytes(call.resource, page))
