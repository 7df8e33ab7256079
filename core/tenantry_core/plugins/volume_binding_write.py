"""From a plan to bound claims: what Reserve assumes, what PreBind writes, what it then waits for.

The volume controller and the provisioners do the binding; the scheduler writes a volume's claimRef or a claim's
selected node and waits. Source: AssumePodVolumes and BindPodVolumes of kube-scheduler 1.36.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from tenantry_core.clock import Clock
from tenantry_core.framework.snapshot import Snapshot, StorageView
from tenantry_core.framework.status import SUCCESS, Status, fault
from tenantry_core.model.objects import Node
from tenantry_core.model.storage import ObjectReference, PersistentVolume, PersistentVolumeClaim
from tenantry_core.plugins.volume_api import MergePatch, VolumeApi, VolumeWrite, WaitForChange, changed_within
from tenantry_core.plugins.volume_claims import BOUND_BY_CONTROLLER, SELECTED_NODE, fully_bound
from tenantry_core.plugins.volume_matching import affinity_terms, promised_to
from tenantry_core.plugins.volume_search import Plan


class Promise(NamedTuple):
    """What Reserve assumed: the plan's objects as they were, and the node."""

    node: str
    plan: Plan


class _Expected(NamedTuple):
    """A claim with the versions that the writes gave; older news is passed over."""

    claim: PersistentVolumeClaim
    version: str
    volume: str = ""
    """Name of the volume to be bound, "" where one is to be made."""


def promise(storage: StorageView, plan: Plan, node: str) -> Promise:
    """Assume every part of the plan."""
    for volume, claim in plan.bindings:
        storage.assume_volume(_claimed(volume, claim))
    for claim in plan.provisions:
        annotations = {**(claim.metadata.annotations or {}), SELECTED_NODE: node}
        storage.assume_claim(replace(claim, metadata=replace(claim.metadata, annotations=annotations)))
    return Promise(node, plan)


def take_back(storage: StorageView, promised: Promise) -> None:
    """End every assumption that news has not ended yet."""
    for volume, _ in promised.plan.bindings:
        storage.restore_volume(volume.metadata.name)
    for claim in promised.plan.provisions:
        storage.restore_claim(claim.metadata.namespace, claim.metadata.name)


async def bind_volumes(
    snapshot: Snapshot, promised: Promise, api: VolumeApi, wait: WaitForChange, limit: tuple[Clock, float]
) -> Status:
    """Write the promise and wait until the claims are bound, for `limit` (clock, seconds) at most."""
    clock, timeout = limit
    deadline = clock.monotonic() + timeout
    expected = await _write(snapshot.storage, promised, api)
    if isinstance(expected, Status):
        return expected
    while True:
        change = wait()  # Before the look, so that no change between the look and the wait is lost.
        verdict = _all_bound(snapshot, promised.node, expected)
        if verdict is not None:
            return verdict
        left = deadline - clock.monotonic()
        if left <= 0:
            return fault(f"binding volumes: timed out after {timeout:g} s")
        await changed_within(change, clock, left)


async def _write(storage: StorageView, promised: Promise, api: VolumeApi) -> list[_Expected] | Status:
    """Patches are made against what is stored: another pod may have assumed the same for a claim that it shares."""
    expected = []
    for chosen, claim in promised.plan.bindings:
        name = chosen.metadata.name
        volume = storage.stored_volume(name) or chosen
        patch = _volume_patch(volume, claim)
        write = await api.update_pv(name, patch) if patch else VolumeWrite(volume.metadata.resource_version)
        if write.problem:
            return fault(f'binding volumes: persistentvolume "{name}": {write.problem}')
        expected.append(_Expected(claim, write.resource_version, name))
    for chosen_claim in promised.plan.provisions:
        claim = _stored(storage, chosen_claim) or chosen_claim
        patch, meta = _claim_patch(claim, promised.node), claim.metadata
        write = await api.update_pvc(meta.namespace, meta.name, patch) if patch else VolumeWrite(meta.resource_version)
        if write.problem:
            return fault(f'binding volumes: persistentvolumeclaim "{meta.name}": {write.problem}')
        expected.append(_Expected(claim, write.resource_version))
    return expected


