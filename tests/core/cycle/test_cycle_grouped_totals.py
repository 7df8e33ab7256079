"""Totals kept for pods with spread constraints: renewed when the best node fills up and the others' scores stretch."""

from builders import ZONE, a_cluster, a_node, a_pod, expression, labels_term
from deciding import decide, profile_with

from tenantry_core.cycle.decision import Placement
from tenantry_core.cycle.run import Cycle


def test_scores_stretch_when_the_preferred_node_is_full() -> None:
    best = a_node("best").zone("z1").labelled(disk="fast").allocating(pods="3")
    second = a_node("second").zone("z1").labelled(disk="good")
    cache = a_cluster(best, second, a_node("third").zone("z1"))
    like = a_pod().labelled(app="a").spread(ZONE, {"app": "a"}, maxSkew=9)
    like.prefers_nodes(10, labels_term(expression("disk", "In", "fast")))
    like.prefers_nodes(5, labels_term(expression("disk", "In", "good")))
    cycle, went = Cycle(cache, profile_with()), []
    for number in range(6):
        pod = like.copy().meta(name=f"p{number}", uid=f"p{number}").build()
        cls = cache.classes.class_of(pod)
        found, want = cycle.decide(pod, cls), decide(cache, pod)
        assert isinstance(found, Placement) and isinstance(want, Placement)
        assert found == want
        went.append(found.node)
        cache.assume(pod, cls, found.row)
    assert went == ["best"] * 3 + ["second"] * 3
