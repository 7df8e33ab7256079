"""NodeResourcesFit refuses what does not fit, with the amounts that users gave and never a wrapped one."""

import pytest
from builders import PodBuilder, a_cluster, a_node, a_pod
from deciding import answer, decide, feasible, profile_with

from tenantry_core.cycle.decision import Unplaced
from tenantry_core.plugins.node_resources import NodeResourcesFit

GPU, FPGA = "vendor.example/gpu", "other.example/fpga"


def sidecar_pod() -> PodBuilder:
    pod = a_pod().asking(cpu="500m").container("s", init=True, requests={"cpu": "500m"}, restartPolicy="Always")
    return pod.container("i", init=True, requests={"cpu": "200m"})


ALONE = {
    "fits exactly": (a_node().allocating(cpu="1"), a_pod().asking(cpu="1"), ""),
    "one milli too much": (a_node().allocating(cpu="1"), a_pod().asking(cpu="1001m"), "Insufficient cpu"),
    "T24 sidecars are added": (a_node().allocating(cpu="900m"), sidecar_pod(), "Insufficient cpu"),
    "T26 the init peak counts": (
        a_node().allocating(cpu="1"),
        a_pod().asking(cpu="500m").container("i", init=True, requests={"cpu": "2"}),
        "Insufficient cpu",
    ),
    "T27 overhead once": (a_node().allocating(cpu="1"), a_pod().asking(cpu="900m").spec(overhead={"cpu": "100m"}), ""),
    "T28 twice 50E of memory": (
        a_node().allocating(memory="8G"),
        a_pod().asking(memory="50E").container("b", requests={"memory": "50E"}),
        "Insufficient memory",
    ),
    "T29 cpu of 2^63 - 1": (a_node(), a_pod().asking(cpu="9223372036854775807"), "Insufficient cpu"),
    "memory": (a_node().allocating(memory="1Gi"), a_pod().asking(memory="1025Mi"), "Insufficient memory"),
    "ephemeral storage that the node lacks": (
        a_node(),
        a_pod().asking({"ephemeral-storage": "1"}),
        "Insufficient ephemeral-storage",
    ),
    "extended resource nobody has": (a_node(), a_pod().asking({GPU: "1"}), f"Insufficient {GPU}"),
    "extended resource": (a_node().allocating({GPU: "2"}), a_pod().asking({GPU: "2"}), ""),
    "zero of a resource nobody has": (a_node(), a_pod().asking({GPU: "0"}), ""),
    "huge pages": (a_node(), a_pod().asking({"hugepages-2Mi": "2Mi"}), "Insufficient hugepages-2Mi"),
    "T32 no requests at all": (a_node().allocating(cpu="0", memory="0"), a_pod(), ""),
    "T32 no slot": (a_node().allocating(pods="0"), a_pod(), "Too many pods"),
}


@pytest.mark.parametrize(("node", "pod", "reason"), ALONE.values(), ids=ALONE.keys())
def test_on_an_empty_node(node: object, pod: PodBuilder, reason: str) -> None:
    cache = a_cluster(node)  # type: ignore[arg-type]
    assert answer(cache, pod) == (f"0/1 nodes are available: 1 {reason}." if reason else "node")


def test_several_resources_are_all_named() -> None:
    cache = a_cluster(a_node("a").allocating(cpu="1", memory="1Gi"), a_node("b").allocating(cpu="1", pods="0"))
    assert answer(cache, a_pod().asking(cpu="2", memory="2Gi")) == (
        "0/2 nodes are available: 1 Insufficient memory, 1 Too many pods, 2 Insufficient cpu."
    )


def test_t32_a_full_node_takes_pods_without_requests_up_to_its_slots() -> None:
    cache = a_cluster(a_node("n1").allocating(cpu="1", pods="3"), a_pod("full").asking(cpu="1").on("n1"))
    for i in range(2):
        assert answer(cache, a_pod(f"p{i}")) == "n1"
        cache.upsert_pod(a_pod(f"p{i}").on("n1").build())
    assert answer(cache, a_pod("last")) == "0/1 nodes are available: 1 Too many pods."


def test_only_what_the_pod_asks_for_blocks_it() -> None:
    cache = a_cluster(a_node("n1").allocating({GPU: "1"}), a_pod("over").asking(cpu="9", memory="99Gi").on("n1"))
    assert answer(cache, a_pod("gpu").asking({GPU: "1"})) == "n1"
    assert answer(cache, a_pod("cpu").asking({GPU: "1", "cpu": "1m"})).endswith("1 Insufficient cpu.")


@pytest.mark.parametrize(
    ("cpu", "hopeless"), [("5", True), ("4", False)], ids=["beyond the node", "within the node, taken now"]
)
def test_beyond_allocatable_preemption_cannot_help(cpu: str, hopeless: bool) -> None:
    cache = a_cluster(a_node("n1"), a_pod("x").asking(cpu="1").on("n1"))
    decision = decide(cache, a_pod().asking(cpu=cpu))
    assert isinstance(decision, Unplaced)
    assert decision.diagnosis.unresolvable is not None
    assert decision.diagnosis.unresolvable.tolist() == [hopeless]


IGNORED = {
    "by name": (NodeResourcesFit(ignored=frozenset({GPU})), {GPU}),
    "by group": (NodeResourcesFit(ignored_groups=frozenset({"other.example"})), {FPGA}),
    "both": (NodeResourcesFit(ignored=frozenset({GPU}), ignored_groups=frozenset({"other.example"})), {GPU, FPGA}),
    "native resources never": (NodeResourcesFit(ignored=frozenset({"cpu", "memory", "hugepages-2Mi"})), set()),
}


@pytest.mark.parametrize(("plugin", "ignored"), IGNORED.values(), ids=IGNORED.keys())
def test_ignored_resources(plugin: NodeResourcesFit, ignored: set[str]) -> None:
    cache = a_cluster(a_node("n1"))
    for asked in (GPU, FPGA, "cpu", "hugepages-2Mi"):
        pod = a_pod(asked.replace("/", "-")).asking({asked: "100"})
        assert feasible(cache, pod, profile_with(plugin)) == (["n1"] if asked in ignored else [])


def test_t36_a_shrinking_pod_holds_what_is_allocated_until_it_is_done() -> None:
    def running(allocated: str) -> PodBuilder:
        status = {"name": "main", "allocatedResources": {"cpu": allocated}}
        return a_pod("r").asking(cpu="1").on("n1").status(phase="Running", containerStatuses=[status])

    cache = a_cluster(a_node("n1").allocating(cpu="2"), running("2"))
    assert answer(cache, a_pod("new").asking(cpu="1")).endswith("1 Insufficient cpu.")
    cache.upsert_pod(running("1").build())
    assert answer(cache, a_pod("new").asking(cpu="1")) == "n1"
