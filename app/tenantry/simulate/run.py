"""One simulation from end to end: nodes go and come, pods are added, everything that waits is tried, sums are drawn.

The cluster given is used up: nothing is put back, since nobody asks it anything else afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tenantry.explain.report import PodReport, report
from tenantry.simulate.answer import Answer, NoPlace, PodOutcome, Preemption, Refusal
from tenantry.simulate.arrivals import admit_all, change_nodes, receive, sort_manifests
from tenantry.simulate.capacity import Shape, ShapeRoom, room_for
from tenantry.simulate.inventory import Inventory
from tenantry.simulate.quota import Quotas
from tenantry.simulate.shapes import common_shapes
from tenantry.simulate.state import Run, Scenario, Step, Wanting, name_of, workload_of
from tenantry.simulate.trial import Trial
from tenantry.simulate.usage import measure
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.profile import Profile

EXAMPLES = 3
EXPLAINED = 100
"""Groups of unplaced pods whose grounds are worked out; of the others only the number is told."""


def simulate(
    found: Inventory, scenario: Scenario, profiles: Mapping[str, Profile], step: Step = lambda what, done: None
) -> Answer:
    """Play the scenario on the cluster. `profiles` by scheduler name, at least one."""
    before = measure(found.cache)
    found.scheduler_name = next(iter(profiles))
    run = Run(found, scenario, Trial(found.cache, profiles), Quotas((), ()), step)
    manifests = sort_manifests(run)
    run.quotas = Quotas(found.quotas.values(), found.pods.values())
    change_nodes(run)
    admit_all(run, manifests)
    for pod in found.pending():
        receive(run, pod, "pending")
    for pod in run.drained.displaced:
        receive(run, pod, "drained")
    run.trial.run(lambda done: step("placing", done))
    run.trial.try_again()
    grouped = _grouped(run)
    answer = Answer(before, measure(found.cache), run.quotas, run.drained, [n.metadata.name for n in scenario.nodes])
    answer.no_place = [_no_place(run, group, i) for i, group in enumerate(grouped)]
    answer.pods = _outcomes(run, answer.no_place, grouped)
    answer.refusals = [Refusal(workload, 1, [], why) for workload, _, why in run.unusable] + [
        Refusal(a.plan.label, len(a.refused), [name for name, _ in a.refused[:EXAMPLES]], a.refused[0][1])
        for a in run.admitted
        if a.refused
    ]
    answer.preemptions = _preemptions(run)
    _settle_quotas(run)
    answer.capacity = _capacity(run, profiles)
    answer.left_out, answer.notes = found.left_out, _notes(run)
    return answer


def _grouped(run: Run) -> list[list[Wanting]]:
    """Pods without a node by shape and workload, largest group first."""
    groups: dict[tuple[PodClass, str], list[Wanting]] = {}
    for again in (p for p in run.trial.preempted if p.returns_as in run.trial.waiting):
        pod = run.trial.waiting[again.returns_as]
        run.wanting.setdefault(again.returns_as, Wanting(pod, workload_of(pod), "preempted"))
    for uid, pod in run.trial.waiting.items():
        want = run.wanting[uid]
        cls = run.found.cache.classes.class_of(pod)
        groups.setdefault((cls, want.workload), []).append(want)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0].workload))


def _no_place(run: Run, group: list[Wanting], number: int) -> NoPlace:
    pod = group[0].pod
    name = name_of(pod)
    fault = run.trial.faults.get(pod.metadata.uid)
    if pod.spec.node_name:
        found = PodReport(name, "pending", "", f"names the node {pod.spec.node_name!r}, which is not there")
    elif fault is not None:
        found = PodReport(name, "fault", "", f"a plugin failed: {fault}")
    elif not run.trial.serves(pod):
        why = f"asks for the scheduler {pod.spec.scheduler_name!r}, of which no profile is given"
        found = PodReport(name, "pending", "", why)
    elif number >= EXPLAINED:
        found = PodReport(name, "pending", "", f"not explained: more than {EXPLAINED} kinds of pods have no place")
    else:
        found = report(run.found.cache, run.trial.profiles[pod.spec.scheduler_name], pod)
    examples = [name_of(one.pod) for one in group[:EXAMPLES]]
    run.step("explaining", number + 1)
    causes = sorted({one.cause for one in group})
    return NoPlace(group[0].workload, causes, len(group), examples, found)


def _outcomes(run: Run, no_place: Sequence[NoPlace], grouped: Sequence[list[Wanting]]) -> list[PodOutcome]:
    gone = {p.victim.metadata.uid for p in run.trial.preempted}
    returned = {p.returns_as: p.victim for p in run.trial.preempted if p.returns_as}
    for uid, victim in returned.items():
        run.wanting.setdefault(uid, Wanting(victim, workload_of(victim), "preempted"))
    reasons = {w.pod.metadata.uid: n.report.verdict for n, group in zip(no_place, grouped, strict=True) for w in group}
    found = []
    for uid, one in run.wanting.items():
        name, node = name_of(one.pod), run.trial.placed.get(uid, "")
        if node:
            found.append(PodOutcome(name, one.workload, one.cause, "placed", node))
        elif uid in run.trial.waiting:
            outcome = "gated" if uid in run.trial.gated else "unplaced"
            found.append(PodOutcome(name, one.workload, one.cause, outcome, "", reasons.get(uid, "")))
        elif uid in gone:
            found.append(PodOutcome(name, one.workload, one.cause, "preempted"))
    found += [PodOutcome(name, label, "added", "refused", "", why) for label, name, why in run.unusable]
    for admitted in run.admitted:
        label = admitted.plan.label
        found += [PodOutcome(name, label, "added", "refused", "", why) for name, why in admitted.refused]
    return found


def _preemptions(run: Run) -> list[Preemption]:
    found = []
    for gone in run.trial.preempted:
        victim, by = gone.victim, gone.by
        want = run.wanting.get(victim.metadata.uid)
        found.append(
            Preemption(
                name_of(victim),
                want.workload if want else workload_of(victim),
                victim.spec.priority,
                name_of(by),
                by.spec.priority,
                gone.node,
                run.trial.placed.get(gone.returns_as, "") if gone.returns_as else "",
                bool(gone.returns_as),
            )
        )
    return found


def _settle_quotas(run: Run) -> None:
    for gone in run.trial.preempted:
        if not gone.returns_as:
            run.quotas.give_back(gone.victim)


def _capacity(run: Run, profiles: Mapping[str, Profile]) -> list[ShapeRoom]:
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


def _notes(run: Run) -> list[str]:
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
