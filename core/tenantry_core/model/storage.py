"""Structs of the objects around pods: volumes, workloads that own pods, budgets, priority classes."""

from __future__ import annotations

import msgspec

from tenantry_core.model.objects import Labels, LabelSelector, NodeSelector, ObjectMeta, Quantities, Struct


class ObjectReference(Struct, frozen=True):
    name: str = ""
    namespace: str = ""
    uid: str = ""


class VolumeNodeAffinity(Struct, frozen=True):
    required: NodeSelector | None = None


class CsiSource(Struct, frozen=True):
    driver: str = ""
    volume_handle: str = ""


class PersistentVolumeSpec(Struct, frozen=True):
    capacity: Quantities | None = None
    access_modes: tuple[str, ...] | None = ()
    claim_ref: ObjectReference | None = None
    storage_class_name: str = ""
    volume_mode: str = "Filesystem"
    node_affinity: VolumeNodeAffinity | None = None
    csi: CsiSource | None = None


class PhaseStatus(Struct, frozen=True):
    phase: str = ""


class PersistentVolume(Struct, frozen=True):
    metadata: ObjectMeta
    spec: PersistentVolumeSpec = PersistentVolumeSpec()
    status: PhaseStatus = PhaseStatus()


class ClaimResources(Struct, frozen=True):
    requests: Quantities | None = None


class PersistentVolumeClaimSpec(Struct, frozen=True):
    access_modes: tuple[str, ...] | None = ()
    resources: ClaimResources = ClaimResources()
    volume_name: str = ""
    storage_class_name: str | None = None
    volume_mode: str = "Filesystem"
    selector: LabelSelector | None = None


class PersistentVolumeClaim(Struct, frozen=True):
    metadata: ObjectMeta
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PhaseStatus = PhaseStatus()


class TopologyRequirement(Struct, frozen=True):
    key: str
    values: tuple[str, ...] = ()


class TopologySelectorTerm(Struct, frozen=True):
    match_label_expressions: tuple[TopologyRequirement, ...] | None = ()


class StorageClass(Struct, frozen=True):
    metadata: ObjectMeta
    provisioner: str = ""
    volume_binding_mode: str = "Immediate"
    allowed_topologies: tuple[TopologySelectorTerm, ...] | None = ()


class CsiAllocatable(Struct, frozen=True):
    count: int | None = None


class CsiNodeDriver(Struct, frozen=True):
    name: str
    allocatable: CsiAllocatable | None = None


class CsiNodeSpec(Struct, frozen=True):
    drivers: tuple[CsiNodeDriver, ...] | None = ()


class CSINode(Struct, frozen=True):
    metadata: ObjectMeta
    spec: CsiNodeSpec = CsiNodeSpec()


class CsiDriverSpec(Struct, frozen=True):
    storage_capacity: bool = False


class CSIDriver(Struct, frozen=True):
    metadata: ObjectMeta
    spec: CsiDriverSpec = CsiDriverSpec()


class CSIStorageCapacity(Struct, frozen=True):
    metadata: ObjectMeta
    storage_class_name: str = ""
    capacity: str | int | None = None
    maximum_volume_size: str | int | None = None
    node_topology: LabelSelector | None = None


class AttachmentSource(Struct, frozen=True):
    persistent_volume_name: str | None = None


class VolumeAttachmentSpec(Struct, frozen=True):
    attacher: str = ""
    node_name: str = ""
    source: AttachmentSource = AttachmentSource()


class VolumeAttachment(Struct, frozen=True):
    metadata: ObjectMeta
    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()


class ServiceSpec(Struct, frozen=True):
    selector: Labels | None = None


class Service(Struct, frozen=True):
    metadata: ObjectMeta
    spec: ServiceSpec = ServiceSpec()


class ReplicationController(Struct, frozen=True):
    metadata: ObjectMeta
    spec: ServiceSpec = ServiceSpec()


class WorkloadSpec(Struct, frozen=True):
    selector: LabelSelector | None = None


class Workload(Struct, frozen=True):
    """A ReplicaSet or StatefulSet, reduced to its selector."""

    metadata: ObjectMeta
    spec: WorkloadSpec = WorkloadSpec()


class DisruptionBudgetStatus(Struct, frozen=True):
    disruptions_allowed: int = 0
    disrupted_pods: dict[str, str] | None = None


class PodDisruptionBudget(Struct, frozen=True):
    metadata: ObjectMeta
    spec: WorkloadSpec = WorkloadSpec()
    status: DisruptionBudgetStatus = DisruptionBudgetStatus()


class PriorityClass(Struct, frozen=True):
    metadata: ObjectMeta
    value: int = 0
    preemption_policy: str = "PreemptLowerPriority"
    global_default: bool = msgspec.field(name="globalDefault", default=False)
