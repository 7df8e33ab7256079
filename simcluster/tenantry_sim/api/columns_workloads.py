"""Columns of the Table output for workloads and what stands in front of them, as data."""

from collections.abc import Callable
from typing import Any

from tenantry_sim.api.columns import AGE, NAME, NONE, Column, duration, field
from tenantry_sim.clock import parse_stamp
from tenantry_sim.store.records import Object

_SHOWN = 3
"""How many addresses or ports are written out."""


def _ready_of(status: str) -> Callable[[Object], str]:
    return lambda o: f"{o.get('status', {}).get(status, 0)}/{o.get('spec', {}).get('replicas', 0)}"


def _template(name: str) -> Callable[[Object], str]:
    def read(obj: Object) -> str:
        spec = (obj.get("spec", {}).get("template") or {}).get("spec") or {}
        return ",".join(str(c.get(name, "")) for c in spec.get("containers") or ())

    return read


def _pairs(labels: Any) -> str:
    return ",".join(f"{k}={v}" for k, v in sorted((labels or {}).items()))


def _selector(obj: Object) -> str:
    selector = obj.get("spec", {}).get("selector") or {}
    if "matchLabels" not in selector and "matchExpressions" not in selector:
        return _pairs(selector) or NONE
    parts = [_pairs(selector["matchLabels"])] if selector.get("matchLabels") else []
    for need in selector.get("matchExpressions") or ():
        key, operator, values = need.get("key", ""), need.get("operator", ""), ",".join(need.get("values") or ())
        plain = {"Exists": key, "DoesNotExist": f"!{key}"}
        parts.append(plain.get(operator, f"{key} {operator.lower()} ({values})"))
    return ",".join(parts) or NONE


def _count(name: str, *path: str) -> Column:
    return Column(name, field(*path, default=0), type="integer")


def _job_status(job: Object) -> str:
    holds = {c.get("type") for c in job.get("status", {}).get("conditions") or () if c.get("status") == "True"}
    if job["metadata"].get("deletionTimestamp") and not holds & {"Complete", "Failed"}:
        return "Terminating"
    order = ("Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet")
    return next((name for name in order if name in holds), "Running")


def _completions(job: Object) -> str:
    spec, done = job.get("spec", {}), job.get("status", {}).get("succeeded", 0)
    if spec.get("completions") is not None:
        return f"{done}/{spec['completions']}"
    parallel = spec.get("parallelism") or 0
    return f"{done}/1 of {parallel}" if parallel > 1 else f"{done}/1"


def _job_duration(job: Object, now: float) -> str:
    status = job.get("status", {})
    if not status.get("startTime"):
        return ""
    end = parse_stamp(status["completionTime"]) if status.get("completionTime") else now
    return duration(end - parse_stamp(status["startTime"]))


def _external(service: Object) -> str:
    spec = service.get("spec", {})
    if spec.get("type") == "ExternalName":
        return str(spec.get("externalName") or NONE)
    ingress = ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
    found: list[str] = []
    if spec.get("type") == "LoadBalancer":
        found = [i.get("ip") or i.get("hostname") or "" for i in ingress]
    found += spec.get("externalIPs") or []
    return ",".join(found) or ("<pending>" if spec.get("type") == "LoadBalancer" else NONE)


def _service_ports(service: Object) -> str:
    found = list[str]()
    for port in service.get("spec", {}).get("ports") or ():
        node = f":{port['nodePort']}" if port.get("nodePort") else ""
        found.append(f"{port.get('port')}{node}/{port.get('protocol', 'TCP')}")
    return ",".join(found) or NONE


def _few(values: list[str], nothing: str) -> str:
    more = f" + {len(values) - _SHOWN} more..." if len(values) > _SHOWN else ""
    return ",".join(values[:_SHOWN]) + more or nothing


def _endpoints(obj: Object) -> str:
    found = list[str]()
    for subset in obj.get("subsets") or ():
        addresses = [a.get("ip", "") for a in subset.get("addresses") or ()]
        ports = subset.get("ports")
        found += [f"{ip}:{p.get('port')}" for p in ports for ip in addresses] if ports else addresses
    return _few(found, NONE)


def _slice_ports(obj: Object) -> str:
    return _few([str(p["port"]) if p.get("port") else "*" for p in obj.get("ports") or ()], "<unset>")


def _slice_addresses(obj: Object) -> str:
    return _few([a for e in obj.get("endpoints") or () for a in e.get("addresses") or ()], "<unset>")


def _hosts(ingress: Object) -> str:
    return _few([r["host"] for r in ingress.get("spec", {}).get("rules") or () if r.get("host")], "*")


def _ingress_address(ingress: Object) -> str:
    found = ((ingress.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
    return ",".join(i.get("ip") or i.get("hostname") or "" for i in found)


_PODS = (Column("Containers", _template("name"), 1), Column("Images", _template("image"), 1))
_SELECTED = (*_PODS, Column("Selector", _selector, 1))
_REPLICAS = (
    NAME,
    _count("Desired", "spec", "replicas"),
    _count("Current", "status", "replicas"),
    _count("Ready", "status", "readyReplicas"),
    AGE,
    *_SELECTED,
)

WORKLOADS: dict[str, tuple[Column, ...]] = {
    "apps/deployments": (
        NAME,
        Column("Ready", _ready_of("readyReplicas")),
        _count("Up-to-date", "status", "updatedReplicas"),
        _count("Available", "status", "availableReplicas"),
        AGE,
        *_SELECTED,
    ),
    "apps/replicasets": _REPLICAS,
    "/replicationcontrollers": _REPLICAS,
    "apps/statefulsets": (NAME, Column("Ready", _ready_of("readyReplicas")), AGE, *_PODS),
    "apps/daemonsets": (
        NAME,
        _count("Desired", "status", "desiredNumberScheduled"),
        _count("Current", "status", "currentNumberScheduled"),
        _count("Ready", "status", "numberReady"),
        _count("Up-to-date", "status", "updatedNumberScheduled"),
        _count("Available", "status", "numberAvailable"),
        Column("Node Selector", lambda o: _pairs(o["spec"]["template"]["spec"].get("nodeSelector")) or NONE),
        AGE,
        *_SELECTED,
    ),
    "batch/jobs": (
        NAME,
        Column("Status", _job_status),
        Column("Completions", _completions),
        Column("Duration", NAME.value, timed=_job_duration),
        AGE,
        *_SELECTED,
    ),
    "/services": (
        NAME,
        Column("Type", field("spec", "type")),
        Column("Cluster-IP", field("spec", "clusterIP", default=NONE)),
        Column("External-IP", _external),
        Column("Port(s)", _service_ports),
        AGE,
        Column("Selector", _selector, 1),
    ),
    "/endpoints": (NAME, Column("Endpoints", _endpoints), AGE),
    "discovery.k8s.io/endpointslices": (
        NAME,
        Column("AddressType", field("addressType")),
        Column("Ports", _slice_ports),
        Column("Endpoints", _slice_addresses),
        AGE,
    ),
    "networking.k8s.io/ingresses": (
        NAME,
        Column("Class", field("spec", "ingressClassName", default=NONE)),
        Column("Hosts", _hosts),
        Column("Address", _ingress_address),
        Column("Ports", lambda o: "80, 443" if o.get("spec", {}).get("tls") else "80"),
        AGE,
    ),
}
"""Kind, as `group/plural`, to its columns."""
