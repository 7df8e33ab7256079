"""Structs that hold only the fields which scheduling reads, decoded by msgspec straight from API JSON.

Field names are Kubernetes' own in snake case. A missing field takes the API server's default;
unknown fields are skipped.
"""

from __future__ import annotations

import msgspec

Quantities = dict[str, str | int]
Labels = dict[str, str]


class Struct(msgspec.Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """Base of all API structs: camel-case on the wire, immutable, free of the cycle collector."""


class OwnerReference(Struct, frozen=True):
    kind: str = ""
    name: str = ""
    uid: str = ""
    api_version: str = ""
    controller: bool = False


class ObjectMeta(Struct, frozen=True):
    name: str
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    labels: Labels | None = None
    annotations: dict[str, str] | None = None
    creation_timestamp: str = ""
    deletion_timestamp: str = ""
    owner_references: tuple[OwnerReference, ...] = ()


class SelectorRequirement(Struct, frozen=True):
    key: str
    operator: str
    values: tuple[str, ...] | None = ()


class LabelSelector(Struct, frozen=True):
    match_labels: Labels | None = None
    match_expressions: tuple[SelectorRequirement, ...] | None = ()


class NodeSelectorTerm(Struct, frozen=True):
    match_expressions: tuple[SelectorRequirement, ...] | None = ()
    match_fields: tuple[SelectorRequirement, ...] | None = ()


class NodeSelector(Struct, frozen=True):
    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()


class PreferredSchedulingTerm(Struct, frozen=True):
    weight: int
    preference: NodeSelectorTerm


class NodeAffinity(Struct, frozen=True):
    required: NodeSelector | None = msgspec.field(name="requiredDuringSchedulingIgnoredDuringExecution", default=None)
    preferred: tuple[PreferredSchedulingTerm, ...] | None = msgspec.field(
        name="preferredDuringSchedulingIgnoredDuringExecution", default=()
    )


class PodAffinityTerm(Struct, frozen=True):
    topology_key: str
    label_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] | None = ()
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] | None = ()
    mismatch_label_keys: tuple[str, ...] | None = ()


class WeightedPodAffinityTerm(Struct, frozen=True):
    weight: int
    pod_affinity_term: PodAffinityTerm


class PodAffinity(Struct, frozen=True):
    required: tuple[PodAffinityTerm, ...] | None = msgspec.field(
        name="requiredDuringSchedulingIgnoredDuringExecution", default=()
    )
    preferred: tuple[WeightedPodAffinityTerm, ...] | None = msgspec.field(
        name="preferredDuringSchedulingIgnoredDuringExecution", default=()
    )


class Affinity(Struct, frozen=True):
    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class Toleration(Struct, frozen=True):
    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


class Taint(Struct, frozen=True):
    key: str
    effect: str
    value: str = ""


class TopologySpreadConstraint(Struct, frozen=True):
    max_skew: int
    topology_key: str
    when_unsatisfiable: str
    label_selector: LabelSelector | None = None
    min_domains: int | None = None
    node_affinity_policy: str = "Honor"
    node_taints_policy: str = "Ignore"
    match_label_keys: tuple[str, ...] | None = ()


class ResourceRequirements(Struct, frozen=True):
    requests: Quantities | None = None
    limits: Quantities | None = None


class ContainerPort(Struct, frozen=True):
    container_port: int = 0
    host_port: int = 0
    host_ip: str = msgspec.field(name="hostIP", default="")
    protocol: str = "TCP"


class ResizePolicy(Struct, frozen=True):
    resource_name: str = ""
    restart_policy: str = ""


class RestartRule(Struct, frozen=True):
    action: str = ""


class Container(Struct, frozen=True):
    name: str = ""
    image: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] | None = ()
    restart_policy: str = ""
    restart_policy_rules: tuple[RestartRule, ...] | None = ()


class ClaimVolume(Struct, frozen=True):
    claim_name: str


class ClaimTemplate(Struct, frozen=True):
    metadata: msgspec.Raw | None = None


class EphemeralVolume(Struct, frozen=True):
    volume_claim_template: ClaimTemplate | None = None


class CsiVolume(Struct, frozen=True):
    driver: str = ""


class ImageVolume(Struct, frozen=True):
    reference: str = ""


class DiskVolume(Struct, frozen=True):
    """A single-attach in-tree disk: GCE persistent disk, EBS, iSCSI or RBD, reduced to what conflict checks need."""

    pd_name: str = ""
    volume_id: str = msgspec.field(name="volumeID", default="")
    iqn: str = ""
    read_only: bool = False
    monitors: tuple[str, ...] = ()
    pool: str = ""
    image: str = ""


class Volume(Struct, frozen=True):
    name: str = ""
    persistent_volume_claim: ClaimVolume | None = None
    ephemeral: EphemeralVolume | None = None
    csi: CsiVolume | None = None
    image: ImageVolume | None = None
    gce_persistent_disk: DiskVolume | None = None
    aws_elastic_block_store: DiskVolume | None = None
    iscsi: DiskVolume | None = None
    rbd: DiskVolume | None = None


class SchedulingGate(Struct, frozen=True):
    name: str


class PodResourceClaim(Struct, frozen=True):
    name: str = ""


class PodSpec(Struct, frozen=True):
    node_name: str = ""
    scheduler_name: str = "default-scheduler"
    priority: int = 0
    priority_class_name: str = ""
    preemption_policy: str = "PreemptLowerPriority"
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] | None = ()
    overhead: Quantities | None = None
    resources: ResourceRequirements | None = None
    node_selector: Labels | None = None
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] | None = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] | None = ()
    volumes: tuple[Volume, ...] | None = ()
    scheduling_gates: tuple[SchedulingGate, ...] | None = ()
    resource_claims: tuple[PodResourceClaim, ...] | None = ()
    host_network: bool = False
    host_users: bool | None = None
    termination_grace_period_seconds: int | None = None


class Condition(Struct, frozen=True):
    type: str
    status: str = ""
    reason: str = ""
    message: str = ""


class ContainerStatus(Struct, frozen=True):
    name: str = ""
    allocated_resources: Quantities | None = None
    resources: ResourceRequirements | None = None


class PodStatus(Struct, frozen=True):
    phase: str = ""
    conditions: tuple[Condition, ...] | None = ()
    nominated_node_name: str = ""
    start_time: str = ""
    resize: str = ""
    container_statuses: tuple[ContainerStatus, ...] | None = ()
    init_container_statuses: tuple[ContainerStatus, ...] | None = ()
    allocated_resources: Quantities | None = None
    resources: ResourceRequirements | None = None


class Pod(Struct, frozen=True):
    metadata: ObjectMeta
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class NodeSpec(Struct, frozen=True):
    unschedulable: bool = False
    taints: tuple[Taint, ...] | None = ()


class NodeImage(Struct, frozen=True):
    names: tuple[str, ...] | None = ()
    size_bytes: int = 0


class NodeStatus(Struct, frozen=True):
    allocatable: Quantities | None = None
    capacity: Quantities | None = None
    images: tuple[NodeImage, ...] | None = ()
    declared_features: tuple[str, ...] | None = ()


class Node(Struct, frozen=True):
    metadata: ObjectMeta
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class Namespace(Struct, frozen=True):
    metadata: ObjectMeta
