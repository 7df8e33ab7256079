"""Columns of the Table output, per kind, as data."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tenantry_sim.clock import parse_stamp
from tenantry_sim.custom.served import CustomVersion
from tenantry_sim.store.records import Object


@dataclass(frozen=True)
class Column:
    """One column. Priority 0 is always shown, 1 with `-o wide`."""

    name: str
    value: Callable[[Object], Any]
    priority: int = 0
    type: str = "string"
    help: str = ""
    format: str = ""
    age: bool = False
    """Whether `value` gives a time, of which the age is shown."""
    timed: Callable[[Object, float], Any] | None = None
    """In place of `value` for what depends on the time, which is the second argument (seconds since the epoch)."""


def duration(seconds: float) -> str:
    """A length of time in the short form that kubectl prints."""
    s = int(max(seconds, 0))
    if s < 120:
        return f"{s}s"
    minutes, hours, days = s // 60, s // 3600, s // 86400
    if minutes < 10:
        return f"{minutes}m{s % 60}s" if s % 60 else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h{minutes % 60}m" if minutes % 60 else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return f"{days}d{hours % 24}h" if hours % 24 else f"{days}d"
    return f"{days}d" if days < 730 else f"{days // 365}y"


def age_of(text: str | None, now: float) -> str:
    """Time passed between an RFC 3339 time and `now` (seconds since the epoch)."""
    return duration(now - parse_stamp(text)) if text else "<unknown>"


def field(*keys: str, default: Any = "") -> Callable[[Object], Any]:
    """Reads the value at a path; `default` where there is none or it is empty."""

    def read(obj: Object) -> Any:
        value: Any = obj
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return default if value is None or value == "" else value

    return read


NAME = Column("Name", field("metadata", "name"))
AGE = Column("Age", field("metadata", "creationTimestamp"), age=True)
NONE = "<none>"


def _state_reason(state: Object) -> str:
    """Why a container waits or has ended; empty while it runs as it should."""
    ended = state.get("terminated")
    if ended is None:
        return str((state.get("waiting") or {}).get("reason") or "")
    word = "Signal" if ended.get("signal") else "ExitCode"
    return str(ended.get("reason") or f"{word}:{ended.get('signal') or ended.get('exitCode', 0)}")


def _init_reason(pod: Object) -> str:
    """What the first init container that is not done is at; empty when all are."""
    spec, statuses = pod["spec"].get("initContainers") or (), pod["status"].get("initContainerStatuses") or ()
    lasting = {c["name"] for c in spec if c.get("restartPolicy") == "Always"}
    for number, status in enumerate(statuses):
        state = status.get("state") or {}
        if (state.get("terminated") or {}).get("exitCode") == 0 or (
            status["name"] in lasting and status.get("started")
        ):
            continue
        reason = _state_reason(state)
        return f"Init:{reason}" if reason and reason != "PodInitializing" else f"Init:{number}/{len(spec)}"
    return ""


def _pod_status(pod: Object) -> str:
    status = pod.get("status", {})
    lost = status.get("reason") == "NodeLost"
    if "deletionTimestamp" in pod["metadata"]:
        return "Unknown" if lost else "Terminating"
    for condition in status.get("conditions") or ():
        gated = condition.get("type") == "PodScheduled" and condition.get("reason") == "SchedulingGated"
        if gated and pod["spec"].get("schedulingGates"):
            return "SchedulingGated"
    word = str(status.get("reason") or status.get("phase", ""))
    starting = _init_reason(pod) if status.get("initContainerStatuses") else ""
    if starting:
        return starting
    containers = status.get("containerStatuses") or ()
    for container in reversed(containers):
        word = _state_reason(container.get("state") or {}) or word
    runs = any(c.get("ready") and (c.get("state") or {}).get("running") is not None for c in containers)
    return "Running" if word == "Completed" and runs else word


def _pod_ready(pod: Object) -> str:
    states = pod.get("status", {}).get("containerStatuses") or ()
    return f"{sum(1 for s in states if s.get('ready'))}/{len(pod['spec'].get('containers') or ())}"


def _restarts(pod: Object) -> str:
    return str(sum(s.get("restartCount", 0) for s in pod.get("status", {}).get("containerStatuses") or ()))


def _gates(pod: Object) -> str:
    return str(len(pod["spec"]["readinessGates"])) if pod["spec"].get("readinessGates") else NONE


def _node_status(node: Object) -> str:
    conditions = {c.get("type"): c.get("status") for c in node.get("status", {}).get("conditions") or ()}
    word = {"True": "Ready", "False": "NotReady"}.get(conditions.get("Ready", ""), "Unknown")
    return word + (",SchedulingDisabled" if node.get("spec", {}).get("unschedulable") else "")


def _roles(node: Object) -> str:
    prefix = "node-role.kubernetes.io/"
    roles = [k.removeprefix(prefix) for k in node["metadata"].get("labels") or {} if k.startswith(prefix)]
    return ",".join(sorted(roles)) or NONE


def _address(kind: str) -> Callable[[Object], str]:
    def read(node: Object) -> str:
        for address in node.get("status", {}).get("addresses") or ():
            if address.get("type") == kind:
                return str(address.get("address", ""))
        return NONE

    return read


def _event_target(event: Object) -> str:
    target = event.get("involvedObject") or {}
    return f"{str(target.get('kind', '')).lower()}/{target.get('name', '')}"


def _event_seen(event: Object) -> Any:
    series = event.get("series") or {}
    last = series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return last or event["metadata"].get("creationTimestamp")


def _event_source(event: Object) -> str:
    return str((event.get("source") or {}).get("component") or event.get("reportingComponent") or "")


def _event_count(event: Object) -> int:
    return int((event.get("series") or {}).get("count") or event.get("count") or 1)


def _info(key: str) -> Callable[[Object], Any]:
    return field("status", "nodeInfo", key, default="<unknown>")


COLUMNS: dict[str, tuple[Column, ...]] = {
    "": (NAME, AGE),
    "/pods": (
        NAME,
        Column("Ready", _pod_ready),
        Column("Status", _pod_status),
        Column("Restarts", _restarts),
        AGE,
        Column("IP", field("status", "podIP", default=NONE), 1),
        Column("Node", field("spec", "nodeName", default=NONE), 1),
        Column("Nominated Node", field("status", "nominatedNodeName", default=NONE), 1),
        Column("Readiness Gates", _gates, 1),
    ),
    "/nodes": (
        NAME,
        Column("Status", _node_status),
        Column("Roles", _roles),
        AGE,
        Column("Version", field("status", "nodeInfo", "kubeletVersion")),
        Column("Internal-IP", _address("InternalIP"), 1),
        Column("External-IP", _address("ExternalIP"), 1),
        Column("OS-Image", _info("osImage"), 1),
        Column("Kernel-Version", _info("kernelVersion"), 1),
        Column("Container-Runtime", _info("containerRuntimeVersion"), 1),
    ),
    "/namespaces": (NAME, Column("Status", field("status", "phase")), AGE),
    "/events": (
        Column("Last Seen", _event_seen, age=True),
        Column("Type", field("type")),
        Column("Reason", field("reason")),
        Column("Object", _event_target),
        Column("Subobject", field("involvedObject", "fieldPath"), 1),
        Column("Source", _event_source, 1),
        Column("Message", lambda e: str(e.get("message", "")).strip()),
        Column("First Seen", lambda e: e.get("firstTimestamp") or e.get("eventTime"), 1, age=True),
        Column("Count", _event_count, 1, "integer"),
        Column("Name", field("metadata", "name"), 1),
    ),
}


@lru_cache(maxsize=256)
def custom_columns(version: CustomVersion) -> tuple[Column, ...]:
    """The name and the printer columns of a custom resource."""
    more = (Column(c.name, c.cell, c.priority, c.type, c.help, c.format, age=c.type == "date") for c in version.columns)
    return (NAME, *more)
