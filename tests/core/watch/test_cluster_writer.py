"""What a change of a pod does to cache and queue."""

from __future__ import annotations

import pytest
from builders import PlainBuilder, PodBuilder, a_node, a_pod
from deciding import profile_with
from fakes.clock import FakeClock

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.model.events import ClusterEvent
from tenantry_core.queue import Place, SchedulingQueue
from tenantry_core.watch.writer import ClusterWriter, Hooks, Ours

NAME = "default-scheduler"


class World:
    def __init__(self, namespace: str = "") -> None:
        self.cache = ClusterCache()
        self.events: list[str] = []
        self.gone: list[str] = []
        self.queue = SchedulingQueue({NAME: profile_with().plugins})
        inner = self.queue.on_event

        def listen(event: ClusterEvent, now: float) -> int:
            self.events.append(event.label)
            return inner(event, now)

        self.queue.on_event = listen  # type: ignore[method-assign]
        hooks = Hooks(pod_gone=self.gone.append)
        self.writer = ClusterWriter(self.cache, self.queue, Ours(frozenset({NAME}), namespace), FakeClock(), hooks)
        self.writer.put("Node", None, a_node("n1").build())
        self.events.clear()

    def put(self, old: PodBuilder | None, new: PodBuilder) -> None:
        self.writer.put("Pod", old.build() if old else None, new.build())

    def place(self, name: str = "pod") -> Place | None:
        entry = self.queue.get(f"default/{name}")
        return entry.place if entry else None

    def held(self) -> int:
        return int(self.cache.nodes.requested[0, 0])


def pending() -> PodBuilder:
    return a_pod().asking(cpu="1")


@pytest.mark.parametrize(
    ("steps", "held", "place"),
    [
        pytest.param([pending()], 0, Place.ACTIVE, id="pending"),
        pytest.param([pending().on("n1")], 1000, None, id="bound"),
        pytest.param([pending(), pending().on("n1")], 1000, None, id="bound-by-somebody-while-queued"),
        pytest.param([pending().terminating()], 0, None, id="pending-and-deleting"),
        pytest.param([pending(), pending().terminating()], 0, None, id="deletion-begins-while-queued"),
        pytest.param([pending().spec(schedulerName="other")], 0, None, id="other-scheduler"),
        pytest.param([pending().on("n1").phase("Succeeded")], 0, None, id="T38-succeeded"),
        pytest.param([pending().on("n1"), pending().on("n1").phase("Failed")], 0, None, id="T38-failed"),
        pytest.param([pending().on("n1"), pending().on("n1").terminating()], 1000, None, id="T38-terminating-holds"),
        pytest.param([pending().phase("Failed")], 0, None, id="failed-before-it-was-placed"),
        pytest.param([pending().on("unknown")], 0, None, id="bound-to-an-unknown-node"),
    ],
)
def test_pod(steps: list[PodBuilder], held: int, place: Place | None) -> None:
    world = World()
    for old, new in zip([None, *steps], steps, strict=False):
        world.put(old, new)
    assert (world.held(), world.place()) == (held, place)


def test_deleted_pod_gives_back_everything_once_t39() -> None:
    world = World()
    bound = pending().on("n1")
    world.put(None, bound)
    world.writer.drop("Pod", bound.build())
    world.writer.drop("Pod", bound.build())
    assert world.held() == 0
    assert world.events == ["AssignedPodAdd", "AssignedPodDelete"]
    assert world.gone[:1] == ["default/pod"]


def test_update_of_an_assumed_pod_does_not_queue_it_again() -> None:
    world = World()
    world.put(None, pending())
    entry = world.queue.pop(0.0)
    assert entry is not None
    pod = pending().build()
    world.cache.assume(pod, world.cache.classes.class_of(pod), 0)
    world.queue.done(entry.uid)
    world.put(pending(), pending().labelled(a="b"))
    assert world.place() is None


def test_pods_of_one_namespace_alone() -> None:
    world = World(namespace="mine")
    world.put(None, a_pod("a", "mine"))
    world.put(None, a_pod("b", "theirs"))
    assert [world.queue.get("mine/a") is not None, world.queue.get("theirs/b") is not None] == [True, False]


@pytest.mark.parametrize("scheduler", [pytest.param(NAME, id="ours"), pytest.param("other", id="T16-other-scheduler")])
def test_nomination_in_the_object_is_kept(scheduler: str) -> None:
    world = World()
    world.put(None, pending().spec(schedulerName=scheduler).status(nominatedNodeName="n1"))
    assert [n.node for n in world.cache.nominations.values()] == ["n1"]


def test_echo_of_an_older_nomination_does_not_bring_it_back() -> None:
    world = World()
    nominated = pending().status(nominatedNodeName="n1")
    world.put(None, nominated)
    world.cache.clear_nomination("default/pod")
    world.put(nominated, nominated.copy().labelled(a="b"))
    assert world.cache.nominations == {}


@pytest.mark.parametrize(
    "end",
    [
        pytest.param("deleted", id="T13-deleted"),
        pytest.param("bound-elsewhere", id="T13-bound-elsewhere"),
        pytest.param("cleared", id="T13-cleared-in-the-object"),
    ],
)
def test_promised_room_is_free_at_once(end: str) -> None:
    world = World()
    nominated = pending().status(nominatedNodeName="n1")
    world.put(None, nominated)
    if end == "deleted":
        world.writer.drop("Pod", nominated.build())
    elif end == "cleared":
        world.put(nominated, pending())
    else:
        world.put(nominated, pending().on("n2"))
    assert world.cache.nominations == {}
    assert "AssignedPodDelete" in world.events


def test_node_deleted_and_added_again_keeps_its_pods_t41() -> None:
    world = World()
    world.put(None, pending().on("n1"))
    world.writer.drop("Node", a_node("n1").build())
    world.writer.put("Node", None, a_node("n1").build())
    row = world.cache.nodes.row_of("n1")
    assert int(world.cache.nodes.requested[0, row]) == 1000


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("Namespace", "v1/NamespaceAdd"),
        ("PersistentVolume", "PersistentVolumeAdd"),
        ("StorageClass", "storage.k8s.io/StorageClassAdd"),
        ("Service", "ServiceAdd"),
        ("ReplicaSet", "WorkloadAdd"),
        ("PodDisruptionBudget", "PodDisruptionBudgetAdd"),
    ],
)
def test_other_kinds_make_events(kind: str, label: str) -> None:
    world = World()
    built = PlainBuilder(kind, "x", namespace="ns").build()
    world.writer.put(kind, None, built)
    world.writer.drop(kind, built)
    assert world.events == [label, label.replace("Add", "Delete")]
