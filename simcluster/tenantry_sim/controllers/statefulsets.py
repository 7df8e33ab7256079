"""Stateful sets: pods with names of their own, one after the other, with claims that stay."""

from collections.abc import Iterable

from tenantry_sim.controllers import events, writes
from tenantry_sim.controllers.replicasets import copied, delete_pod
from tenantry_sim.controllers.revisions import made_by, new_pod, revision_of
from tenantry_sim.controllers.runner import Controller, Key
from tenantry_sim.controllers.views import PodView
from tenantry_sim.status import ApiError
from tenantry_sim.store.records import Change, Object, Record

_KEY, _CLAIMS = "apps/statefulsets", "/persistentvolumeclaims"


class StatefulSets(Controller):
    """Makes pods in the order of their numbers and deletes and replaces them against it."""

    kinds = (_KEY, "/pods")

    def keys(self, kind: str, change: Change) -> Iterable[Key]:
        return self.own_or_owner(kind, _KEY, "StatefulSet", change)

    def sync(self, namespace: str, name: str) -> float | None:
        record = self.world.find(_KEY, name, namespace)
        if record is None:
            return None
        obj = record.decode()
        failure: ApiError | None = None
        if not record.deleting:
            try:
                self._manage(record, obj)
            except ApiError as refusal:
                failure = refusal
                message = f"create Pod failed: {refusal.message}"
                events.report(self.world, _KEY, record, "Warning", "FailedCreate", message)
        self._report(namespace, name)
        if failure is not None:
            raise failure
        return None

    def _manage(self, record: Record, obj: Object) -> None:
        spec, mark = obj["spec"], f"{record.name}-{revision_of(obj)}"
        start = (spec.get("ordinals") or {}).get("start", 0)
        wanted = [f"{record.name}-{i}" for i in range(start, start + spec.get("replicas", 1))]
        pods = {v.name: v for v in self.owners.pods(record.uid)}
        ordered = spec.get("podManagementPolicy") != "Parallel"
        if not self._grow(record, obj, mark, wanted, pods, ordered):
            return
        surplus = sorted((v for n, v in pods.items() if n not in wanted), key=lambda v: -_number(v.name))
        for view in surplus:
            delete_pod(self.world, view)
            if ordered:
                return
        if not surplus:
            self._update(spec, mark, wanted, pods, start)

    def _grow(
        self, record: Record, obj: Object, mark: str, wanted: list[str], pods: dict[str, PodView], ordered: bool
    ) -> bool:
        """Make what is missing; False while one in the order is not ready."""
        for name in wanted:
            view = pods.get(name)
            if view is not None and view.ended:
                delete_pod(self.world, view)
            elif view is None:
                self._create(record, obj, mark, name)
            if ordered and (view is None or view.ended or view.record.deleting or not view.ready):
                return False
        return True

    def _create(self, record: Record, obj: Object, mark: str, name: str) -> None:
        pod = new_pod(self.world.kind(_KEY).resource, obj, self._mark_for(obj, mark, name))
        metadata, spec = pod["metadata"], pod["spec"]
        del metadata["generateName"]
        metadata["name"] = name
        number = str(_number(name))
        metadata["labels"].update({"statefulset.kubernetes.io/pod-name": name, "apps.kubernetes.io/pod-index": number})
        spec["hostname"] = name
        if obj["spec"].get("serviceName"):
            spec["subdomain"] = obj["spec"]["serviceName"]
        for template in obj["spec"].get("volumeClaimTemplates") or ():
            self._claim(record, template, name, spec)
        made = writes.create(self.world, "/pods", record.namespace, pod)
        message = f"create Pod {made.name} in StatefulSet {record.name} successful"
        events.report(self.world, _KEY, record, "Normal", "SuccessfulCreate", message)

    def _mark_for(self, obj: Object, mark: str, name: str) -> str:
        """Pods below the partition keep the earlier mark; the earlier template is not kept."""
        rolling = (obj["spec"].get("updateStrategy") or {}).get("rollingUpdate") or {}
        if _number(name) < rolling.get("partition", 0):
            return str(obj.get("status", {}).get("currentRevision") or mark)
        return mark

    def _claim(self, record: Record, template: Object, name: str, spec: Object) -> None:
        volume = template["metadata"]["name"]
        claim = f"{volume}-{name}"
        if self.world.find(_CLAIMS, claim, record.namespace) is None:
            labels = template["metadata"].get("labels")
            metadata = {"name": claim, **({"labels": dict(labels)} if labels else {})}
            body = {"metadata": metadata, "spec": copied(template.get("spec") or {})}
            writes.create(self.world, _CLAIMS, record.namespace, body)
        volumes = [v for v in spec.get("volumes") or () if v.get("name") != volume]
        spec["volumes"] = [*volumes, {"name": volume, "persistentVolumeClaim": {"claimName": claim}}]

    def _update(self, spec: Object, mark: str, wanted: list[str], pods: dict[str, PodView], start: int) -> None:
        """Replace the highest pod of an earlier template, if all above it are ready."""
        strategy = spec.get("updateStrategy") or {}
        if strategy.get("type") == "OnDelete":
            return
        first = max((strategy.get("rollingUpdate") or {}).get("partition", 0) - start, 0)
        for name in reversed(wanted[first:]):
            view = pods[name]
            if view.record.deleting or (made_by(view) == mark and not view.ready):
                return
            if made_by(view) != mark:
                delete_pod(self.world, view)
                return

    def _report(self, namespace: str, name: str) -> None:
        record = self.world.find(_KEY, name, namespace)
        if record is None:
            return
        obj, now = record.decode(), self.world.clock.now()
        spec, mark = obj["spec"], f"{name}-{revision_of(obj)}"
        pods = [v for v in self.owners.pods(record.uid) if v.active]
        before = obj.get("status") or {}
        current = before.get("currentRevision") or mark
        updated = sum(made_by(v) == mark for v in pods)
        ready = [v for v in pods if v.ready]
        if updated == spec.get("replicas", 1) == len(ready):
            current = mark
        status: Object = {
            "observedGeneration": obj["metadata"].get("generation", 0),
            "replicas": len(pods),
            "availableReplicas": sum(v.available(spec.get("minReadySeconds", 0), now) for v in ready),
            "currentRevision": current,
            "updateRevision": mark,
            "collisionCount": 0,
        }
        on_current = sum(made_by(v) == current for v in pods)
        more = {"readyReplicas": len(ready), "currentReplicas": on_current, "updatedReplicas": updated}
        writes.set_status(self.world, _KEY, record, {**status, **{k: n for k, n in more.items() if n}})


def _number(name: str) -> int:
    text = name.rpartition("-")[2]
    return int(text) if text.isdigit() else -1
