"""Claims of a pod: which it uses, whether they are bound, when their volume is chosen. Shared by the volume plugins."""

from __future__ import annotations

from typing import NamedTuple

from tenantry_core.cache.storage import storage_class_of
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.snapshot import StorageView
from tenantry_core.model.events import ClusterEvent
from tenantry_core.model.objects import Pod
from tenantry_core.model.storage import PersistentVolumeClaim

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"
READ_WRITE_ONCE_POD = "ReadWriteOncePod"
STORAGE = "storage"


class UsedClaim(NamedTuple):
    """One claim that a pod mounts."""

    name: str
    ephemeral: bool
    """Made by the ephemeral volume controller for this pod alone."""


def has_claims(cls: PodClass, ephemeral: bool = True) -> bool:
    """Whether pods of the class mount claims; cheap for pods without volumes."""
    return bool(cls.volumes) and any(v.persistent_volume_claim or (ephemeral and v.ephemeral) for v in cls.volumes)


def used_claims(cls: PodClass, pod: Pod) -> list[UsedClaim]:
    """Claims of a pod in the order of its volumes; an ephemeral volume's claim is named after pod and volume."""
    found = []
    for volume in cls.volumes:
        if volume.persistent_volume_claim:
            found.append(UsedClaim(volume.persistent_volume_claim.claim_name, False))
        elif volume.ephemeral:
            found.append(UsedClaim(f"{pod.metadata.name}-{volume.name}", True))
    return found


def listed_claims(ctx: CycleContext) -> list[str]:
    """Names of the claims that the pod itself lists, without those of ephemeral volumes."""
    return [v.persistent_volume_claim.claim_name for v in ctx.cls.volumes if v.persistent_volume_claim]


def claim_not_found(name: str) -> str:
    """Source of the text: the not-found error of the API machinery."""
    return f'persistentvolumeclaim "{name}" not found'


def fully_bound(claim: PersistentVolumeClaim) -> bool:
    """Whether the claim has its volume and the volume controller has said so."""
    return bool(claim.spec.volume_name) and BIND_COMPLETED in (claim.metadata.annotations or {})


def waits_for_consumer(claim: PersistentVolumeClaim, storage: StorageView) -> bool:
    """Whether the claim's storage class leaves the choice of volume until a pod has a node."""
    storage_class = storage.classes.get(storage_class_of(claim))
    return storage_class is not None and storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER


def belongs_to(claim: PersistentVolumeClaim, pod: Pod) -> bool:
    """Whether the pod is the claim's controller, as the claim of an ephemeral volume must have it."""
    return claim.metadata.namespace == pod.metadata.namespace and any(
        o.controller and o.uid == pod.metadata.uid for o in claim.metadata.owner_references
    )


def concerns_claims(pod: Pod, event: ClusterEvent, ephemeral: bool = True) -> bool:
    """Whether a claim event is about a claim that the pod mounts.

    Pods of one class share one answer, but their ephemeral claims are named after each pod. Any claim that could be
    some such pod's is therefore taken as a yes.
    """
    claim = event.new or event.old
    if not isinstance(claim, PersistentVolumeClaim) or claim.metadata.namespace != pod.metadata.namespace:
        return False
    name = claim.metadata.name
    for volume in pod.spec.volumes or ():
        if volume.persistent_volume_claim and volume.persistent_volume_claim.claim_name == name:
            return True
        if ephemeral and volume.ephemeral and name.endswith(f"-{volume.name}"):
            return True
    return False


def mounts_claims(pod: Pod) -> bool:
    """Whether a pod mounts any claim, listed or ephemeral."""
    return any(v.persistent_volume_claim or v.ephemeral for v in pod.spec.volumes or ())
