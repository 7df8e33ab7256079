"""What a kubelet reports of a pod, as functions over the decoded pod."""

from typing import Any

from tenantry_sim.kinds.binding import set_condition
from tenantry_sim.store.records import Object


def _container_status(container: dict[str, Any], state: dict[str, Any], ready: bool) -> dict[str, Any]:
    return {
        "name": container["name"],
        "state": state,
        "lastState": {},
        "ready": ready,
        "restartCount": 0,
        "image": container.get("image", ""),
        "imageID": f"sim://{container.get('image', '')}",
        "containerID": f"sim://{container['name']}",
        "started": ready,
    }


def running(pod: Object, host_ip: str, pod_ip: str, now: str) -> None:
    """The pod runs and is ready: phase, conditions, addresses, container statuses."""
    spec, status = pod["spec"], pod["status"]
    if spec.get("hostNetwork"):
        pod_ip = host_ip
    status["phase"] = "Running"
    for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"):
        set_condition(status, {"type": kind, "status": "True"}, now)
    status["hostIP"], status["hostIPs"] = host_ip, [{"ip": host_ip}]
    status["podIP"], status["podIPs"] = pod_ip, [{"ip": pod_ip}]
    status["startTime"] = now
    done = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}}
    up = {"running": {"startedAt": now}}
    inits = spec.get("initContainers") or ()
    if inits:
        status["initContainerStatuses"] = [
            _container_status(c, up if c.get("restartPolicy") == "Always" else done, True) for c in inits
        ]
    status["containerStatuses"] = [_container_status(c, up, True) for c in spec["containers"]]


def completed(pod: Object, phase: str, now: str) -> None:
    """The pod has ended by itself: `Succeeded` or `Failed`."""
    status = pod["status"]
    status["phase"] = phase
    code, reason = (0, "Completed") if phase == "Succeeded" else (1, "Error")
    for kind in ("Ready", "ContainersReady"):
        set_condition(status, {"type": kind, "status": "False", "reason": f"Pod{reason}"}, now)
    started = status.get("startTime", now)
    end = {"terminated": {"exitCode": code, "reason": reason, "startedAt": started, "finishedAt": now}}
    status["containerStatuses"] = [_container_status(c, end, False) for c in pod["spec"]["containers"]]