def _all_bound(snapshot: Snapshot, node: str, expected: list[_Expected]) -> Status | None:
    """SUCCESS where all is bound, a fault where the pod must go round again, None to wait on."""
    row = snapshot.nodes.row_of(node)
    found = snapshot.nodes.objects[row] if row >= 0 else None
    if found is None:
        return fault(f'binding volumes: node "{node}" not found')
    pending = False
    for one in expected:
        verdict = _binding(snapshot.storage, found, one) if one.volume else _provision(snapshot.storage, found, one)
        if isinstance(verdict, str):
            return fault(f"binding volumes: {verdict}")
        pending = pending or not verdict
    return None if pending else SUCCESS


def _binding(storage: StorageView, node: Node, one: _Expected) -> bool | str:
    """Whether a claim is bound to its promised volume; a text where that will not happen."""
    volume, claim = storage.stored_volume(one.volume), _stored(storage, one.claim)
    if volume is None:
        return f'persistentvolume "{one.volume}" not found'
    if claim is None:
        return f'persistentvolumeclaim "{one.claim.metadata.name}" not found'
    if _older(volume.metadata.resource_version, one.version):
        return False
    if not _reaches(node, volume):
        return f'pv "{one.volume}" node affinity doesn\'t match node "{node.metadata.name}"'
    if volume.spec.claim_ref is None or not volume.spec.claim_ref.uid:
        return f'ClaimRef got reset for pv "{one.volume}"'
    return fully_bound(claim)


def _provision(storage: StorageView, node: Node, one: _Expected) -> bool | str:
    """Whether a claim got its volume made; a text where the provisioner gave up or made it out of reach."""
    claim, name = _stored(storage, one.claim), one.claim.metadata.name
    if claim is None:
        return f'persistentvolumeclaim "{name}" not found'
    if _older(claim.metadata.resource_version, one.version):
        return False
    if (claim.metadata.annotations or {}).get(SELECTED_NODE) != node.metadata.name:
        return f'provisioning failed for PVC "{name}"'
    if claim.spec.volume_name:
        volume = storage.stored_volume(claim.spec.volume_name)
        if volume is None:
            return False
        if not _reaches(node, volume):
            return f'pv "{claim.spec.volume_name}" node affinity doesn\'t match node "{node.metadata.name}"'
    return fully_bound(claim)


def _stored(storage: StorageView, claim: PersistentVolumeClaim) -> PersistentVolumeClaim | None:
    return storage.stored_claim(claim.metadata.namespace, claim.metadata.name)


def _reaches(node: Node, volume: PersistentVolume) -> bool:
    terms = affinity_terms(volume)
    return terms is None or any(t.matches(node.metadata.labels or {}, node.metadata.name) for t in terms)


def _older(known: str, written: str) -> bool:
    """Whether news is older than a write. Versions of one resource are numbers that rise."""
    if known.isdigit() and written.isdigit():
        return int(known) < int(written)
    return False


def _claimed(volume: PersistentVolume, claim: PersistentVolumeClaim) -> PersistentVolume:
    meta, annotations = claim.metadata, dict(volume.metadata.annotations or {})
    if not promised_to(volume, claim):
        annotations[BOUND_BY_CONTROLLER] = "yes"
    ref = ObjectReference(name=meta.name, namespace=meta.namespace, uid=meta.uid)
    return replace(
        volume,
        metadata=replace(volume.metadata, annotations=annotations or None),
        spec=replace(volume.spec, claim_ref=ref),
    )


def _volume_patch(volume: PersistentVolume, claim: PersistentVolumeClaim) -> MergePatch | None:
    """What turns the volume into the claim's; None where it is already."""
    ref, meta = volume.spec.claim_ref, claim.metadata
    if ref is not None and ref.uid == meta.uid and promised_to(volume, claim):
        return None
    metadata: dict[str, object] = {"resourceVersion": volume.metadata.resource_version}
    if not promised_to(volume, claim):
        metadata["annotations"] = {BOUND_BY_CONTROLLER: "yes"}
    claim_ref = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": meta.namespace,
        "name": meta.name,
        "uid": meta.uid,
        "resourceVersion": meta.resource_version,
    }
    return {"metadata": metadata, "spec": {"claimRef": claim_ref}}


def _claim_patch(claim: PersistentVolumeClaim, node: str) -> MergePatch | None:
    """What orders a volume for the node; None where one was ordered for it before."""
    if (claim.metadata.annotations or {}).get(SELECTED_NODE) == node:
        return None
    return {
        "metadata": {"resourceVersion": claim.metadata.resource_version, "annotations": {SELECTED_NODE: node}},
    }
