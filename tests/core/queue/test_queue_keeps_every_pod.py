"""Whatever happens, each pod is in exactly one place, none is lost, and the gauges say so."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from queue_kit import FIT, FORCE, NODE_ADD, NODE_TAINT, POD_GONE, TAINTS, Door, GatePlugin, Tape, pod, queue_with

from tenantry_core.model.events import ClusterEvent
from tenantry_core.queue import Place, QueuedPod

_NAMES = st.sampled_from([f"p{i}" for i in range(8)])
_PLUGINS = st.sets(st.sampled_from(["NodeResourcesFit", "TaintToleration", "Unknown"]))


class AnyHistory(RuleBasedStateMachine):
    """The queue beside a plain set of the pods that must be in it."""

    def __init__(self) -> None:
        super().__init__()
        self.tape, self.door = Tape(), Door(is_open=True)
        self.queue = queue_with(GatePlugin(), self.door, FIT, TAINTS, recorder=self.tape)
        self.waiting: set[str] = set()
        self.taken: dict[str, QueuedPod] = {}
        self.deleted: set[str] = set()
        self.now = 0.0

    @rule(seconds=st.sampled_from([0.0, 0.3, 1.0, 7.0, 45.0, 301.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule(name=_NAMES, lane=st.integers(0, 2), priority=st.integers(0, 2), gates=st.sampled_from([(), ("g",)]))
    def pod_appears(self, name: str, lane: int, priority: int, gates: tuple[str, ...]) -> None:
        known = self.queue.get(name)
        namespace = known.namespace if known else self.taken[name].namespace if name in self.taken else f"ns{lane}"
        self.queue.add(pod(name, namespace, priority=priority, gates=gates), self.now)
        self.deleted.discard(name)
        if name not in self.taken:
            self.waiting.add(name)

    @rule(name=_NAMES, cpu=st.sampled_from(["1", "2"]), label=st.sampled_from(["x", "y"]))
    def pod_changes(self, name: str, cpu: str, label: str) -> None:
        known = self.queue.get(name)
        if known is not None:
            new = pod(name, known.namespace, cpu=cpu, labels={"l": label}, priority=known.priority)
            self.queue.update(known.pod, new, self.now)

    @rule(name=_NAMES)
    def pod_goes(self, name: str) -> None:
        there = name in self.waiting or (name in self.taken and name not in self.deleted)
        assert self.queue.delete(name) is there
        self.waiting.discard(name)
        if name in self.taken:
            self.deleted.add(name)

    @rule(limit=st.integers(1, 4))
    def some_are_tried(self, limit: int) -> None:
        for qp in self.queue.pop_batch(self.now, limit):
            assert qp.uid in self.waiting
            qp.cls = qp.namespace
            self.waiting.discard(qp.uid)
            self.taken[qp.uid] = qp

    @precondition(lambda self: self.taken)
    @rule(data=st.data(), plugins=_PLUGINS, pending=_PLUGINS)
    def one_is_rejected(self, data: st.DataObject, plugins: set[str], pending: set[str]) -> None:
        qp = self.taken.pop(data.draw(st.sampled_from(sorted(self.taken))))
        self._came_back(qp, self.queue.unschedulable(qp, plugins, self.now, pending))

    @precondition(lambda self: self.taken)
    @rule(data=st.data())
    def one_fails(self, data: st.DataObject) -> None:
        qp = self.taken.pop(data.draw(st.sampled_from(sorted(self.taken))))
        self._came_back(qp, self.queue.error(qp, self.now))

    @precondition(lambda self: self.taken)
    @rule(data=st.data())
    def one_is_bound(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.taken)))
        del self.taken[name]
        self.deleted.discard(name)
        self.queue.done(name)

    @rule(event=st.sampled_from([NODE_ADD, NODE_TAINT, POD_GONE, FORCE]), is_open=st.booleans())
    def cluster_changes(self, event: ClusterEvent, is_open: bool) -> None:
        self.door.is_open = is_open
        self.queue.on_event(event, self.now)

    @rule(name=_NAMES)
    def somebody_activates(self, name: str) -> None:
        self.queue.activate([name], self.now)

    @rule()
    def flush(self) -> None:
        self.queue.flush(self.now)

    @invariant()
    def each_pod_is_in_exactly_one_place(self) -> None:
        places = self.queue._places
        index = {Place.PARKED: list(places.parked), Place.GATED: list(places.gated)}
        for name in self.waiting:
            qp = self.queue.get(name)
            assert qp is not None
            assert qp.place in (Place.ACTIVE, Place.BACKOFF, Place.PARKED, Place.GATED)
            assert [place for place, pods in index.items() if qp in pods] == [p for p in index if p is qp.place]
            assert bool(qp.token) is (qp.place in (Place.ACTIVE, Place.BACKOFF))
        assert len(self.queue) == len(self.waiting)
        assert self.queue.in_flight == len(self.taken)
        for name, qp in self.taken.items():
            assert qp.place is Place.IN_FLIGHT
            assert (name in self.queue) is (name not in self.deleted)
        if not self.taken:
            assert self.queue.events_kept == 0

    @invariant()
    def gauges_agree(self) -> None:
        self.queue.publish()
        held: dict[str, int] = {}
        for name in self.waiting:
            qp = self.queue.get(name)
            assert qp is not None
            if qp.place is Place.PARKED:
                assert qp.charged == qp.rejected_by | qp.pending_on
            for plugin in qp.charged:
                held[plugin] = held.get(plugin, 0) + 1
        assert {plugin: n for plugin, n in self.tape.held.items() if n} == held
        assert sum(self.tape.gauges.values()) == len(self.waiting)

    def teardown(self) -> None:
        """Given time and open gates, every pod that is left comes out."""
        for name in sorted(self.taken):
            self.queue.done(name)
        self.door.is_open = True
        for name in sorted(self.waiting):
            known = self.queue.get(name)
            assert known is not None
            if known.pod.spec.scheduling_gates:
                self.queue.update(None, pod(name, known.namespace), self.now)
        self.queue.flush(self.now + 1000.0)
        assert {qp.uid for qp in self.queue.pop_batch(self.now + 1020.0, 99)} == self.waiting

    def _came_back(self, qp: QueuedPod, place: Place) -> None:
        if qp.uid in self.deleted:
            assert place is Place.OUT
            self.deleted.discard(qp.uid)
        else:
            assert place is qp.place
            self.waiting.add(qp.uid)


AnyHistory.TestCase.settings = settings(max_examples=60, stateful_step_count=50, deadline=None)
TestAnyHistory = AnyHistory.TestCase
