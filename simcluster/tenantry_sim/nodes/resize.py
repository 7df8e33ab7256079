"""A changed spec on a running pod: resources granted or not, put in force, images and ephemeral containers taken up."""

from fractions import Fraction
from typing import Any

from tenantry_sim import quantities
from tenantry_sim.kinds.binding import set_condition
from tenantry_sim.kinds.charging import pod_usage
from tenantry_sim.store.records import Object
from tenantry_sim.world import World

PENDING, IN_PROGRESS = "PodResizePending", "PodResizeInProgress"
_RESIZABLE = ("cpu", "memory")


def _drop_condition(status: Object, kind: str) -> None:
    status["conditions"] = [c for c in status.get("conditions") or () if c.get("type") != kind]


def _wanted(container: Object) -> Object:
    resources = container.get("resources") or {}
    return {side: dict(values) for side, values in resources.items() if isinstance(values, dict)}


def changed_resources(pod: Object) -> bool:
    """Whether the spec asks for other resources than were granted."""
    statuses = {s.get("name"): s for s in pod["status"].get("containerStatuses") or ()}
    for container in pod["spec"]["containers"]:
        status = statuses.get(container["name"], {})
        if _wanted(container) != (status.get("resources") or {}):
            return True
    return False


def refusal(world: World, pod: Object) -> tuple[str, str] | None:
    """(reason, message) while the node has no room: `Infeasible` for ever, `Deferred` because of other pods."""
    node = world.find("/nodes", pod["spec"].get("nodeName", ""))
    if node is None:
        return None
    room = node.decode().get("status", {}).get("allocatable") or {}
    asked = pod_usage(pod)
    used: dict[str, Fraction] = {}
    for record in world.kind("/pods").ordered():
        if record.fields.get("spec.nodeName") != node.name or record.uid == pod["metadata"]["uid"]:
            continue
        if record.fields.get("status.phase") not in ("Succeeded", "Failed"):
            for name, amount in pod_usage(record.decode()).items():
                used[name] = used.get(name, Fraction(0)) + amount
    for name in _RESIZABLE:
        most = quantities.parse(room.get(name, "0"))
        want = asked.get(name, Fraction(0))
        text = f"{name}, requested: {_milli(name, want)}, "
        if want > most:
            return "Infeasible", f"Node didn't have enough capacity: {text}capacity: {_milli(name, most)}"
        taken = used.get(name, Fraction(0))
        if want + taken > most:
            text += f"used: {_milli(name, taken)}, capacity: {_milli(name, most)}"
            return "Deferred", f"Node didn't have enough resource: {text}"
    return None


def _milli(name: str, amount: Fraction) -> int:
    return int(amount * 1000) if name == "cpu" else int(amount)


def pend(pod: Object, reason: str, message: str, now: str) -> None:
    """Report that the resources are not granted."""
    set_condition(pod["status"], _condition(pod, PENDING, reason, message), now)
    pod["status"]["observedGeneration"] = pod["metadata"].get("generation", 0)


def grant(pod: Object, now: str) -> None:
    """Report the resources as allocated; `settle` puts them in force."""
    status = pod["status"]
    _drop_condition(status, PENDING)
    if changed_resources(pod):
        set_condition(status, _condition(pod, IN_PROGRESS, "", ""), now)
    wanted = {c["name"]: c for c in pod["spec"]["containers"]}
    for row in status.get("containerStatuses") or ():
        container = wanted.get(row.get("name", ""), {})
        requests = _wanted(container).get("requests")
        if requests:
            row["allocatedResources"] = requests
        if container and row.get("image") != container.get("image", ""):
            row.update({"image": container["image"], "imageID": f"sim://{container['image']}"})
            _start_again(row, now)
    _take_up_ephemeral(pod, now)
    status["observedGeneration"] = pod["metadata"].get("generation", 0)


def settle(pod: Object, now: str) -> None:
    """Granted resources are in force; containers whose policy demands it were started again."""
    wanted = {c["name"]: c for c in pod["spec"]["containers"]}
    for row in pod["status"].get("containerStatuses") or ():
        container = wanted.get(row.get("name", ""))
        if container is None or _wanted(container) == (row.get("resources") or {}):
            continue
        if _must_restart(container, row.get("resources") or {}):
            _start_again(row, now)
        row["resources"] = _wanted(container)
    _drop_condition(pod["status"], IN_PROGRESS)


def _condition(pod: Object, kind: str, reason: str, message: str) -> dict[str, Any]:
    found = {"type": kind, "status": "True", "observedGeneration": pod["metadata"].get("generation", 0)}
    return {**found, **({"reason": reason, "message": message} if reason else {})}


def _must_restart(container: Object, before: Object) -> bool:
    policies = {p.get("resourceName"): p.get("restartPolicy") for p in container.get("resizePolicy") or ()}
    after = _wanted(container)
    for name in _RESIZABLE:
        same = all((after.get(s) or {}).get(name) == (before.get(s) or {}).get(name) for s in ("requests", "limits"))
        if not same and policies.get(name) == "RestartContainer":
            return True
    return False


def _start_again(row: Object, now: str) -> None:
    started = (row.get("state") or {}).get("running", {}).get("startedAt", now)
    end = {"exitCode": 0, "reason": "Completed", "startedAt": started, "finishedAt": now}
    row.update({"lastState": {"terminated": end}, "state": {"running": {"startedAt": now}}})
    row["restartCount"] = row.get("restartCount", 0) + 1


def _take_up_ephemeral(pod: Object, now: str) -> None:
    known = {s.get("name") for s in pod["status"].get("ephemeralContainerStatuses") or ()}
    fresh = [c for c in pod["spec"].get("ephemeralContainers") or () if c["name"] not in known]
    for container in fresh:
        row = {
            "name": container["name"],
            "state": {"running": {"startedAt": now}},
            "lastState": {},
            "ready": False,
            "restartCount": 0,
            "image": container.get("image", ""),
            "imageID": f"sim://{container.get('image', '')}",
            "containerID": f"sim://{container['name']}",
        }
        pod["status"].setdefault("ephemeralContainerStatuses", []).append(row)
