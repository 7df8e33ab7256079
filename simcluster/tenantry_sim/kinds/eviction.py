"""Eviction: a deletion that asks the pod's disruption budget first."""

from typing import Any

from tenantry_sim import selectors
from tenantry_sim.kinds.binding import set_condition
from tenantry_sim.kinds.deletion import DeleteOptions, delete, options_from
from tenantry_sim.status import ApiError, not_found
from tenantry_sim.store.records import Object, Record
from tenantry_sim.world import World

_BUDGETS = "policy/poddisruptionbudgets"
_REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."


def evict(world: World, namespace: str, name: str, body: dict[str, Any], dry_run: bool) -> None:
    """Evict a pod. Raises ApiError: 404 unknown pod, 429 when the budget refuses, 500 for two budgets."""
    store = world.kind("/pods")
    record = store.get(namespace, name)
    if record is None:
        raise not_found("pods", "", name)
    options = options_from(body.get("deleteOptions") or {}, {})
    options.dry_run = options.dry_run or dry_run
    pod = record.decode()
    if not _exempt(pod):
        _charge_budget(world, pod, options)
    if not options.dry_run and not record.deleting:
        record = _mark(world, record, pod)
    delete(world, store, record, options)


def _exempt(pod: Object) -> bool:
    phase = pod.get("status", {}).get("phase")
    return phase in ("Succeeded", "Failed", "Pending") or "deletionTimestamp" in pod["metadata"]


def _mark(world: World, record: Record, pod: Object) -> Record:
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    set_condition(pod["status"], condition, world.stamp())
    return world.store.replace(world.kind("/pods"), record, pod)


def _refusal(message: str, retry: int | None = None) -> ApiError:
    details: dict[str, Any] = {"causes": [{"reason": "DisruptionBudget", "message": message}]}
    if retry is not None:
        details["retryAfterSeconds"] = retry
    return ApiError(429, "TooManyRequests", _REFUSED, details)


def _charge_budget(world: World, pod: Object, options: DeleteOptions) -> None:
    store = world.kind(_BUDGETS)
    labels = pod["metadata"].get("labels") or {}
    found = []
    for record in store.items.get(pod["metadata"]["namespace"], {}).values():
        budget = record.decode()
        if selectors.from_object(budget["spec"].get("selector"))(labels):
            found.append((record, budget))
    if not found:
        return
    if len(found) > 1:
        text = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        raise ApiError(500, "InternalError", text)
    record, budget = found[0]
    status, name = budget.setdefault("status", {}), budget["metadata"]["name"]
    if _unready_and_spare(pod, budget):
        return
    if status.get("observedGeneration", 0) < budget["metadata"].get("generation", 0):
        raise _refusal(f"The disruption budget {name} is still being processed by the server.", 10)
    if status.get("disruptionsAllowed", 0) <= 0:
        need, have = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
        raise _refusal(f"The disruption budget {name} needs {need} healthy pods and has {have} currently")
    _decrement(world, budget, pod["metadata"]["name"])
    if not options.dry_run:
        world.store.replace(store, record, budget)


def _unready_and_spare(pod: Object, budget: Object) -> bool:
    """A pod that is not ready may go while the budget is met anyway, or always under `AlwaysAllow`."""
    conditions = pod.get("status", {}).get("conditions") or ()
    if any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions):
        return False
    if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = budget.get("status", {})
    wanted = int(status.get("desiredHealthy", 0))
    return wanted > 0 and int(status.get("currentHealthy", 0)) >= wanted


def _decrement(world: World, budget: Object, pod_name: str) -> None:
    status, now = budget["status"], world.stamp()
    status["disruptionsAllowed"] -= 1
    status.setdefault("disruptedPods", {})[pod_name] = now
    if status["disruptionsAllowed"] == 0:
        condition = {
            "type": "DisruptionAllowed",
            "status": "False",
            "observedGeneration": status.get("observedGeneration", 0),
            "lastTransitionTime": now,
            "reason": "InsufficientPods",
            "message": "",
        }
        others = [c for c in status.get("conditions") or () if c.get("type") != "DisruptionAllowed"]
        status["conditions"] = [*others, condition]
