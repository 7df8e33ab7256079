"""Every resource that the server knows, as data. A new kind is a new row."""

from tenantry_sim.store.resource import Resource


def _paths(*paths: str) -> dict[str, tuple[str, ...]]:
    return {path: tuple(path.split(".")) for path in paths}


_POD_FIELDS = _paths(
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
)
_EVENT_FIELDS = {
    **{
        f"involvedObject.{key}": ("involvedObject", key)
        for key in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
    },
    **_paths("reason", "reportingComponent", "type"),
    "source": ("source", "component"),
}
_NEW_EVENT_FIELDS = {
    **{
        f"regarding.{key}": ("involvedObject", key)
        for key in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
    },
    **_paths("reason", "type"),
    "reportingController": ("reportingComponent",),
}
_STATUS = ("status",)
_ALL = ("all",)

_CORE = (
    Resource("", "v1", "configmaps", "ConfigMap", short=("cm",)),
    Resource("", "v1", "endpoints", "Endpoints", singular="endpoints", short=("ep",)),
    Resource("", "v1", "events", "Event", short=("ev",), fields=_EVENT_FIELDS),
    Resource("", "v1", "limitranges", "LimitRange", short=("limits",)),
    Resource(
        "",
        "v1",
        "namespaces",
        "Namespace",
        namespaced=False,
        short=("ns",),
        subresources=("finalize", "status"),
        fields=_paths("status.phase"),
        verbs=("create", "delete", "get", "list", "patch", "update", "watch"),
    ),
    Resource(
        "",
        "v1",
        "nodes",
        "Node",
        namespaced=False,
        short=("no",),
        subresources=_STATUS,
        keeps_status=True,
        fields=_paths("spec.unschedulable"),
    ),
    Resource(
        "",
        "v1",
        "persistentvolumeclaims",
        "PersistentVolumeClaim",
        short=("pvc",),
        subresources=_STATUS,
        returns_deleted=True,
    ),
    Resource(
        "",
        "v1",
        "persistentvolumes",
        "PersistentVolume",
        namespaced=False,
        short=("pv",),
        subresources=_STATUS,
        returns_deleted=True,
    ),
    Resource(
        "",
        "v1",
        "pods",
        "Pod",
        short=("po",),
        categories=_ALL,
        subresources=("binding", "ephemeralcontainers", "eviction", "resize", "status"),
        generation=True,
        returns_deleted=True,
        fields=_POD_FIELDS,
    ),
    Resource(
        "",
        "v1",
        "replicationcontrollers",
        "ReplicationController",
        short=("rc",),
        categories=_ALL,
        subresources=("scale", "status"),
        generation=True,
    ),
    Resource(
        "",
        "v1",
        "resourcequotas",
        "ResourceQuota",
        short=("quota",),
        subresources=_STATUS,
        returns_deleted=True,
    ),
    Resource("", "v1", "secrets", "Secret", fields=_paths("type")),
    Resource(
        "", "v1", "serviceaccounts", "ServiceAccount", short=("sa",), subresources=("token",), returns_deleted=True
    ),
    Resource(
        "",
        "v1",
        "services",
        "Service",
        short=("svc",),
        categories=_ALL,
        subresources=_STATUS,
        returns_deleted=True,
        fields=_paths("spec.clusterIP", "spec.type"),
    ),
)


def _workload(group: str, plural: str, kind: str, short: tuple[str, ...], *subresources: str) -> Resource:
    return Resource(group, "v1", plural, kind, short=short, categories=_ALL, subresources=subresources, generation=True)


def _cluster_wide(group: str, plural: str, kind: str, generation: bool = False) -> Resource:
    return Resource(group, "v1", plural, kind, namespaced=False, generation=generation)


_HOOKS = "admissionregistration.k8s.io"
_RBAC = "rbac.authorization.k8s.io"
_GROUPS = (
    _cluster_wide(_HOOKS, "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", True),
    _cluster_wide(_HOOKS, "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", True),
    Resource(
        "apiextensions.k8s.io",
        "v1",
        "customresourcedefinitions",
        "CustomResourceDefinition",
        namespaced=False,
        short=("crd", "crds"),
        categories=("api-extensions",),
        subresources=_STATUS,
        generation=True,
        returns_deleted=True,
        finalizer="customresourcecleanup.apiextensions.k8s.io",
    ),
    Resource("apps", "v1", "controllerrevisions", "ControllerRevision"),
    _workload("apps", "daemonsets", "DaemonSet", ("ds",), "status"),
    _workload("apps", "deployments", "Deployment", ("deploy",), "scale", "status"),
    _workload("apps", "replicasets", "ReplicaSet", ("rs",), "scale", "status"),
    _workload("apps", "statefulsets", "StatefulSet", ("sts",), "scale", "status"),
    _workload("batch", "cronjobs", "CronJob", ("cj",), "status"),
    _workload("batch", "jobs", "Job", (), "status"),
    Resource("coordination.k8s.io", "v1", "leases", "Lease"),
    Resource("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", generation=True),
    Resource("events.k8s.io", "v1", "events", "Event", short=("ev",), fields=_NEW_EVENT_FIELDS, stored_as="/events"),
    _cluster_wide("networking.k8s.io", "ingressclasses", "IngressClass", True),
    Resource(
        "networking.k8s.io",
        "v1",
        "ingresses",
        "Ingress",
        singular="ingress",
        short=("ing",),
        subresources=_STATUS,
        generation=True,
    ),
    Resource("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", short=("netpol",), generation=True),
    _cluster_wide("node.k8s.io", "runtimeclasses", "RuntimeClass"),
    Resource(
        "policy",
        "v1",
        "poddisruptionbudgets",
        "PodDisruptionBudget",
        short=("pdb",),
        subresources=_STATUS,
        generation=True,
    ),
    _cluster_wide(_RBAC, "clusterrolebindings", "ClusterRoleBinding"),
    _cluster_wide(_RBAC, "clusterroles", "ClusterRole"),
    Resource(_RBAC, "v1", "rolebindings", "RoleBinding"),
    Resource(_RBAC, "v1", "roles", "Role"),
    Resource(
        "scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", namespaced=False, short=("pc",), generation=True
    ),
    Resource("storage.k8s.io", "v1", "csidrivers", "CSIDriver", namespaced=False),
    Resource("storage.k8s.io", "v1", "csinodes", "CSINode", namespaced=False),
    Resource("storage.k8s.io", "v1", "csistoragecapacities", "CSIStorageCapacity"),
    Resource("storage.k8s.io", "v1", "storageclasses", "StorageClass", namespaced=False, short=("sc",)),
    Resource("storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", namespaced=False, subresources=_STATUS),
)

RESOURCES: tuple[Resource, ...] = _CORE + _GROUPS
BY_PATH: dict[tuple[str, str, str], Resource] = {(r.group, r.version, r.plural): r for r in RESOURCES}
BY_KEY: dict[str, Resource] = {r.key: r for r in RESOURCES}
GROUPS: tuple[str, ...] = (
    *dict.fromkeys(r.group for r in RESOURCES if r.group),
    "authorization.k8s.io",
    "authentication.k8s.io",
)
"""Named groups in the order in which discovery lists them; the last two serve reviews only."""
