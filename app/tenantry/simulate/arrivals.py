"""How things enter a simulation: nodes go and come, manifests become pods, pods that want in are queued."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import structs

from tenantry.simulate.admit import admit
from tenantry.simulate.nodes import drain
from tenantry.simulate.read import Item
from tenantry.simulate.state import Run, Wanting, workload_of
from tenantry.simulate.workloads import is_workload, makes_pods, plan_of
from tenantry_core.model.objects import Pod


def sort_manifests(run: Run) -> list[Item]:
    """The workloads among what is added; everything else goes into the cluster at once."""
    workloads = []
    for item in run.scenario.add:
        if not isinstance(item, Item) or not makes_pods(item.kind):
            run.found.take([item])
        elif is_workload(item.kind, item.api_version):
            workloads.append(item)
        elif "." in item.api_version:  # somebody else's kind of this name
            run.found.take([item])
        else:
            why = f"there is no {item.kind} in {item.api_version or 'an empty apiVersion'}"
            run.unusable.append((item.kind, item.kind, why))
    return workloads


def change_nodes(run: Run) -> None:
    """Drain, then add nodes and the daemons that the dump's DaemonSets bring to them."""
    run.drained = drain(run.found, run.scenario.drain)
    for pod in run.drained.lost:
        run.quotas.give_back(pod)
    for node in run.scenario.nodes:
        run.found.cache.upsert_node(node)
        run.found.nodes[node.metadata.name] = node
        drivers = run.found.cache.storage.csi_nodes.get(run.scenario.like)
        if drivers is not None:
            meta = structs.replace(drivers.metadata, name=node.metadata.name, uid="")
            run.found.cache.put("CSINode", structs.replace(drivers, metadata=meta))
    fresh = frozenset(node.metadata.name for node in run.scenario.nodes)
    if fresh:
        for body in run.found.daemon_sets.values():
            _admit(run, "DaemonSet", body, fresh)


def admit_all(run: Run, manifests: Sequence[Item]) -> None:
    """Let the pods of added workloads in, as far as the API server would."""
    for item in manifests:
        try:
            body = msgspec.json.decode(item.raw, type=dict)
        except msgspec.DecodeError as error:
            run.unusable.append((item.kind, item.kind, str(error)))
            continue
        _admit(run, item.kind, body, None)


def _admit(run: Run, kind: str, body: dict[str, object], nodes: frozenset[str] | None) -> None:
    plan = plan_of(kind, body)
    if isinstance(plan, str):
        meta = body.get("metadata")
        name = str(meta.get("name") or "?") if isinstance(meta, dict) else "?"
        if nodes is None:
            run.unusable.append((f"{kind} {name}", name, plan))
        else:
            run.found.leave_out(kind, plan, name)
        return
    admitted = admit(plan, run.found, run.quotas, nodes)
    run.admitted.append(admitted)
    for pod in admitted.pods:
        if run.found.cache.nodes.row_of(pod.spec.node_name) >= 0:
            run.found.cache.upsert_pod(pod)
            run.trial.placed[pod.metadata.uid] = pod.spec.node_name
            run.wanting[pod.metadata.uid] = Wanting(pod, plan.label, "added")
        else:
            receive(run, pod, "added", plan.label)


def receive(run: Run, pod: Pod, cause: str, workload: str = "") -> None:
    """Queue a pod that wants in. One of another scheduler is counted, or, where it was added, told as unplaced."""
    if run.trial.serves(pod) and not pod.spec.node_name:
        run.trial.submit(pod)
    elif cause == "added":
        run.trial.waiting[pod.metadata.uid] = pod
    else:
        name = pod.spec.scheduler_name
        run.foreign[name] = run.foreign.get(name, 0) + 1
        return
    run.wanting[pod.metadata.uid] = Wanting(pod, workload or workload_of(pod), cause)
