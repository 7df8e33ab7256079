"""One simulation from end to end: nodes go and come, pods are added, everything that waits is tried, sums are drawn.

The cluster given is used up: nothing is put back, since nobody asks it anything else afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import structs

from tenantry.explain.report import PodReport, report
from tenantry.simulate.admit import Admitted, admit
from tenantry.simulate.answer import Answer, NoPlace, PodOutcome, Preemption, Refusal
from tenantry.simulate.capacity import LIMIT, Shape, ShapeRoom, room_for
from tenantry.simulate.inventory import Inventory
from tenantry.simulate.nodes import Drained, drain
from tenantry.simulate.quota import Quotas
from tenantry.simulate.read import Item, Stray
from tenantry.simulate.shapes import common_shapes
from tenantry.simulate.trial import Trial
from tenantry.simulate.usage import measure
from tenantry.simulate.workloads import is_workload, plan_of
from tenantry_core.framework.pod_class import PodClass, controlling_owner
from tenantry_core.framework.profile import Profile
from tenantry_core.model.objects import Node, Pod

EXPLAINED = 100
"""Groups of unplaced pods whose grounds are worked out; of the others only the number is told."""
EXAMPLES = 3
Step = Callable[[str, int], None]
"""Told what is going on and how many pods are done."""


@dataclass(frozen=True)
class Scenario:
    """What is to happen to the cluster."""

    add: Sequence[Item | Stray] = ()
    """Workloads, and objects of any other kind that come with them."""
    nodes: Sequence[Node] = ()
    """Nodes that come."""
    like: str = ""
    """Node whose storage drivers they have; "" for none."""
    drain: Sequence[str] = ()
    """Names of nodes that go; must be known."""
    shapes: Sequence[Shape] = ()
    """Shapes to fill the rest with; without any, those of the added workloads, else the cluster's commonest."""
    limit: int = LIMIT
    """Replicas of one shape tried at most."""


@dataclass
class _Wanting:
    """A pod that wants in, with where it comes from."""

    pod: Pod
    workload: str
    cause: str


@dataclass
class _Run:
    found: Inventory
    scenario: Scenario
    trial: Trial
    quotas: Quotas
    step: Step
    wanting: dict[str, _Wanting] = field(default_factory=dict)
    admitted: list[Admitted] = field(default_factory=list)
    foreign: dict[str, int] = field(default_factory=dict)
    """Pods of schedulers that are not ours, by name."""
    drained: Drained = field(default_factory=Drained)


def simulate(
    found: Inventory, scenario: Scenario, profiles: Mapping[str, Profile], step: Step = lambda what, done: None
) -> Answer:
    """Play the scenario on the cluster. `profiles` by scheduler name, at least one."""
    before = measure(found.cache)
    found.scheduler_name = next(iter(profiles))
    run = _Run(found, scenario, Trial(found.cache, profiles), Quotas((), ()), step)
    manifests = _sorted(run)
    run.quotas = Quotas(found.quotas.values(), found.pods.values())
    _change_nodes(run)
    _admit_all(run, manifests)
    for pod in found.pending():
        _want(run, pod, "pending")
    for pod in run.drained.displaced:
        _want(run, pod, "drained")
    run.trial.run(lambda done: step("placing", done))
    run.trial.try_again()
    grouped = _grouped(run)
    answer = Answer(before, measure(found.cache), run.quotas, run.drained, [n.metadata.name for n in scenario.nodes])
    answer.no_place = [_no_place(run, group, i) for i, group in enumerate(grouped)]
    answer.pods = _outcomes(run, answer.no_place, grouped)
    answer.refusals = [
        Refusal(a.plan.label, len(a.refused), [name for name, _ in a.refused[:EXAMPLES]], a.refused[0][1])
        for a in run.admitted
        if a.refused
    ]
    answer.preemptions = _preemptions(run)
    _settle_quotas(run)
    answer.capacity = _capacity(run, profiles)
    answer.left_out, answer.notes = found.left_out, _notes(run)
    return answer


def _sorted(run: _Run) -> list[Item]:
    """The workloads among what is added; everything else goes into the cluster at once."""
    workloads = []
    for item in run.scenario.add:
        if isinstance(item, Item) and is_workload(item.kind, item.api_version):
            workloads.append(item)
        else:
            run.found.take([item])
    return workloads


def _change_nodes(run: _Run) -> None:
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


def _admit_all(run: _Run, manifests: Sequence[Item]) -> None:
    for item in manifests:
        try:
            body = msgspec.json.decode(item.raw, type=dict)
        except msgspec.DecodeError as error:
            run.found.leave_out(item.kind, str(error), "")
            continue
        _admit(run, item.kind, body, None)


def _admit(run: _Run, kind: str, body: dict[str, object], nodes: frozenset[str] | None) -> None:
    plan = plan_of(kind, body)
    if isinstance(plan, str):
        meta = body.get("metadata")
        run.found.leave_out(kind, plan, str(meta.get("name") or "") if isinstance(meta, dict) else "")
        return
    admitted = admit(plan, run.found, run.quotas, nodes)
    run.admitted.append(admitted)
    for pod in admitted.pods:
        if pod.spec.node_name:
            run.found.cache.upsert_pod(pod)
            run.trial.placed[pod.metadata.uid] = pod.spec.node_name
            run.wanting[pod.metadata.uid] = _Wanting(pod, plan.label, "added")
        else:
            _want(run, pod, "added", plan.label)


