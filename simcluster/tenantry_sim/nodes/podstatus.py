"""What a kubelet reports of a pod, as functions over the decoded pod."""

from typing import Any

from tenantry_sim.kinds.binding import set_condition
from tenantry_sim.store.records import Object

_READY = ("Ready", "ContainersReady")


def _container_status(container: dict[str, Any], state: dict[str, Any], ready: bool, old: Object | None) -> Object:
    status: Object = {
        "name": container["name"],
        "state": state,
        "lastState": old.get("lastState", {}) if old else {},
        "ready": ready,
        "restartCount": old.get("restartCount", 0) if old else 0,
        "image": container.get("image", ""),
        "imageID": f"sim://{container.get('image', '')}",
        "containerID": f"sim://{container['name']}",
        "started": ready or "running" in state,
    }
    resources = container.get("resources") or {}
    if resources.get("requests"):
        status["allocatedResources"] = dict(resources["requests"])
    if resources:
        status["resources"] = {side: dict(values) for side, values in resources.items() if isinstance(values, dict)}
    return status


def _by_name(status: Object, field: str = "containerStatuses") -> dict[str, Object]:
    return {s.get("name", ""): s for s in status.get(field) or ()}


def _set_ready(status: Object, ready: bool, now: str) -> None:
    for kind in _READY:
        condition = {"type": kind, "status": "True" if ready else "False"}
        if not ready:
            condition.update({"reason": "ContainersNotReady", "message": "containers with unready status"})
        set_condition(status, condition, now)


def running(pod: Object, addresses: tuple[str, str], now: str, ready: bool = True) -> None:
    """The pod runs: phase, conditions, (host, pod) addresses, container statuses."""
    spec, status = pod["spec"], pod["status"]
    host_ip, pod_ip = addresses
    if spec.get("hostNetwork"):
        pod_ip = host_ip
    status["phase"] = "Running"
    for kind in ("PodReadyToStartContainers", "Initialized"):
        set_condition(status, {"type": kind, "status": "True"}, now)
    _set_ready(status, ready, now)
    status["hostIP"], status["hostIPs"] = host_ip, [{"ip": host_ip}]
    status["podIP"], status["podIPs"] = pod_ip, [{"ip": pod_ip}]
    status["startTime"] = now
    done = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}}
    up = {"running": {"startedAt": now}}
    inits = spec.get("initContainers") or ()
    if inits:
        status["initContainerStatuses"] = [
            _container_status(c, up if c.get("restartPolicy") == "Always" else done, True, None) for c in inits
        ]
    status["containerStatuses"] = [_container_status(c, up, ready, None) for c in spec["containers"]]


def turned(pod: Object, ready: bool, now: str) -> None:
    """A running pod became ready, or is so no more."""
    status = pod["status"]
    _set_ready(status, ready, now)
    for container in status.get("containerStatuses") or ():
        container["ready"] = ready


def is_ready(pod: Object) -> bool:
    conditions = pod.get("status", {}).get("conditions") or ()
    return any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions)


def is_crashed(pod: Object) -> bool:
    """Whether a container waits to be started again."""
    statuses = pod.get("status", {}).get("containerStatuses") or ()
    return any((s.get("state") or {}).get("waiting", {}).get("reason") == "CrashLoopBackOff" for s in statuses)


def restarts(pod: Object) -> int:
    """Most restarts of any container."""
    return max((s.get("restartCount", 0) for s in pod.get("status", {}).get("containerStatuses") or ()), default=0)


def crashed(pod: Object, now: str, wait: float) -> None:
    """Every container failed. Where the policy is Never, so did the pod; else they wait `wait` seconds."""
    if pod["spec"].get("restartPolicy") == "Never":
        completed(pod, "Failed", now)
        return
    turned(pod, False, now)
    for status in pod["status"].get("containerStatuses") or ():
        started = (status.get("state") or {}).get("running", {}).get("startedAt", now)
        end = {"exitCode": 1, "reason": "Error", "startedAt": started, "finishedAt": now}
        status["lastState"] = {"terminated": end}
        message = f"back-off {wait:g}s restarting failed container={status['name']}"
        status["state"] = {"waiting": {"reason": "CrashLoopBackOff", "message": message}}
        status["started"] = False


def restarted(pod: Object, now: str) -> None:
    """Containers that waited run again and are ready."""
    for status in pod["status"].get("containerStatuses") or ():
        if "waiting" in (status.get("state") or {}):
            status.update({"state": {"running": {"startedAt": now}}, "started": True})
            status["restartCount"] = status.get("restartCount", 0) + 1
    turned(pod, True, now)


def completed(pod: Object, phase: str, now: str) -> None:
    """The pod has ended by itself: `Succeeded` or `Failed`."""
    status = pod["status"]
    status["phase"] = phase
    code, reason = (0, "Completed") if phase == "Succeeded" else (1, "Error")
    for kind in _READY:
        set_condition(status, {"type": kind, "status": "False", "reason": f"Pod{reason}"}, now)
    started = status.get("startTime", now)
    end = {"terminated": {"exitCode": code, "reason": reason, "startedAt": started, "finishedAt": now}}
    old = _by_name(status)
    status["containerStatuses"] = [
        _container_status(c, end, False, old.get(c["name"])) for c in pod["spec"]["containers"]
    ]
