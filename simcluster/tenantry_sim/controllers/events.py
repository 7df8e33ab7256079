"""Events that controllers report, one per occurrence."""

from tenantry_sim.controllers.writes import create
from tenantry_sim.kinds.table import BY_KEY
from tenantry_sim.status import ApiError
from tenantry_sim.store.records import Record
from tenantry_sim.world import World


def report(world: World, key: str, record: Record, kind: str, reason: str, message: str) -> None:
    """Write an event of type `kind` (Normal, Warning) about a record. What can't be written is dropped."""
    resource, now = BY_KEY[key], world.stamp()
    namespace = record.namespace or "default"
    event = {
        "metadata": {"name": f"{record.name}.{world.chance.getrandbits(64):016x}"},
        "involvedObject": {
            "kind": resource.kind,
            "apiVersion": resource.api_version,
            "name": record.name,
            "uid": record.uid,
            "resourceVersion": str(record.rv),
            **({"namespace": record.namespace} if record.namespace else {}),
        },
        "reason": reason,
        "message": message,
        "type": kind,
        "source": {"component": f"{resource.single}-controller"},
        "reportingComponent": f"{resource.single}-controller",
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }
    try:
        create(world, "/events", namespace, event)
    except ApiError:
        return
