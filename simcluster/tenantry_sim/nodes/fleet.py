"""Objects that a cluster starts with: simulated nodes, namespaces, priority classes, service accounts."""

from tenantry_sim.config import NodeTemplate, SimConfig
from tenantry_sim.kinds.others import node_default
from tenantry_sim.store.records import Object, Record
from tenantry_sim.world import World

SIMULATED = "sim.tenantry.io/kubelet"
"""Annotation that puts a node under the kubelet stand-in; its value is `true`."""
LOST = "sim.tenantry.io/lost"
"""Annotation of a node; while its value is `true`, the kubelet stand-in of the node neither acts nor reports."""
NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_CONDITIONS = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)
_SYSTEM_CLASSES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def _metadata(world: World, name: str, namespace: str = "") -> Object:
    metadata = {"name": name, "uid": world.uid(), "creationTimestamp": world.stamp()}
    return {**metadata, "namespace": namespace} if namespace else metadata


def populate(world: World, config: SimConfig) -> None:
    """Put the first objects into an empty store."""
    store = world.store
    for name in NAMESPACES:
        metadata = {**_metadata(world, name), "labels": {"kubernetes.io/metadata.name": name}}
        space = {"metadata": metadata, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
        store.create(world.kind("/namespaces"), space)
    for name, value in _SYSTEM_CLASSES.items():
        metadata = {**_metadata(world, name), "generation": 1}
        row = {"metadata": metadata, "value": value, "preemptionPolicy": "PreemptLowerPriority"}
        store.create(world.kind("scheduling.k8s.io/priorityclasses"), row)
    for i in range(config.nodes):
        add_node(world, config, i)


def is_lost(record: Record) -> bool:
    """Whether the node is cut off from the cluster."""
    if LOST.encode() not in record.raw:
        return False
    return bool((record.decode()["metadata"].get("annotations") or {}).get(LOST) == "true")


def report_ready(world: World, record: Record) -> None:
    """Write the conditions of a node whose kubelet reports again."""
    node, now = record.decode(), world.stamp()
    present = {c.get("type"): c for c in node.get("status", {}).get("conditions") or ()}
    for kind, status, reason, message in _CONDITIONS:
        before = present.get(kind, {})
        since = before.get("lastTransitionTime", now) if before.get("status") == status else now
        times = {"lastHeartbeatTime": now, "lastTransitionTime": since}
        present[kind] = {"type": kind, "status": status, **times, "reason": reason, "message": message}
    node.setdefault("status", {})["conditions"] = list(present.values())
    if node != record.decode():
        world.store.replace(world.kind("/nodes"), record, node)


def add_account(world: World, namespace: str) -> None:
    """The `default` service account of a namespace."""
    if world.find("/serviceaccounts", "default", namespace) is None:
        account = {"metadata": _metadata(world, "default", namespace)}
        world.store.create(world.kind("/serviceaccounts"), account)


def add_node(world: World, config: SimConfig, number: int) -> None:
    """Create simulated node `number`."""
    template = config.node_template
    name = f"{template.name_prefix}{number}"
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": template.arch,
        **({"topology.kubernetes.io/zone": f"zone-{number % config.zones}"} if config.zones else {}),
        **template.labels,
    }
    metadata = {**_metadata(world, name), "labels": labels, "annotations": {SIMULATED: "true"}}
    node: Object = {"metadata": metadata, "spec": {}, "status": _status(world, template, name, number)}
    if template.taints:
        node["spec"]["taints"] = [dict(t) for t in template.taints]
    node_default(node)
    world.store.create(world.kind("/nodes"), node)


def node_address(number: int) -> str:
    """An address for a node: 10.128.0.0/9 dealt out in order."""
    return f"10.{128 + number // 62500 % 128}.{number // 250 % 250}.{number % 250 + 1}"


def _status(world: World, template: NodeTemplate, name: str, number: int) -> Object:
    now = world.stamp()
    conditions = [
        {
            "type": kind,
            "status": status,
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
            "reason": reason,
            "message": message,
        }
        for kind, status, reason, message in _CONDITIONS
    ]
    address = node_address(number)
    return {
        "capacity": dict(template.capacity),
        "allocatable": dict(template.capacity),
        "conditions": conditions,
        "addresses": [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}],
        "nodeInfo": {
            "kubeletVersion": "v1.36.0-sim",
            "osImage": "Simulated Linux",
            "kernelVersion": "0.0.0-sim",
            "containerRuntimeVersion": "sim://0",
            "operatingSystem": "linux",
            "architecture": template.arch,
        },
    }
