"""Defaults and checks of every kind but pods, each as small functions."""

import json
from typing import Any

from tenantry_sim import selectors
from tenantry_sim.kinds.containers import container_causes, default_template
from tenantry_sim.kinds.names import required
from tenantry_sim.status import Cause
from tenantry_sim.store.records import Object
from tenantry_sim.world import World

_HIGHEST_PRIORITY = 1_000_000_000
_PREEMPTION = ("Never", "PreemptLowerPriority")
_NODE_PORTS = range(30_000, 32_768)
_BLANK_NODE_INFO = (
    "machineID",
    "systemUUID",
    "bootID",
    "kernelVersion",
    "osImage",
    "containerRuntimeVersion",
    "kubeletVersion",
    "kubeProxyVersion",
    "operatingSystem",
    "architecture",
)


def namespace_create(world: World, obj: Object) -> None:
    """The name as a label and the finalizer that the namespace controller lifts."""
    del world
    obj["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = obj["metadata"]["name"]
    obj["spec"] = {"finalizers": ["kubernetes"]}


def node_default(obj: Object) -> None:
    obj.setdefault("spec", {})
    status = obj.setdefault("status", {})
    if "capacity" in status:
        status.setdefault("allocatable", dict(status["capacity"]))
    status.setdefault("daemonEndpoints", {"kubeletEndpoint": {"Port": 0}})
    info = status.setdefault("nodeInfo", {})
    for key in _BLANK_NODE_INFO:
        info.setdefault(key, "")


def service_create(world: World, obj: Object) -> None:
    """Hand out a cluster address, and node ports where they are wanted."""
    spec = obj["spec"]
    if spec.get("type") in ("NodePort", "LoadBalancer"):
        _node_ports(world, spec)
    if spec.get("type") == "ExternalName" or "clusterIP" in spec:
        return
    number = world.kind("/services").count + 10
    spec["clusterIP"] = f"10.96.{number // 250 % 250}.{number % 250 + 1}"
    spec["clusterIPs"] = [spec["clusterIP"]]


def _node_ports(world: World, spec: Object) -> None:
    wanting = [port for port in spec.get("ports") or () if not port.get("nodePort")]
    if not wanting:
        return
    services = (record.decode()["spec"] for record in world.kind("/services").ordered())
    taken = {port.get("nodePort") for service in (*services, spec) for port in service.get("ports") or ()}
    free = (number for number in _NODE_PORTS if number not in taken)
    for port in wanting:
        port["nodePort"] = next(free)


def service_default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("type", "ClusterIP")
    spec.setdefault("sessionAffinity", "None")
    for port in spec.get("ports") or ():
        port.setdefault("protocol", "TCP")
        port.setdefault("targetPort", port.get("port"))
    if spec["type"] != "ExternalName":
        spec.setdefault("ipFamilies", ["IPv4"])
        spec.setdefault("ipFamilyPolicy", "SingleStack")
        spec.setdefault("internalTrafficPolicy", "Cluster")


def workload_default(obj: Object) -> None:
    """Defaults of the pod template."""
    template = obj.setdefault("spec", {}).setdefault("template", {})
    spec = template.setdefault("spec", {})
    default_template(spec)


def deployment_default(obj: Object) -> None:
    workload_default(obj)
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    strategy = spec.setdefault("strategy", {})
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)


def replicas_default(obj: Object) -> None:
    workload_default(obj)
    obj["spec"].setdefault("replicas", 1)


def stateful_default(obj: Object) -> None:
    replicas_default(obj)
    spec = obj["spec"]
    spec.setdefault("podManagementPolicy", "OrderedReady")
    spec.setdefault("updateStrategy", {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}})
    spec.setdefault("revisionHistoryLimit", 10)


def daemon_default(obj: Object) -> None:
    workload_default(obj)
    rolling = {"maxUnavailable": 1, "maxSurge": 0}
    obj["spec"].setdefault("updateStrategy", {"type": "RollingUpdate", "rollingUpdate": rolling})
    obj["spec"].setdefault("revisionHistoryLimit", 10)


def job_default(obj: Object) -> None:
    workload_default(obj)
    spec = obj["spec"]
    for key, value in {"parallelism": 1, "completions": 1, "backoffLimit": 6, "suspend": False}.items():
        spec.setdefault(key, value)
    spec.setdefault("completionMode", "NonIndexed")


def job_create(world: World, obj: Object) -> None:
    """The selector and labels that tie a job to its pods."""
    del world
    if "selector" not in obj["spec"]:
        uid, name = obj["metadata"]["uid"], obj["metadata"]["name"]
        labels = obj["spec"]["template"].setdefault("metadata", {}).setdefault("labels", {})
        # Both spellings: kubectl and many scripts still select by the older one.
        for prefix in ("", "batch.kubernetes.io/"):
            labels.update({f"{prefix}controller-uid": uid, f"{prefix}job-name": name})
        obj["spec"]["selector"] = {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}


