"""Jobs: pods until enough of them have succeeded.

Pods carry no tracking finalizer: the controller remembers those that ended and were deleted, while it runs.
"""

from collections.abc import Iterable

from tenantry_sim.clock import parse_stamp
from tenantry_sim.controllers import events, writes
from tenantry_sim.controllers.ownership import OwnerIndex, controller_of, reference
from tenantry_sim.controllers.replicasets import delete_pod, pod_from
from tenantry_sim.controllers.runner import Controller, Key
from tenantry_sim.controllers.views import PodView, head
from tenantry_sim.kinds.deletion import DeleteOptions, delete
from tenantry_sim.status import ApiError
from tenantry_sim.store.records import Change, Object, Record
from tenantry_sim.world import World

_KEY = "batch/jobs"
_INDEX = "batch.kubernetes.io/job-completion-index"
_BACKOFF_FIRST, _BACKOFF_MOST = 10.0, 600.0


class Jobs(Controller):
    """Makes pods, judges the job complete or failed, ends it after its time to live."""

    kinds = (_KEY, "/pods")

    def __init__(self, world: World, owners: OwnerIndex) -> None:
        super().__init__(world, owners)
        self._gone: dict[str, list[PodView]] = {}

    def keys(self, kind: str, change: Change) -> Iterable[Key]:
        if change.type == "DELETED":
            self._remember(kind, change.record)
        return self.own_or_owner(kind, _KEY, "Job", change)

    def _remember(self, kind: str, record: Record) -> None:
        if kind == _KEY:
            self._gone.pop(record.uid, None)
            return
        owner = controller_of(head(record)) if b'"ownerReferences"' in record.raw else None
        view = PodView(record)
        if owner is not None and owner.kind == "Job" and view.ended:
            self._gone.setdefault(owner.uid, []).append(view)

    def _pods(self, uid: str) -> list[PodView]:
        """Pods of a job, those that ended and are gone included."""
        return [*self._gone.get(uid, ()), *self.owners.pods(uid)]

    def sync(self, namespace: str, name: str) -> float | None:
        record = self.world.find(_KEY, name, namespace)
        if record is None or record.deleting:
            return None
        obj = record.decode()
        status, spec = dict(obj.get("status") or {}), obj["spec"]
        end = next((c for c in status.get("conditions") or () if _final(c)), None)
        if end is not None:
            return self._expire(record, spec, status)
        pods = self._pods(record.uid)
        active = [v for v in pods if v.active]
        if spec.get("suspend"):
            for view in active:
                delete_pod(self.world, view)
            status.pop("startTime", None)
            self._suspended(status, True)
            self._store(record, status, pods, [])
            return None
        status.setdefault("startTime", self.world.stamp())
        self._suspended(status, False)
        verdict = self._verdict(spec, status, pods)
        if verdict is not None:
            return self._end(record, status, active, verdict)
        again, failure = self._manage(record, obj, pods, active)
        self._store(record, status, self._pods(record.uid), [v for v in self._pods(record.uid) if v.active])
        if failure is not None:
            raise failure
        return _least(again, self._left(spec, status))

    # ---- judgement ---------------------------------------------------------------------------------------------------

    def _verdict(self, spec: Object, status: Object, pods: list[PodView]) -> tuple[str, str, str] | None:
        """(condition, reason, message) when the job is at its end."""
        succeeded, failed = _succeeded(spec, pods), _failed(spec, pods)
        wanted = spec.get("completions")
        if wanted is None:
            # A work queue: done when one pod has succeeded and none is left.
            if succeeded and not any(v.active for v in pods):
                return "Complete", "CompletionsReached", "Reached expected number of succeeded pods"
        elif succeeded >= wanted:
            return "Complete", "CompletionsReached", "Reached expected number of succeeded pods"
        if failed > spec.get("backoffLimit", 6):
            return "Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"
        left = self._left(spec, status)
        if left is not None and left <= 0:
            return "Failed", "DeadlineExceeded", "Job was active longer than specified deadline"
        return None

    def _left(self, spec: Object, status: Object) -> float | None:
        """Seconds until the deadline of the job."""
        deadline = spec.get("activeDeadlineSeconds")
        if deadline is None or "startTime" not in status:
            return None
        return parse_stamp(status["startTime"]) + float(deadline) - self.world.clock.now()

    def _end(
        self, record: Record, status: Object, active: list[PodView], verdict: tuple[str, str, str]
    ) -> float | None:
        kind, reason, message = verdict
        for view in active:
            delete_pod(self.world, view)
        early = "SuccessCriteriaMet" if kind == "Complete" else "FailureTarget"
        for name in (early, kind):
            condition = {"type": name, "status": "True", "reason": reason, "message": message}
            writes.put_condition(status, {**condition, "lastProbeTime": self.world.stamp()}, self.world.stamp())
        if kind == "Complete":
            status["completionTime"] = self.world.stamp()
        self._store(record, status, self._pods(record.uid), [])
        event = ("Normal", "Completed", "Job completed") if kind == "Complete" else ("Warning", reason, message)
        events.report(self.world, _KEY, record, *event)
        spec = record.decode()["spec"]
        ttl = spec.get("ttlSecondsAfterFinished")
        return None if ttl is None else float(ttl)

    def _expire(self, record: Record, spec: Object, status: Object) -> float | None:
        ttl = spec.get("ttlSecondsAfterFinished")
        if ttl is None:
            return None
        ended = max(parse_stamp(c["lastTransitionTime"]) for c in status["conditions"] if _final(c))
        left = ended + float(ttl) - self.world.clock.now()
        if left > 0:
            return left
        delete(self.world, self.world.kind(_KEY), record, DeleteOptions(propagation="Foreground"))
        return None

    # ---- pods --------------------------------------------------------------------------------------------------------

    def _manage(
        self, record: Record, obj: Object, pods: list[PodView], active: list[PodView]
    ) -> tuple[float | None, ApiError | None]:
        """Make or delete pods. Returns seconds until a failed one may be replaced, and a refusal."""
        spec = obj["spec"]
        wanted = spec.get("parallelism", 1)
        if spec.get("completions") is not None:
            wanted = min(wanted, spec["completions"] - _succeeded(spec, pods))
        elif any(v.phase == "Succeeded" for v in pods):
            wanted = len(active)
        for view in sorted(active, key=lambda v: (v.ready, v.name))[: max(len(active) - wanted, 0)]:
            delete_pod(self.world, view)
        missing = wanted - len(active)
        # Pods on their way out are still counted for an index, and replaced when they are gone.
        wait = self._backoff(pods) if missing > 0 else 0.0
        if missing <= 0 or wait > 0:
            return (wait or None), None
        indexes = self._free_indexes(spec, pods) if spec.get("completionMode") == "Indexed" else [None] * missing
        for index in indexes[:missing]:
            try:
                self._create(record, obj, index)
            except ApiError as refusal:
                events.report(self.world, _KEY, record, "Warning", "FailedCreate", f"Error creating: {refusal.message}")
                return None, refusal
        return None, None

    def _create(self, record: Record, obj: Object, index: int | None) -> None:
        prefix = f"{record.name}-" if index is None else f"{record.name}-{index}-"
        pod = pod_from(obj["spec"]["template"], prefix, reference(self.world.kind(_KEY).resource, obj))
        if index is not None:
            for member in ("labels", "annotations"):
                pod["metadata"].setdefault(member, {})[_INDEX] = str(index)
            for container in pod["spec"].get("containers") or ():
                container.setdefault("env", []).append({"name": "JOB_COMPLETION_INDEX", "value": str(index)})
            pod["spec"]["hostname"] = f"{record.name}-{index}"
        made = writes.create(self.world, "/pods", record.namespace, pod)
        events.report(self.world, _KEY, record, "Normal", "SuccessfulCreate", f"Created pod: {made.name}")

    def _free_indexes(self, spec: Object, pods: list[PodView]) -> list[int | None]:
        taken = {v.record.labels.get(_INDEX) for v in pods if v.phase != "Failed"}
        return [i for i in range(spec.get("completions") or 0) if str(i) not in taken]

    def _backoff(self, pods: list[PodView]) -> float:
        """Seconds to wait after failures: 10 s doubled for each failure since the last success, at most 600 s."""
        failed = [v for v in pods if v.phase == "Failed"]
        if not failed:
            return 0.0
        ends = [_ended_at(v) for v in failed]
        wait = min(_BACKOFF_FIRST * 2.0 ** min(len(failed) - 1, 20), _BACKOFF_MOST)
        return float(max(max(ends) + wait - self.world.clock.now(), 0.0))

    # ---- status ------------------------------------------------------------------------------------------------------

    def _suspended(self, status: Object, yes: bool) -> None:
        present = any(c.get("type") == "Suspended" for c in status.get("conditions") or ())
        if not yes and not present:
            return
        status["conditions"] = [dict(c) for c in status.get("conditions") or ()]
        reason, message = ("JobSuspended", "Job suspended") if yes else ("JobResumed", "Job resumed")
        condition = {"type": "Suspended", "status": "True" if yes else "False", "reason": reason, "message": message}
        writes.put_condition(status, condition, self.world.stamp())

    def _store(self, record: Record, status: Object, pods: list[PodView], active: list[PodView]) -> None:
        latest = self.world.find(_KEY, record.name, record.namespace)
        if latest is None:
            return
        spec = latest.decode()["spec"]
        counts = {
            "active": len(active),
            "ready": sum(v.ready for v in active),
            "succeeded": max(_succeeded(spec, pods), status.get("succeeded", 0)),
            "failed": max(sum(v.phase == "Failed" for v in pods), status.get("failed", 0)),
            "terminating": sum(v.record.deleting and not v.ended for v in pods),
        }
        for key, count in counts.items():
            status.pop(key, None)
            if count or key in ("ready", "terminating"):
                status[key] = count
        status["uncountedTerminatedPods"] = {}
        if spec.get("completionMode") == "Indexed":
            done = sorted({int(v.record.labels[_INDEX]) for v in pods if v.phase == "Succeeded"})
            if done:
                status["completedIndexes"] = ranges(done)
        writes.set_status(self.world, _KEY, latest, status)


def ranges(numbers: list[int]) -> str:
    """Sorted numbers as `0-2,5`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)


def _final(condition: Object) -> bool:
    return condition.get("type") in ("Complete", "Failed") and condition.get("status") == "True"


def _succeeded(spec: Object, pods: list[PodView]) -> int:
    done = [v for v in pods if v.phase == "Succeeded"]
    return len({v.record.labels.get(_INDEX) for v in done}) if spec.get("completionMode") == "Indexed" else len(done)


def _failed(spec: Object, pods: list[PodView]) -> int:
    """Failed pods, and restarts where containers are started again in place."""
    restarts = spec["template"]["spec"].get("restartPolicy") == "OnFailure"
    return sum(v.phase == "Failed" for v in pods) + (sum(v.restarts for v in pods) if restarts else 0)


def _ended_at(view: PodView) -> float:
    statuses = (view.record.decode().get("status") or {}).get("containerStatuses") or ()
    ends = [((s.get("state") or {}).get("terminated") or {}).get("finishedAt") for s in statuses]
    return max((parse_stamp(end) for end in ends if end), default=0.0)


def _least(*values: float | None) -> float | None:
    return min((v for v in values if v is not None), default=None)
