"""The sentence users and autoscalers read, in kube-scheduler's grammar."""

import numpy as np
import pytest
from builders import ZONE, PodBuilder, a_cluster, a_node, a_pod, expression, labels_term, named_term
from deciding import answer, decide

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Diagnosis, Reason, Unplaced
from tenantry_core.cycle.message import EVENT_NOTE_LIMIT, event_note, fit_message
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import PreFilterResult
from tenantry_core.framework.profile import profile_of
from tenantry_core.framework.status import SUCCESS, Code, unresolvable


def diagnosis(nodes: int, *reasons: tuple[str, int], post_filter: str = "") -> Diagnosis:
    found = [Reason("P", text, np.arange(nodes) < count, False) for text, count in reasons]
    return Diagnosis(nodes=nodes, reasons=found, post_filter=post_filter)


GRAMMAR = {
    "no node at all": (diagnosis(0), "no nodes available to schedule pods"),
    "no reason": (diagnosis(3), "0/3 nodes are available:"),
    "one reason": (diagnosis(3, ("Insufficient cpu", 3)), "0/3 nodes are available: 3 Insufficient cpu."),
    "a node may have several reasons": (
        diagnosis(3, ("Insufficient cpu", 3), ("Insufficient memory", 3)),
        "0/3 nodes are available: 3 Insufficient cpu, 3 Insufficient memory.",
    ),
    "sorted as text, numbers included": (
        diagnosis(20, ("b", 2), ("a", 10), ("c", 1)),
        "0/20 nodes are available: 1 c, 10 a, 2 b.",
    ),
    "equal texts add up": (diagnosis(4, ("x", 1), ("x", 2)), "0/4 nodes are available: 3 x."),
    "a reason without nodes is left out": (diagnosis(4, ("x", 0), ("y", 4)), "0/4 nodes are available: 4 y."),
    "a refusal by PreFilter stands alone": (
        Diagnosis(nodes=2, pre_filter=unresolvable("pod affinity terms conflict")),
        "0/2 nodes are available: pod affinity terms conflict.",
    ),
    "PostFilter at the end": (
        diagnosis(2, ("x", 2), post_filter="preemption: not eligible due to preemptionPolicy=Never."),
        "0/2 nodes are available: 2 x. preemption: not eligible due to preemptionPolicy=Never.",
    ),
}


@pytest.mark.parametrize(("given", "want"), GRAMMAR.values(), ids=GRAMMAR.keys())
def test_grammar(given: Diagnosis, want: str) -> None:
    assert fit_message(given) == want


@pytest.mark.parametrize(
    ("length", "cut"), [(0, False), (1023, False), (1024, False), (1025, True), (5000, True)], ids=str
)
def test_an_event_note_is_cut_at_1024(length: int, cut: bool) -> None:
    note = event_note("x" * length)
    assert note == ("x" * 1020 + " ..." if cut else "x" * length)
    assert len(note) <= EVENT_NOTE_LIMIT


def five_nodes() -> ClusterCache:
    full = a_pod("full").asking(cpu="3500m")
    nodes = [a_node(f"n{i}") for i in range(4)]
    pods = [full.copy().meta(name=f"f{i}", uid=f"f{i}").on(f"n{i}") for i in range(4)]
    return a_cluster(*nodes, a_node("tainted").taint("dedicated"), *pods)


WHOLE = {
    "the reference's example": (
        a_pod().asking(cpu="1"),
        "0/5 nodes are available: 1 node(s) had untolerated taint(s), 4 Insufficient cpu.",
        Code.UNSCHEDULABLE,
        {"TaintToleration", "NodeResourcesFit"},
    ),
    "one reason per filter, in order": (
        a_pod().asking(cpu="1").selecting(disk="fast"),
        "0/5 nodes are available: 1 node(s) had untolerated taint(s), "
        "4 node(s) didn't match Pod's node affinity/selector.",
        Code.UNRESOLVABLE,
        {"TaintToleration", "NodeAffinity"},
    ),
    "narrowed to one node": (
        a_pod().asking(cpu="1").wants_nodes(named_term("n2")),
        "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) [NodeAffinity].",
        Code.UNSCHEDULABLE,
        {"NodeAffinity", "NodeResourcesFit"},
    ),
    "narrowed to a node that is not there": (
        a_pod().wants_nodes(named_term("gone")),
        "0/5 nodes are available: 5 node(s) didn't satisfy plugin(s) [NodeAffinity].",
        Code.UNRESOLVABLE,
        {"NodeAffinity"},
    ),
    "names that contradict each other": (
        a_pod().wants_nodes(
            {"matchFields": [expression("metadata.name", "In", "n1"), expression("metadata.name", "In", "n2")]}
        ),
        "0/5 nodes are available: pod affinity terms conflict.",
        Code.UNRESOLVABLE,
        {"NodeAffinity"},
    ),
    "a term without a name narrows nothing": (
        a_pod().wants_nodes(named_term("n1"), labels_term(expression("disk", "Exists"))).asking(cpu="1"),
        "0/5 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), "
        "3 node(s) didn't match Pod's node affinity/selector.",
        Code.UNSCHEDULABLE,
        {"TaintToleration", "NodeAffinity", "NodeResourcesFit"},
    ),
    "beyond every node's size nothing helps": (
        a_pod().asking(cpu="9").tolerating(operator="Exists"),
        "0/5 nodes are available: 5 Insufficient cpu.",
        Code.UNRESOLVABLE,
        {"NodeResourcesFit"},
    ),
}


