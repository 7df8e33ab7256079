"""The effective request of a pod, from containers, sidecars, init order, overhead, pod level and resize."""

from typing import Any

import pytest
from builders import PodBuilder, a_pod

from tenantry_core.model.quantity import SATURATED
from tenantry_core.model.requests import effective_request, scoring_request

MIB = 1 << 20
GIB = 1 << 30


def main(cpu: str) -> PodBuilder:
    return a_pod().asking(cpu=cpu)


def init(pod: PodBuilder, name: str, cpu: str) -> PodBuilder:
    return pod.container(name, init=True, requests={"cpu": cpu})


def sidecar(pod: PodBuilder, name: str, cpu: str) -> PodBuilder:
    return pod.container(name, init=True, requests={"cpu": cpu}, restartPolicy="Always")


def resized(pod: PodBuilder, allocated: str | None = None, actual: str | None = None) -> PodBuilder:
    status: dict[str, Any] = {"name": "main"}
    status |= {"allocatedResources": {"cpu": allocated}} if allocated else {}
    status |= {"resources": {"requests": {"cpu": actual}}} if actual else {}
    return pod.status(containerStatuses=[status])


def refused(pod: PodBuilder) -> PodBuilder:
    return pod.status(conditions=[{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}])


CPU = {
    "nothing asked": (a_pod(), 0),
    "two containers add up": (main("300m").container("more", requests={"cpu": "200m"}), 500),
    "a limit stands in for a request": (a_pod().container("x", resources={"limits": {"cpu": "2"}}), 2000),
    "init below the sum": (init(main("300m"), "i", "200m"), 300),
    "init is a peak, not a sum": (init(init(main("300m"), "i", "500m"), "j", "400m"), 500),
    "T24 a sidecar is added": (init(sidecar(main("500m"), "s", "500m"), "i", "200m"), 1000),
    "T26 an init peak stays while the pod runs": (init(main("500m"), "i", "2").phase("Running"), 2000),
    "an init before the sidecar does not run beside it": (sidecar(init(main("100m"), "i", "500m"), "s", "450m"), 550),
    "an init after the sidecar does": (init(sidecar(main("100m"), "s", "450m"), "i", "500m"), 950),
    "order of all, and overhead once": (
        init(sidecar(init(main("300m"), "a", "200m"), "s", "100m"), "b", "500m").spec(overhead={"cpu": "50m"}),
        650,
    ),
    "sidecars in line": (sidecar(sidecar(main("100m"), "s", "200m"), "t", "300m"), 600),
    "pod level wins over the sum": (main("300m").spec(resources={"requests": {"cpu": "2"}}), 2000),
    "pod level below the sum wins too": (main("3").spec(resources={"requests": {"cpu": "2"}}), 2000),
    "pod level of another resource does not": (main("300m").spec(resources={"requests": {"memory": "1Gi"}}), 300),
    "T27 overhead once over pod level": (
        main("300m").spec(resources={"requests": {"cpu": "2"}}, overhead={"cpu": "100m"}),
        2100,
    ),
    "T27 overhead once with a pod-level status": (
        main("300m")
        .spec(resources={"requests": {"cpu": "2"}}, overhead={"cpu": "100m"})
        .status(allocatedResources={"cpu": "2"}, resources={"requests": {"cpu": "2"}}),
        2100,
    ),
    "pod level shrinks, still running at more": (
        main("300m").spec(resources={"requests": {"cpu": "1"}}).status(resources={"requests": {"cpu": "3"}}),
        3000,
    ),
    "T36 down from 2 to 1, 2 allocated": (resized(main("1"), allocated="2"), 2000),
    "T36 down from 2 to 1, 2 still in use": (resized(main("1"), allocated="1", actual="2"), 2000),
    "T36 up from 1 to 2": (resized(main("2"), allocated="1", actual="1"), 2000),
    "T36 done": (resized(main("1"), allocated="1", actual="1"), 1000),
    "T36 an infeasible wish does not count": (refused(resized(main("8"), allocated="1", actual="2")), 2000),
    "T36 infeasible, as older kubelets say it": (
        resized(main("8"), allocated="1", actual="1").status(resize="Infeasible"),
        1000,
    ),
    "T36 status of a plain init container does not count": (
        init(main("1"), "i", "1").status(initContainerStatuses=[{"name": "i", "allocatedResources": {"cpu": "9"}}]),
        1000,
    ),
    "T36 status of a sidecar does": (
        sidecar(main("1"), "s", "1").status(initContainerStatuses=[{"name": "s", "allocatedResources": {"cpu": "2"}}]),
        3000,
    ),
    "T29 a huge request is saturated, not wrapped": (main("9223372036854775807"), SATURATED),
    "T28 two huge requests are saturated, not wrapped": (
        main("9E").container("more", requests={"cpu": "9E"}),
        SATURATED,
    ),
}


@pytest.mark.parametrize(("pod", "want"), CPU.values(), ids=CPU.keys())
def test_effective_cpu(pod: PodBuilder, want: int) -> None:
    assert effective_request(pod.build()).get("cpu", 0) == want


def test_every_resource_is_worked_out_by_itself() -> None:
    pod = a_pod().asking({"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1G", "vendor.example/gpu": "2"})
    pod.container("i", init=True, requests={"cpu": "100m", "memory": "4Gi", "hugepages-2Mi": "2Mi"})
    assert effective_request(pod.build()) == {
        "cpu": 1000,
        "memory": 4 * GIB,
        "ephemeral-storage": 10**9,
        "vendor.example/gpu": 2,
        "hugepages-2Mi": 2 * MIB,
    }


SCORING = {
    "nothing asked: 100m and 200Mi": (a_pod(), 100, 200 * MIB),
    "per container": (a_pod().container("more"), 200, 400 * MIB),
    "cpu alone asked": (main("1"), 1000, 200 * MIB),
    "memory alone asked": (a_pod().asking(memory="1Gi"), 100, GIB),
    "zero is an answer": (a_pod().asking(cpu="0", memory="0"), 0, 0),
    "init containers too": (main("50m").container("i", init=True), 100, 200 * MIB),
    "overhead on top": (a_pod().spec(overhead={"cpu": "10m", "memory": "1Mi"}), 110, 201 * MIB),
    "pod level instead": (a_pod().spec(resources={"requests": {"cpu": "1", "memory": "1Gi"}}), 1000, GIB),
}


@pytest.mark.parametrize(("pod", "cpu", "memory"), SCORING.values(), ids=SCORING.keys())
def test_scoring_request(pod: PodBuilder, cpu: int, memory: int) -> None:
    assert scoring_request(pod.build()) == {"cpu": cpu, "memory": memory}
