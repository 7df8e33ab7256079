"""What comes and goes for ever leaves nothing behind: node names, image lists, labels, rules, masks of idle classes."""

from builders import HOSTNAME, ZONE, a_cluster, a_node, a_pod
from deciding import answer, profile_with, scores

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cache.compact import SLACK, compacted
from tenantry_core.cache.held_terms import SWEEP_FROM
from tenantry_core.cycle.run import Cycle
from tenantry_core.plugins.image_locality import ImageLocality

ROUNDS = 2 * SLACK
MIB = 1 << 20


def test_names_of_nodes_that_are_gone() -> None:
    cache = a_cluster(a_node("stays").zone("z1"))
    for i in range(ROUNDS):
        cache.upsert_node(a_node(f"n{i}").zone("z1").build())
        cache.remove_node(f"n{i}")
    assert cache.nodes.label_domains(HOSTNAME) <= SLACK + 2 * cache.nodes.capacity + 1
    row = cache.nodes.row_of("stays")
    assert cache.nodes.label_value(HOSTNAME, int(cache.nodes.label_ids(HOSTNAME)[row])) == "stays"
    assert answer(cache, a_pod().selecting(**{HOSTNAME: "stays"})) == "stays"


def test_image_lists_of_the_past() -> None:
    cache, plugin = ClusterCache(), ImageLocality()
    cache.upsert_node(a_node("other").build())
    for i in range(ROUNDS):
        node = a_node("n1").image("registry.example/app:v1", 500 * MIB).image(f"registry.example/x:{i}", 1)
        cache.upsert_node(node.build())
        if i % 500 == 0:
            assert scores(cache, a_pod(), plugin) == {"n1": 23, "other": 0}
    assert len(cache.nodes.image_sets) <= SLACK + 2 * cache.nodes.capacity + 1
    assert scores(cache, a_pod(), plugin) == {"n1": 23, "other": 0}


def test_label_values_of_pods_that_are_gone() -> None:
    cache = a_cluster(a_node("n1").zone("z1"), a_pod("first").labelled(rev="keep").on("n1"))
    cache.classes.class_of(a_pod().spread(ZONE, {"rev": "x"}).build())
    for i in range(ROUNDS):
        cache.upsert_pod(a_pod(f"p{i}").labelled(rev=str(i)).on("n1").build())
        cache.remove_pod(f"default/p{i}")
    cache.upsert_pod(a_pod("last").labelled(rev="keep").on("n1").build())
    (column,) = cache._pod_table._labels.values()
    assert len(column.values) <= SLACK + 2 * len(column.ids) + 1
    refused = a_pod("new").labelled(rev="keep").spread(ZONE, {"rev": "keep"}, maxSkew=2, minDomains=2)
    assert answer(cache, refused).endswith("1 node(s) didn't match pod topology spread constraints.")


def test_rules_that_nobody_holds() -> None:
    cache = a_cluster(a_node("n1").zone("z1"), a_pod("keeper").apart(ZONE, {"app": "b"}).on("n1"))
    for i in range(4 * SWEEP_FROM):
        cache.upsert_pod(a_pod(f"p{i}").apart(ZONE, {"rev": str(i)}).on("n1").build())
        cache.remove_pod(f"default/p{i}")
    assert len(cache._terms._groups) <= SWEEP_FROM
    assert "existing pods anti-affinity" in answer(cache, a_pod("new").labelled(app="b"))
    cache.remove_pod("default/keeper")
    assert answer(cache, a_pod("new").labelled(app="b")) == "n1"


def test_masks_of_classes_that_are_not_in_use() -> None:
    cache = a_cluster(a_node("n1"), a_node("n2"))
    cycle = Cycle(cache, profile_with(), keep=4)
    classes = []
    for i in range(10):
        pod = a_pod(f"p{i}").priority(i).build()
        classes.append(cache.classes.class_of(pod))
        cycle.decide(pod, classes[-1])
    assert sum(bool(cls.memo) for cls in classes) == 4


def test_a_table_is_left_alone_until_most_of_it_is_idle() -> None:
    nodes = a_cluster(a_node("n1")).nodes
    table = nodes.taint_sets
    assert compacted(table, nodes.taint_set) is table
