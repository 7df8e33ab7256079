"""Every workload runs, places what it should, and gives the same placement for the same seed."""

import pytest

from tenantry.bench.cluster import Size, build
from tenantry.bench.engine import default_size, measure
from tenantry.bench.workloads import WORKLOADS

NODES = 50


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_measured_pod_is_placed(name: str) -> None:
    workload = WORKLOADS[name]
    size = default_size(workload, NODES, None, 0)
    run = measure(workload, size)
    assert run.placed == run.result.pods == size.pods > 0


@pytest.mark.parametrize("name", [n for n, w in WORKLOADS.items() if w.beside])
def test_something_happens_beside(name: str) -> None:
    workload = WORKLOADS[name]
    assert measure(workload, Size(NODES, workload.every + 1)).beside == 2


def test_a_preemptor_takes_three_pods() -> None:
    assert measure(WORKLOADS["PreemptionAsync"], Size(NODES, 1)).evicted == 3


@pytest.mark.parametrize("name", ["SchedulingStatefulSet", "SchedulingStatefulSetOwned"])
def test_pods_of_a_stateful_set_share_a_class(name: str) -> None:
    stage = build(WORKLOADS[name], Size(5, 20))
    classes = stage.placer.cache.classes
    before = len(classes)
    while stage.placer.attempt(stage.pace.tick()) is not None:
        pass
    assert len(classes) == before + 1


def test_pods_that_do_not_fit_are_tried_once() -> None:
    run = measure(WORKLOADS["SchedulingBasic"], Size(1, 60))
    assert (run.placed, run.result.pods) == (39, 60)
