"""The resources we read and write: group, version, plural name, kind, scope, and the path of each.

`list` and `watch` below are the whole of what the scheduler's role must allow; `deploy/` is checked against this table.
"""

from dataclasses import dataclass, field
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of the API: `pods` of group "" and version `v1`, and so on."""

    group: str
    """API group, "" for the core group."""
    version: str
    """API version within the group."""
    plural: str
    """Plural lower-case name, as in the path."""
    kind: str
    """Kind of one object."""
    namespaced: bool = True
    """False for cluster-scoped resources."""
    prefix: str = field(init=False)
    """Path of the group and version: `/api/v1` or `/apis/<group>/<version>`."""

    def __post_init__(self) -> None:
        prefix = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        object.__setattr__(self, "prefix", prefix)

    @property
    def api_version(self) -> str:
        """`v1`, or `<group>/<version>`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Path of the collection (no name), of one object, or of its subresource.

        Without a namespace the collection spans all namespaces. A name in a namespaced resource needs the namespace.
        """
        if name and self.namespaced and not namespace:
            raise ValueError(f"{self.plural}/{name}: a namespaced object has no path without its namespace")
        path = self.prefix
        if self.namespaced and namespace:
            path += f"/namespaces/{_segment(namespace)}"
        path += f"/{self.plural}"
        if name:
            path += f"/{_segment(name)}"
        if subresource:
            path += f"/{subresource}"
        return path


def _segment(text: str) -> str:
    return quote(text, safe="")


PODS = Resource("", "v1", "pods", "Pod")
NODES = Resource("", "v1", "nodes", "Node", namespaced=False)
NAMESPACES = Resource("", "v1", "namespaces", "Namespace", namespaced=False)
SERVICES = Resource("", "v1", "services", "Service")
REPLICATION_CONTROLLERS = Resource("", "v1", "replicationcontrollers", "ReplicationController")
PERSISTENT_VOLUMES = Resource("", "v1", "persistentvolumes", "PersistentVolume", namespaced=False)
PERSISTENT_VOLUME_CLAIMS = Resource("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim")
RESOURCE_QUOTAS = Resource("", "v1", "resourcequotas", "ResourceQuota")
LIMIT_RANGES = Resource("", "v1", "limitranges", "LimitRange")
CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap")
DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment")
REPLICA_SETS = Resource("apps", "v1", "replicasets", "ReplicaSet")
STATEFUL_SETS = Resource("apps", "v1", "statefulsets", "StatefulSet")
POD_DISRUPTION_BUDGETS = Resource("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget")
PRIORITY_CLASSES = Resource("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", namespaced=False)
STORAGE_CLASSES = Resource("storage.k8s.io", "v1", "storageclasses", "StorageClass", namespaced=False)
CSI_NODES = Resource("storage.k8s.io", "v1", "csinodes", "CSINode", namespaced=False)
CSI_DRIVERS = Resource("storage.k8s.io", "v1", "csidrivers", "CSIDriver", namespaced=False)
CSI_STORAGE_CAPACITIES = Resource("storage.k8s.io", "v1", "csistoragecapacities", "CSIStorageCapacity")
VOLUME_ATTACHMENTS = Resource("storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", namespaced=False)
LEASES = Resource("coordination.k8s.io", "v1", "leases", "Lease")
EVENTS = Resource("events.k8s.io", "v1", "events", "Event")

SCHEDULER_READS: tuple[Resource, ...] = (
    PODS,
    NODES,
    NAMESPACES,
    SERVICES,
    REPLICATION_CONTROLLERS,
    REPLICA_SETS,
    STATEFUL_SETS,
    PERSISTENT_VOLUMES,
    PERSISTENT_VOLUME_CLAIMS,
    STORAGE_CLASSES,
    CSI_NODES,
    CSI_DRIVERS,
    CSI_STORAGE_CAPACITIES,
    VOLUME_ATTACHMENTS,
    POD_DISRUPTION_BUDGETS,
    PRIORITY_CLASSES,
)
"""What the scheduler lists and watches, in the order kube-scheduler's default plugins come to need them."""

BY_KIND: dict[str, Resource] = {
    resource.kind: resource
    for resource in (*SCHEDULER_READS, RESOURCE_QUOTAS, LIMIT_RANGES, CONFIG_MAPS, DEPLOYMENTS, LEASES, EVENTS)
}
"""The table by kind."""
