"""Columns of the Table output for small objects, quotas, storage and access, as data."""

from typing import Any

from tenantry_sim.api.columns import AGE, NAME, NONE, Column, field
from tenantry_sim.store.records import Object

_UNSET = "<unset>"
_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def _keys(*names: str) -> Column:
    """How many entries the maps of these names hold together."""
    return Column("Data", lambda o: sum(len(o.get(name) or ()) for name in names), type="integer")


def _length(title: str, *path: str) -> Column:
    items = field(*path, default=())
    return Column(title, lambda o: len(items(o)), type="integer")


def _quota(limits: bool) -> Any:
    def read(quota: Object) -> str:
        status = quota.get("status") or {}
        hard, used = status.get("hard") or {}, status.get("used") or {}
        chosen = [name for name in sorted(hard) if name.startswith("limits.") is limits]
        return ", ".join(f"{name}: {used.get(name, '0')}/{hard[name]}" for name in chosen)

    return read


def _modes(*path: str) -> Column:
    modes = field(*path, default=())
    return Column("Access Modes", lambda o: ",".join(_MODES.get(m, m) for m in modes(o)))


def _claim(volume: Object) -> str:
    claim = volume.get("spec", {}).get("claimRef")
    return f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else ""


def _class_name(obj: Object) -> str:
    default = (obj["metadata"].get("annotations") or {}).get(_DEFAULT_CLASS) == "true"
    return str(obj["metadata"]["name"]) + (" (default)" if default else "")


def _role(binding: Object) -> str:
    ref = binding.get("roleRef") or {}
    return f"{ref.get('kind', '')}/{ref.get('name', '')}"


def _subjects(kind: str, title: str) -> Column:
    def read(binding: Object) -> str:
        found = [s for s in binding.get("subjects") or () if s.get("kind") == kind]
        spaced = kind == "ServiceAccount"
        return ", ".join(f"{s.get('namespace', '')}/{s['name']}" if spaced else s["name"] for s in found)

    return Column(title, read, 1)


_CREATED = (NAME, Column("Created At", field("metadata", "creationTimestamp")))
_WEBHOOKS = (NAME, _length("Webhooks", "webhooks"), AGE)
_BINDING = (
    NAME,
    Column("Role", _role),
    AGE,
    _subjects("User", "Users"),
    _subjects("Group", "Groups"),
    _subjects("ServiceAccount", "ServiceAccounts"),
)
_VOLUME_MODE = Column("VolumeMode", field("spec", "volumeMode", default=_UNSET), 1)
_ATTRIBUTES = Column("VolumeAttributesClass", field("spec", "volumeAttributesClassName", default=_UNSET))

OBJECTS: dict[str, tuple[Column, ...]] = {
    "/configmaps": (NAME, _keys("data", "binaryData"), AGE),
    "/secrets": (NAME, Column("Type", field("type")), _keys("data"), AGE),
    "/serviceaccounts": (NAME, _length("Secrets", "secrets"), AGE),
    "/limitranges": _CREATED,
    "/resourcequotas": (NAME, Column("Request", _quota(False)), Column("Limit", _quota(True)), AGE),
    "/persistentvolumes": (
        NAME,
        Column("Capacity", field("spec", "capacity", "storage")),
        _modes("spec", "accessModes"),
        Column("Reclaim Policy", field("spec", "persistentVolumeReclaimPolicy")),
        Column("Status", field("status", "phase")),
        Column("Claim", _claim),
        Column("StorageClass", field("spec", "storageClassName")),
        _ATTRIBUTES,
        Column("Reason", field("status", "reason")),
        AGE,
        _VOLUME_MODE,
    ),
    "/persistentvolumeclaims": (
        NAME,
        Column("Status", field("status", "phase")),
        Column("Volume", field("spec", "volumeName")),
        Column("Capacity", field("status", "capacity", "storage")),
        _modes("status", "accessModes"),
        Column("StorageClass", field("spec", "storageClassName")),
        _ATTRIBUTES,
        AGE,
        _VOLUME_MODE,
    ),
    "policy/poddisruptionbudgets": (
        NAME,
        Column("Min Available", field("spec", "minAvailable", default="N/A")),
        Column("Max Unavailable", field("spec", "maxUnavailable", default="N/A")),
        Column("Allowed Disruptions", field("status", "disruptionsAllowed", default=0), type="integer"),
        AGE,
    ),
    "scheduling.k8s.io/priorityclasses": (
        NAME,
        Column("Value", field("value", default=0), type="integer"),
        Column("Global-Default", field("globalDefault", default=False), type="boolean"),
        AGE,
        Column("PreemptionPolicy", field("preemptionPolicy")),
    ),
    "coordination.k8s.io/leases": (NAME, Column("Holder", field("spec", "holderIdentity")), AGE),
    "storage.k8s.io/storageclasses": (
        Column("Name", _class_name),
        Column("Provisioner", field("provisioner")),
        Column("ReclaimPolicy", field("reclaimPolicy", default="Delete")),
        Column("VolumeBindingMode", field("volumeBindingMode", default="Immediate")),
        Column("AllowVolumeExpansion", field("allowVolumeExpansion", default=False)),
        AGE,
    ),
    "storage.k8s.io/volumeattachments": (
        NAME,
        Column("Attacher", field("spec", "attacher")),
        Column("PV", field("spec", "source", "persistentVolumeName")),
        Column("Node", field("spec", "nodeName")),
        Column("Attached", field("status", "attached", default=False)),
        AGE,
    ),
    "storage.k8s.io/csinodes": (NAME, _length("Drivers", "spec", "drivers"), AGE),
    "storage.k8s.io/csidrivers": (
        NAME,
        Column("AttachRequired", field("spec", "attachRequired", default=True)),
        Column("PodInfoOnMount", field("spec", "podInfoOnMount", default=False)),
        Column("StorageCapacity", field("spec", "storageCapacity", default=False)),
        AGE,
    ),
    "storage.k8s.io/csistoragecapacities": (
        NAME,
        Column("StorageClassName", field("storageClassName")),
        Column("Capacity", field("capacity")),
    ),
    "rbac.authorization.k8s.io/roles": _CREATED,
    "rbac.authorization.k8s.io/clusterroles": _CREATED,
    "rbac.authorization.k8s.io/rolebindings": _BINDING,
    "rbac.authorization.k8s.io/clusterrolebindings": _BINDING,
    "admissionregistration.k8s.io/mutatingwebhookconfigurations": _WEBHOOKS,
    "admissionregistration.k8s.io/validatingwebhookconfigurations": _WEBHOOKS,
    "apiextensions.k8s.io/customresourcedefinitions": _CREATED,
    "node.k8s.io/runtimeclasses": (NAME, Column("Handler", field("handler", default=NONE)), AGE),
}
"""Kind, as `group/plural`, to its columns."""