@pytest.mark.parametrize(("pod", "want", "code", "plugins"), WHOLE.values(), ids=WHOLE.keys())
def test_whole_decisions(pod: PodBuilder, want: str, code: Code, plugins: set[str]) -> None:
    decision = decide(five_nodes(), pod)
    assert isinstance(decision, Unplaced)
    assert fit_message(decision.diagnosis) == want
    assert decision.status.code is code
    assert decision.diagnosis.plugins == plugins


def test_no_nodes_or_none_left() -> None:
    cache = a_cluster()
    assert answer(cache, a_pod()) == "no nodes available to schedule pods"
    cache.upsert_node(a_node("n1").build())
    cache.remove_node("n1")
    assert answer(cache, a_pod()) == "no nodes available to schedule pods"
    cache.upsert_pod(a_pod("early").on("ghost").build())
    assert answer(cache, a_pod()) == "no nodes available to schedule pods"


def test_ghost_rows_are_in_no_count() -> None:
    cache = a_cluster(a_pod("early").on("ghost"), a_node("n1").taint("x"))
    assert answer(cache, a_pod()) == "0/1 nodes are available: 1 node(s) had untolerated taint(s)."


def test_cordoned_and_named_nodes() -> None:
    cache = a_cluster(a_node("n1").cordoned(), a_node("n2").zone("z"))
    assert answer(cache, a_pod().on("gone")) == (
        "0/2 nodes are available: 1 node(s) didn't match the requested node name, 1 node(s) were unschedulable."
    )
    assert answer(cache, a_pod().on("n2")) == "n2"
    assert answer(cache, a_pod().selecting(**{ZONE: "z"})) == "n2"
    tolerant = a_pod().tolerating(key="node.kubernetes.io/unschedulable", operator="Exists", effect="NoSchedule")
    assert answer(cache, tolerant.on("n1")) == "n1"


class Narrow:
    """A plugin that leaves only some names."""

    def __init__(self, name: str, *nodes: str) -> None:
        self.name = name
        self._nodes = frozenset(nodes)

    def pre_filter(self, ctx: CycleContext) -> PreFilterResult:
        return PreFilterResult(SUCCESS, self._nodes)


NARROWED = {
    "one": ([Narrow("B", "n1")], "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [B]."),
    "one that names nobody": ([Narrow("B")], "0/2 nodes are available: node(s) didn't satisfy plugin B."),
    "two that agree": (
        [Narrow("B", "gone", "x"), Narrow("A", "gone")],
        "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [A B].",
    ),
    "two that contradict each other": (
        [Narrow("B", "n8"), Narrow("A", "n9")],
        "0/2 nodes are available: node(s) didn't satisfy plugin(s) [A B] simultaneously.",
    ),
}


@pytest.mark.parametrize(("plugins", "want"), NARROWED.values(), ids=NARROWED.keys())
def test_plugins_that_narrow_the_nodes(plugins: list[Narrow], want: str) -> None:
    cache = a_cluster(a_node("n8").taint("x"), a_node("n9").taint("x"))
    decision = decide(cache, a_pod(), profile_of("default-scheduler", [(p, 0) for p in plugins]))
    assert isinstance(decision, Unplaced)
    assert fit_message(decision.diagnosis) == want
    assert decision.diagnosis.plugins == {p.name for p in plugins}
    assert decision.status.code is Code.UNRESOLVABLE