def spec_default(obj: Object) -> None:
    """Kinds whose spec is always written."""
    obj.setdefault("spec", {})


def label_selector_causes(selector: Object, path: str) -> list[Cause]:
    """What is wrong with the operators of a label selector."""
    try:
        selectors.from_object(selector)
    except selectors.SelectorError as problem:
        return [Cause("FieldValueInvalid", f"Invalid value: {problem}", f"{path}.matchExpressions")]
    return []


def selector_causes(obj: Object) -> list[Cause]:
    """What is wrong with the operators of a `spec.selector`."""
    try:
        selectors.from_object(obj["spec"].get("selector"))
    except selectors.SelectorError as problem:
        return [Cause("FieldValueInvalid", f"Invalid value: {problem}", "spec.selector.matchExpressions")]
    return []


def budget_update_causes(old: Object, new: Object) -> list[Cause]:
    del old
    return selector_causes(new)


def workload_causes(obj: Object) -> list[Cause]:
    """The selector selects the template; the template has sound containers."""
    spec = obj["spec"]
    if not spec.get("selector"):
        return [required("spec.selector")]
    found = selector_causes(obj)
    if found:
        return found
    labels = (spec["template"].get("metadata") or {}).get("labels") or {}
    if not selectors.from_object(spec["selector"])(labels):
        why = f"Invalid value: {_compact(labels)}: `selector` does not match template `labels`"
        found.append(Cause("FieldValueInvalid", why, "spec.template.metadata.labels"))
    inner = container_causes(spec["template"]["spec"])
    return found + [Cause(c.reason, c.message, f"spec.template.{c.field}") for c in inner]


def workload_update_causes(old: Object, new: Object) -> list[Cause]:
    found = workload_causes(new)
    if old["spec"].get("selector") != new["spec"].get("selector"):
        why = f"Invalid value: {_compact(new['spec'].get('selector'))}: field is immutable"
        found.append(Cause("FieldValueInvalid", why, "spec.selector"))
    return found


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def event_default(obj: Object) -> None:
    """Members of a core event that are always written, null or empty."""
    obj.setdefault("involvedObject", {})
    obj.setdefault("source", {})
    for key in ("firstTimestamp", "lastTimestamp", "eventTime"):
        obj.setdefault(key, None)
    obj.setdefault("reportingComponent", "")
    obj.setdefault("reportingInstance", "")


def claim_default(obj: Object) -> None:
    obj.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")


def volume_default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
    spec.setdefault("volumeMode", "Filesystem")


def storage_class_default(obj: Object) -> None:
    obj.setdefault("reclaimPolicy", "Delete")
    obj.setdefault("volumeBindingMode", "Immediate")


def priority_class_default(obj: Object) -> None:
    obj.setdefault("value", 0)
    obj.setdefault("preemptionPolicy", "PreemptLowerPriority")
    if obj.get("globalDefault") is False:
        del obj["globalDefault"]


def priority_class_causes(obj: Object) -> list[Cause]:
    """Names and values that are the system's own may not be taken."""
    found = []
    if obj["metadata"]["name"].startswith("system-"):
        why = "Forbidden: priority class names with 'system-' prefix are reserved for system use only"
        found.append(Cause("FieldValueForbidden", why, "metadata.name"))
    if obj["value"] > _HIGHEST_PRIORITY:
        why = f"Forbidden: maximum allowed value of a user defined priority is {_HIGHEST_PRIORITY}"
        found.append(Cause("FieldValueForbidden", why, "value"))
    if obj["preemptionPolicy"] not in _PREEMPTION:
        choices = ", ".join(f'"{c}"' for c in _PREEMPTION)
        why = f'Unsupported value: "{obj["preemptionPolicy"]}": supported values: {choices}'
        found.append(Cause("FieldValueNotSupported", why, "preemptionPolicy"))
    return found


def priority_class_update_causes(old: Object, new: Object) -> list[Cause]:
    found = []
    if old.get("value") != new.get("value"):
        found.append(Cause("FieldValueForbidden", "Forbidden: may not be changed in an update.", "value"))
    if old.get("preemptionPolicy") != new.get("preemptionPolicy"):
        why = f'Invalid value: "{new.get("preemptionPolicy")}": field is immutable'
        found.append(Cause("FieldValueInvalid", why, "preemptionPolicy"))
    return found


def secret_default(obj: Object) -> None:
    obj.setdefault("type", "Opaque")


def limit_range_default(obj: Object) -> None:
    """A maximum is the default limit; a default limit is the default request; failing both, the minimum is."""
    for item in obj.setdefault("spec", {}).get("limits") or ():
        if item.get("type") != "Container":
            continue
        limits = {**(item.get("max") or {}), **(item.get("default") or {})}
        requests = {**(item.get("min") or {}), **limits, **(item.get("defaultRequest") or {})}
        if limits:
            item["default"] = limits
        if requests:
            item["defaultRequest"] = requests
