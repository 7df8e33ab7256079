"""A pod that preemption nominated and that is then held by a gate keeps the room it was promised."""

from __future__ import annotations

from builders import a_node, a_pod
from deciding import profile_with
from fakes.clock import FakeClock

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Placement, Unplaced
from tenantry_core.cycle.run import Cycle
from tenantry_core.model.decode import from_builtins
from tenantry_core.model.objects import Pod
from tenantry_core.plugins.profiles import default_profile
from tenantry_core.queue import Place, SchedulingQueue
from tenantry_core.watch.writer import ClusterWriter, Hooks, Ours

NAME = "default-scheduler"


def gated_and_promised(priority: int) -> Pod:
    body = {
        "metadata": {"name": "held", "namespace": "default", "uid": "default/held"},
        "spec": {
            "priority": priority,
            "schedulingGates": [{"name": "later"}],
            "containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}],
        },
        "status": {"phase": "Pending", "nominatedNodeName": "n1"},
    }
    pod: Pod = from_builtins("Pod", body)
    return pod


def test_t15_room_promised_to_a_gated_pod_is_kept_from_lower_ones() -> None:
    cache, queue = ClusterCache(), SchedulingQueue({NAME: profile_with().plugins})
    queue.use_profiles({NAME: default_profile().plugins})
    writer = ClusterWriter(cache, queue, Ours(frozenset({NAME}), ""), FakeClock(), Hooks())
    writer.put("Node", None, a_node("n1").build())
    writer.put("Pod", None, gated_and_promised(priority=10))
    entry = queue.get("default/held")
    assert entry is not None and entry.place is Place.GATED
    cycle = Cycle(cache, default_profile())
    lower = a_pod("low").asking(cpu="2").build()
    assert isinstance(cycle.decide(lower, cache.classes.class_of(lower)), Unplaced)
    small = a_pod("small").asking(cpu="1").build()
    assert isinstance(cycle.decide(small, cache.classes.class_of(small)), Placement)
