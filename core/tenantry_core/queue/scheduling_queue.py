"""The façade of the queue: every movement of a pod between its places."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from tenantry_core.model.events import Action, ClusterEvent, Resource
from tenantry_core.model.objects import Pod
from tenantry_core.queue.active import ActiveOrder, NamespaceOrder
from tenantry_core.queue.admission import ACTIVATED, ATTEMPT_FAILED, Admission
from tenantry_core.queue.backoff import BackoffQueue
from tenantry_core.queue.changes import pod_changes
from tenantry_core.queue.entry import Place, QueuedPod
from tenantry_core.queue.gates import Gates
from tenantry_core.queue.hints import HintTable, Profiles, Wake
from tenantry_core.queue.inflight import InFlight
from tenantry_core.queue.ledger import Ledger
from tenantry_core.queue.places import Places
from tenantry_core.queue.settings import QueueSettings
from tenantry_core.queue.whereabouts import Whereabouts
from tenantry_telemetry.api import NOOP_RECORDER, SchedulerRecorder

_ADDED = ClusterEvent(Resource.UNSCHEDULED_POD, Action.ADD).label

_NOBODY: frozenset[str] = frozenset()


class SchedulingQueue:
    """Pending pods, each in exactly one place. One thread; `now` is monotonic seconds and never goes back.

    Every popped pod must be given back by `done`, `unschedulable` or `error`, on every path; the last two include
    `done`. Until then events are kept for it.
    """

    def __init__(
        self,
        profiles: Profiles,
        settings: QueueSettings | None = None,
        recorder: SchedulerRecorder = NOOP_RECORDER,
        order: ActiveOrder | None = None,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`profiles` gives the plugins by scheduler name; `order` defaults to one heap per namespace; `timer` measures
        hints."""
        self._settings = settings or QueueSettings()
        self._recorder = recorder
        self._timer = timer
        self._pods: dict[str, QueuedPod] = {}
        self._places = Places(NamespaceOrder() if order is None else order, BackoffQueue(self._settings))
        self._in_flight = InFlight()
        self._ledger = Ledger(recorder)
        self._next_flush = 0.0
        self._admission = Admission(self._places, self._ledger, Gates(profiles), self._hint_table(profiles))

    def use_profiles(self, profiles: Profiles) -> None:
        """Take another set of plugins. Parked pods stay; a wildcard event wakes them to be tried with these."""
        self._admission.gates = Gates(profiles)
        self._admission.hints = self._hint_table(profiles)

    # -- pods come and go -----------------------------------------------------------------------------------------

    def add(self, pod: Pod, now: float) -> Place:
        """A pending pod appeared. One that is known already is updated. Tells where it went."""
        uid = pod.metadata.uid
        known = self._pods.get(uid)
        if known is not None:
            return self.update(known.pod, pod, now)
        flight = self._in_flight.get(uid)
        if flight is not None:
            # Deleted and listed again while it is being decided: it is the same pod, and that decision goes on.
            flight.deleted, flight.newest, flight.changed = False, pod, True
            self._pods[uid] = flight.qp
            return Place.IN_FLIGHT
        qp = self._pods[uid] = QueuedPod(pod, uid, now)
        return self._admission.admit(qp, Wake.NOW, _ADDED, now)

    def update(self, old: Pod | None, new: Pod, now: float) -> Place:
        """A pending pod changed; one that is not known is added, so a pod that is assumed or bound must not come here.

        What is compared is the version that the queue has; `old` only tells another pod of the same name apart.
        """
        uid = new.metadata.uid
        if old is not None and old.metadata.uid != uid:
            self.delete(old.metadata.uid)
        qp = self._pods.get(uid)
        if qp is None:
            return self.add(new, now)
        if qp.place is Place.IN_FLIGHT:
            return self._update_in_flight(qp, new)
        events = pod_changes(qp.pod, new)
        if qp.place is Place.ACTIVE or qp.place is Place.BACKOFF:
            if qp.priority == new.spec.priority:
                qp.replace(new, bool(events))
            else:
                place = self._places.leave(qp)
                qp.replace(new, True)
                self._places.enter(qp, place)
            return qp.place
        place = self._places.leave(qp)
        qp.replace(new, bool(events))
        self._places.enter(qp, place)
        return self._wake_by_own(qp, events, now)

    def delete(self, uid: str) -> bool:
        """The pod is gone, or bound by somebody else. False if it is not known.

        Of a pod in flight only a later requeue is prevented: its `done` is still owed.
        """
        qp = self._pods.pop(uid, None)
        if qp is None:
            return False
        flight = self._in_flight.get(uid)
        if flight is not None:
            flight.deleted = True
            return True
        self._places.leave(qp)
        self._ledger.discharge(qp)
        return True

    # -- attempts -------------------------------------------------------------------------------------------------

    def pop(self, now: float) -> QueuedPod | None:
        """Take the pod to try next, or None. When no pod is active, a rejected one comes before its backoff ends."""
        self._admission.end_backoffs(now)
        return self._take()

    def pop_batch(self, now: float, limit: int) -> list[QueuedPod]:
        """Take up to `limit` pods, the same and in the same order as `pop` would give them."""
        self._admission.end_backoffs(now)
        batch: list[QueuedPod] = []
        while len(batch) < limit and (qp := self._take()) is not None:
            batch.append(qp)
        return batch

    def done(self, uid: str) -> None:
        """The attempt is over and the pod leaves the queue: bound, deleted or skipped. Harmless if it is not in flight.

        To be called when nothing can reject the pod any more. A pod that fails after that comes back by `error`, if
        the caller has seen that it still exists: the queue no longer notices a delete.
        """
        flight = self._in_flight.release(uid)
        if flight is None:
            return
        flight.qp.place = Place.OUT
        if self._pods.get(uid) is flight.qp:
            del self._pods[uid]

    def unschedulable(self, qp: QueuedPod, plugins: Iterable[str], now: float, pending: Iterable[str] = ()) -> Place:
        """The attempt ended with a rejection by `plugins`, Reserve and Permit included; those in `pending` wait for
        something they started. Without any plugin it counts as an error. Tells where the pod went."""
        rejected_by, pending_on = frozenset(plugins), frozenset(pending)
        if not rejected_by and not pending_on:
            return self.error(qp, now)
        flight = self._in_flight.get(qp.uid)
        events = self._in_flight.replay(flight) if flight else []
        if not self._take_back(qp, now):
            return qp.place
        qp.rejected_by, qp.pending_on = rejected_by, pending_on
        qp.unschedulable_count += 1
        qp.error_count = 0
        qp.ready_at = self._places.backoff.ends(qp)
        self._ledger.charge(qp, qp.blockers)
        wake = Wake.NOW if flight and flight.activate else self._verdict(qp, events)
        if wake is not Wake.NO:
            return self._admission.admit(qp, wake, ATTEMPT_FAILED, now)
        qp.since = now
        self._places.enter(qp, Place.PARKED)
        self._ledger.incoming(Place.PARKED, ATTEMPT_FAILED)
        return Place.PARKED

    def error(self, qp: QueuedPod, now: float) -> Place:
        """The attempt ended with an error, of ours or of the API server: try again after a backoff."""
        if not self._take_back(qp, now):
            return qp.place
        qp.error_count += 1
        qp.ready_at = self._places.backoff.ends(qp)
        return self._admission.admit(qp, Wake.AFTER_BACKOFF, ATTEMPT_FAILED, now)

    # -- what moves waiting pods ----------------------------------------------------------------------------------

    def on_event(self, event: ClusterEvent, now: float, besides: str = "") -> int:
        """The cluster changed: wake the pods that this can help, keep it for those in flight. Number of pods moved.

        The pod with the UID `besides` is left where it is: what it gave back itself is no news to it.
        """
        self._in_flight.record(event)
        label = event.label
        woken = self._admission.hints.woken_by(self._places.parked, event) + self._admission.hints.woken_by(
            self._places.gated, event
        )
        others = ((qp, wake) for qp, wake in woken if qp.uid != besides)
        return sum(1 for qp, wake in others if self._admission.admit(qp, wake, label, now) is not Place.GATED)

    def activate(self, uids: Iterable[str], now: float) -> int:
        """Try these pods at once: no event needed, no backoff. Gates still hold; a pod in flight comes straight back
        if it is rejected. Number of pods moved."""
        moved = 0
        for uid in uids:
            qp = self._pods.get(uid)
            flight = self._in_flight.get(uid)
            if flight is not None:
                flight.activate = True
            elif qp is not None and qp.place is not Place.ACTIVE:
                moved += self._admission.admit(qp, Wake.NOW, ACTIVATED, now) is Place.ACTIVE
        return moved

    def flush(self, now: float) -> int:
        """To be called about once a second: end backoffs, retry pods that waited too long for an event, publish the
        metrics. Number of pods moved because they waited too long."""
        self._admission.end_backoffs(now)
        moved = 0
        if now >= self._next_flush:
            self._next_flush = now + self._settings.flush_every
            moved = self._admission.retry_overdue(now, self._settings.flush_after)
        self.publish()
        return moved

    # -- questions ------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Number of pods that wait, those in flight left out."""
        return sum(self.lengths().values())

    def __contains__(self, uid: str) -> bool:
        return uid in self._pods

    def get(self, uid: str) -> QueuedPod | None:
        """The entry of a pod, wherever it is."""
        return self._pods.get(uid)

    def lengths(self) -> dict[Place, int]:
        """Number of pods in each queue."""
        return self._places.lengths()

    @property
    def in_flight(self) -> int:
        """Number of pods popped and not given back."""
        return len(self._in_flight)

    @property
    def events_kept(self) -> int:
        """Number of events kept for pods in flight."""
        return self._in_flight.events

    def ready(self, now: float) -> bool:
        """Whether `pop` would give a pod."""
        if len(self._places.active) or (self._settings.pop_from_backoff and self._places.backoff.early):
            return True
        end = self._places.backoff.next_end()
        return end is not None and end <= now

    def next_backoff_end(self) -> float | None:
        """When the next backoff ends, or None: an idle loop sleeps until then."""
        return self._places.backoff.next_end()

    def where(self, uid: str, now: float) -> Whereabouts | None:
        """Where a pod is and what it waits for, or None if it is not known. Linear in the active pods."""
        qp = self._pods.get(uid)
        if qp is None:
            return None
        waits = qp.place is Place.PARKED or qp.place is Place.GATED
        return Whereabouts(
            place=qp.place,
            attempts=qp.attempts,
            positions=self._places.active.positions(qp) if qp.place is Place.ACTIVE else None,
            rejected_by=tuple(sorted(qp.rejected_by | qp.pending_on)),
            gated_by=qp.gated_by,
            backoff_remaining=0.0 if qp.place is Place.ACTIVE else max(0.0, qp.ready_at - now),
            waiting=now - qp.timestamp,
            helped_by=self._admission.hints.helpful(qp) if waits else (),
        )

    def publish(self) -> None:
        """Bring the metrics up to date; `flush` does it too."""
        self._ledger.publish(self.lengths(), self._in_flight.changed_counts())

    # -- movements ------------------------------------------------------------------------------------------------

    def _hint_table(self, profiles: Profiles) -> HintTable:
        return HintTable(profiles, self._recorder, self._timer)

    def _take(self) -> QueuedPod | None:
        qp = self._places.active.pop()
        if qp is None and self._settings.pop_from_backoff:
            qp = self._places.backoff.pop_early()
        if qp is None:
            return None
        qp.place = Place.IN_FLIGHT
        qp.attempts += 1
        if qp.charged:
            self._ledger.discharge(qp)
        qp.rejected_by = qp.pending_on = _NOBODY
        qp.ready_at = 0.0
        self._in_flight.start(qp)
        return qp

    def _take_back(self, qp: QueuedPod, now: float) -> bool:
        """End the flight of a pod that failed. False if it may not come back: deleted meanwhile, or here again."""
        flight = self._in_flight.release(qp.uid)
        if flight is None:
            if qp.uid in self._pods:
                return False
        elif flight.deleted:
            qp.place = Place.OUT
            return False
        elif flight.newest is not None:
            qp.replace(flight.newest, flight.changed)
        qp.place = Place.OUT
        qp.timestamp = now
        qp.flushed = False
        self._pods[qp.uid] = qp
        return True

    def _verdict(self, qp: QueuedPod, events: Iterable[ClusterEvent]) -> Wake:
        wake = Wake.NO
        for event in events:
            wake = max(wake, self._admission.hints.verdict(qp, event))
            if wake is Wake.NOW or (wake and not qp.pending_on):
                break
        return wake

    def _update_in_flight(self, qp: QueuedPod, new: Pod) -> Place:
        flight = self._in_flight.get(qp.uid)
        if flight is not None:
            events = pod_changes(flight.newest or qp.pod, new)
            flight.newest = new
            flight.changed = flight.changed or bool(events)
            flight.own += events
        return Place.IN_FLIGHT

    def _wake_by_own(self, qp: QueuedPod, events: tuple[ClusterEvent, ...], now: float) -> Place:
        """A waiting pod itself changed. Gates are asked about any change, since the pod is all that most look at."""
        if not events:
            return qp.place
        if qp.place is Place.GATED:
            return self._admission.admit(qp, Wake.AFTER_BACKOFF, events[-1].label, now)
        for event in events:
            wake = self._admission.hints.verdict(qp, event)
            if wake is not Wake.NO:
                return self._admission.admit(qp, wake, event.label, now)
        return qp.place
