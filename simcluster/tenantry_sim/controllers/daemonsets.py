"""Daemon sets: one pod for each node that wants it; the scheduler places it, held to the node by affinity."""

from collections.abc import Iterable

from tenantry_sim import selectors
from tenantry_sim.controllers import events, writes
from tenantry_sim.controllers.placement import affine, tolerates
from tenantry_sim.controllers.replicasets import delete_pod
from tenantry_sim.controllers.revisions import made_by, new_pod, revision_of
from tenantry_sim.controllers.rollout import portion
from tenantry_sim.controllers.runner import Controller, Key
from tenantry_sim.controllers.views import PodView
from tenantry_sim.status import ApiError
from tenantry_sim.store.records import Change, Object, Record

_KEY = "apps/daemonsets"
_TOLERATED = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)


class DaemonSets(Controller):
    """Makes and deletes pods by node; replaces those of an earlier template a few at a time."""

    kinds = (_KEY, "/pods", "/nodes")

    def keys(self, kind: str, change: Change) -> Iterable[Key]:
        if kind != "/nodes":
            return self.own_or_owner(kind, _KEY, "DaemonSet", change)
        if change.previous is not None and change.type == "MODIFIED" and _same_node(change.previous, change.record):
            return ()
        return [(r.namespace, r.name) for r in self.world.kind(_KEY).ordered()]

    def sync(self, namespace: str, name: str) -> float | None:
        record = self.world.find(_KEY, name, namespace)
        if record is None:
            return None
        obj = record.decode()
        nodes = [r.decode() for r in self.world.kind("/nodes").ordered()]
        wanted = {n["metadata"]["name"]: _runs_on(obj, n) for n in nodes}
        failure = None if record.deleting else self._manage(record, obj, wanted)
        self._report(namespace, name, wanted)
        if failure is not None:
            raise failure
        return None

    def _manage(self, record: Record, obj: Object, wanted: dict[str, tuple[bool, bool]]) -> ApiError | None:
        mark = revision_of(obj)
        placed = _by_node(self.owners.pods(record.uid))
        for node, views in placed.items():
            keeps = wanted.get(node, (False, False))[1]
            surplus = [v for v in views if v.ended] + [v for v in views if not v.ended][1:] if keeps else views
            for view in surplus:
                delete_pod(self.world, view)
        failure = None
        for node, (runs, _) in wanted.items():
            if not runs or any(not v.ended for v in placed.get(node, ())):
                continue
            try:
                self._create(record, obj, mark, node)
            except ApiError as refusal:
                message = f"Error creating: {refusal.message}"
                events.report(self.world, _KEY, record, "Warning", "FailedCreate", message)
                failure = refusal
                break
        self._roll(record, obj, mark, sum(runs for runs, _ in wanted.values()))
        return failure

    def _create(self, record: Record, obj: Object, mark: str, node: str) -> None:
        pod = new_pod(self.world.kind(_KEY).resource, obj, mark)
        _hold_to(pod["spec"], node)
        made = writes.create(self.world, "/pods", record.namespace, pod)
        events.report(self.world, _KEY, record, "Normal", "SuccessfulCreate", f"Created pod: {made.name}")

    def _roll(self, record: Record, obj: Object, mark: str, due: int) -> None:
        """Delete old pods while no more than `maxUnavailable` are missing. Surge is not acted out."""
        strategy = obj["spec"].get("updateStrategy") or {}
        active = [v for v in self.owners.pods(record.uid) if v.active]
        old = [v for v in active if made_by(v) != mark]
        if strategy.get("type") == "OnDelete" or not old:
            return
        rolling = strategy.get("rollingUpdate") or {}
        most = max(portion(rolling.get("maxUnavailable", 1), due, True), 1)
        room = most - max(due - sum(v.ready for v in active), 0)
        for view in sorted(old, key=lambda v: (v.ready, v.name)):
            if view.ready and room <= 0:
                break
            delete_pod(self.world, view)
            room -= 1

    def _report(self, namespace: str, name: str, wanted: dict[str, tuple[bool, bool]]) -> None:
        record = self.world.find(_KEY, name, namespace)
        if record is None:
            return
        obj, now = record.decode(), self.world.clock.now()
        mark, min_ready = revision_of(obj), obj["spec"].get("minReadySeconds", 0)
        placed = _by_node([v for v in self.owners.pods(record.uid) if v.active])
        due = [node for node, (runs, _) in wanted.items() if runs]
        first = [placed[node][0] for node in due if node in placed]
        available = sum(v.available(min_ready, now) for v in first)
        status = {
            "currentNumberScheduled": len(first),
            "numberMisscheduled": sum(not wanted.get(node, (False, False))[0] for node in placed),
            "desiredNumberScheduled": len(due),
            "numberReady": sum(v.ready for v in first),
            "observedGeneration": obj["metadata"].get("generation", 0),
        }
        more = {
            "updatedNumberScheduled": sum(made_by(v) == mark for v in first),
            "numberAvailable": available,
            "numberUnavailable": len(due) - available,
        }
        writes.set_status(self.world, _KEY, record, {**status, **{k: n for k, n in more.items() if n}})


def _same_node(before: Record, after: Record) -> bool:
    """Whether nothing changed that decides about daemons: labels, taints, `unschedulable`."""
    if before.labels != after.labels:
        return False
    return bool(before.decode().get("spec") == after.decode().get("spec"))


def _runs_on(obj: Object, node: Object) -> tuple[bool, bool]:
    """(a pod should be made there, a pod that is there may stay)."""
    spec = obj["spec"]["template"]["spec"]
    labels = node["metadata"].get("labels") or {}
    if not selectors.from_object({"matchLabels": spec.get("nodeSelector") or {}})(labels) or not affine(spec, node):
        return False, False
    tolerations = [*(spec.get("tolerations") or ()), *_tolerations(spec)]
    taints = (node.get("spec") or {}).get("taints") or ()
    refused = {t.get("effect") for t in taints if not any(tolerates(t, given) for given in tolerations)}
    return not refused & {"NoSchedule", "NoExecute"}, "NoExecute" not in refused


def _tolerations(spec: Object) -> list[Object]:
    rows = list(_TOLERATED)
    if spec.get("hostNetwork"):
        rows.append(("node.kubernetes.io/network-unavailable", "NoSchedule"))
    return [{"key": key, "operator": "Exists", "effect": effect} for key, effect in rows]


def _hold_to(spec: Object, node: str) -> None:
    """The template's own required node affinity was judged already; the node's name takes its place."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    affinity = spec.setdefault("affinity", {}).setdefault("nodeAffinity", {})
    affinity["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": [term]}
    given = spec.setdefault("tolerations", [])
    given += [toleration for toleration in _tolerations(spec) if toleration not in given]


def _target(view: PodView) -> str:
    """The node that a pod is on or held to."""
    if view.node:
        return view.node
    affinity = (view.record.decode()["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    terms = (affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms") or ()
    for term in terms:
        for need in term.get("matchFields") or ():
            if need.get("key") == "metadata.name" and need.get("values"):
                return str(need["values"][0])
    return ""


def _by_node(views: list[PodView]) -> dict[str, list[PodView]]:
    """Pods by their node; those that run come first, then the older ones."""
    found: dict[str, list[PodView]] = {}
    for view in sorted(views, key=lambda v: (v.record.deleting, not v.node, v.pod.metadata.creationTimestamp, v.name)):
        found.setdefault(_target(view), []).append(view)
    return found
