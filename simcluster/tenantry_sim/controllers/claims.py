"""Taking over objects that match a selector and belong to nobody, and letting go of those that match no more."""

from tenantry_sim import selectors
from tenantry_sim.controllers import writes
from tenantry_sim.controllers.ownership import controller_of
from tenantry_sim.controllers.views import head
from tenantry_sim.store.records import Object, Record
from tenantry_sim.world import World


def match_of(obj: Object) -> selectors.Match:
    """The selector of a workload as a test; the older form is a plain map of labels. Empty selects nothing."""
    selector = (obj.get("spec") or {}).get("selector") or {}
    if not selector:
        return lambda labels: False
    if "matchLabels" not in selector and "matchExpressions" not in selector:
        selector = {"matchLabels": selector}
    return selectors.from_object(selector)


def adopt(world: World, key: str, record: Record, owner: Object) -> bool:
    """Make `owner` the controller of an object that has none."""
    if record.deleting or controller_of(head(record)) is not None:
        return False

    def write(obj: Object) -> None:
        obj["metadata"].setdefault("ownerReferences", []).append(owner)

    writes.change(world, key, record, write)
    return True


def release(world: World, key: str, record: Record, uid: str) -> None:
    """Take the owner's reference away."""

    def write(obj: Object) -> None:
        kept = [r for r in obj["metadata"].get("ownerReferences") or () if r.get("uid") != uid]
        obj["metadata"].pop("ownerReferences", None)
        if kept:
            obj["metadata"]["ownerReferences"] = kept

    writes.change(world, key, record, write)