def _want(run: _Run, pod: Pod, cause: str, workload: str = "") -> None:
    if run.trial.serves(pod):
        run.trial.submit(pod)
    elif cause == "added":
        run.trial.waiting[pod.metadata.uid] = pod
    else:
        name = pod.spec.scheduler_name
        run.foreign[name] = run.foreign.get(name, 0) + 1
        return
    run.wanting[pod.metadata.uid] = _Wanting(pod, workload or workload_of(pod), cause)


def workload_of(pod: Pod) -> str:
    """`ReplicaSet shop/web-7d9c`: the pod's controller, or the pod itself."""
    kind, name = controlling_owner(pod)
    return f"{kind or 'Pod'} {pod.metadata.namespace}/{name or pod.metadata.name}"


def _grouped(run: _Run) -> list[list[_Wanting]]:
    """Pods without a node by shape and workload, largest group first."""
    groups: dict[tuple[PodClass, str], list[_Wanting]] = {}
    for again in (p for p in run.trial.preempted if p.returns_as in run.trial.waiting):
        pod = run.trial.waiting[again.returns_as]
        run.wanting.setdefault(again.returns_as, _Wanting(pod, workload_of(pod), "preempted"))
    for uid, pod in run.trial.waiting.items():
        want = run.wanting[uid]
        cls = run.found.cache.classes.class_of(pod)
        groups.setdefault((cls, want.workload), []).append(want)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0].workload))


def _no_place(run: _Run, group: list[_Wanting], number: int) -> NoPlace:
    pod = group[0].pod
    name = _name(pod)
    fault = run.trial.faults.get(pod.metadata.uid)
    if fault is not None:
        found = PodReport(name, "fault", "", f"a plugin failed: {fault}")
    elif not run.trial.serves(pod):
        why = f"asks for the scheduler {pod.spec.scheduler_name!r}, of which no profile is given"
        found = PodReport(name, "pending", "", why)
    elif number >= EXPLAINED:
        found = PodReport(name, "pending", "", f"not explained: more than {EXPLAINED} kinds of pods have no place")
    else:
        found = report(run.found.cache, run.trial.profiles[pod.spec.scheduler_name], pod)
    examples = [_name(want.pod) for want in group[:EXAMPLES]]
    run.step("explaining", number + 1)
    causes = sorted({want.cause for want in group})
    return NoPlace(group[0].workload, causes, len(group), examples, found)


def _outcomes(run: _Run, no_place: Sequence[NoPlace], grouped: Sequence[list[_Wanting]]) -> list[PodOutcome]:
    gone = {p.victim.metadata.uid for p in run.trial.preempted}
    returned = {p.returns_as: p.victim for p in run.trial.preempted if p.returns_as}
    for uid, victim in returned.items():
        run.wanting.setdefault(uid, _Wanting(victim, workload_of(victim), "preempted"))
    reasons = {w.pod.metadata.uid: n.report.verdict for n, group in zip(no_place, grouped, strict=True) for w in group}
    found = []
    for uid, want in run.wanting.items():
        name, node = _name(want.pod), run.trial.placed.get(uid, "")
        if node:
            found.append(PodOutcome(name, want.workload, want.cause, "placed", node))
        elif uid in run.trial.waiting:
            outcome = "gated" if uid in run.trial.gated else "unplaced"
            found.append(PodOutcome(name, want.workload, want.cause, outcome, "", reasons.get(uid, "")))
        elif uid in gone:
            found.append(PodOutcome(name, want.workload, want.cause, "preempted"))
    for admitted in run.admitted:
        label = admitted.plan.label
        found += [PodOutcome(name, label, "added", "refused", "", why) for name, why in admitted.refused]
    return found


def _preemptions(run: _Run) -> list[Preemption]:
    found = []
    for gone in run.trial.preempted:
        victim, by = gone.victim, gone.by
        want = run.wanting.get(victim.metadata.uid)
        found.append(
            Preemption(
                _name(victim),
                want.workload if want else workload_of(victim),
                victim.spec.priority,
                _name(by),
                by.spec.priority,
                gone.node,
                run.trial.placed.get(gone.returns_as, "") if gone.returns_as else "",
                bool(gone.returns_as),
            )
        )
    return found


def _settle_quotas(run: _Run) -> None:
    for gone in run.trial.preempted:
        if not gone.returns_as:
            run.quotas.give_back(gone.victim)


def _capacity(run: _Run, profiles: Mapping[str, Profile]) -> list[ShapeRoom]:
    default = next(iter(profiles))
    shapes = list(run.scenario.shapes)
    if not shapes:
        shapes = [Shape(a.plan.label, a.shape) for a in run.admitted if a.shape is not None and not a.plan.per_node]
    shapes = shapes or common_shapes(run.found, default)
    found = []
    for number, shape in enumerate(shapes):
        run.step("filling", number + 1)
        profile = profiles.get(shape.pod.spec.scheduler_name, profiles[default])
        found.append(room_for(run.found.cache, profile, shape, run.quotas, run.scenario.limit))
    return found


def _notes(run: _Run) -> list[str]:
    found = [] if run.found.nodes else ["the input holds no node"]
    homeless = run.found.homeless()
    if homeless:
        names = ", ".join(sorted(homeless)[:EXAMPLES])
        found.append(f"{sum(homeless.values())} pods are on {len(homeless)} nodes that the input lacks: {names}")
    for name, count in sorted(run.foreign.items()):
        found.append(f"{count} pods are left to the scheduler {name!r}, of which no profile is given")
    mounting = sum(any(v.persistent_volume_claim for v in p.spec.volumes or ()) for p in run.found.pending())
    if mounting and not run.found.read.get("PersistentVolumeClaim"):
        found.append(f"{mounting} pending pods mount claims and the input holds none: get persistentvolumeclaims too")
    return found


def _name(pod: Pod) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.name}"
