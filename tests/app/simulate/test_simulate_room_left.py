"""How many more pods of a shape fit, and what stops the next one."""

from __future__ import annotations

import pytest
from dumps import loaded, node, played, pod, quota, template, workload

from tenantry.simulate.capacity import Shape, room_for
from tenantry.simulate.quota import Quotas
from tenantry.simulate.shapes import parse_shape
from tenantry_core.plugins.profiles import default_profile

NODES = (node("n1", zone="a"), node("n2", zone="b"))
NAME = "default-scheduler"


def shape(text: str) -> Shape:
    found = parse_shape(text, NAME)
    assert isinstance(found, Shape)
    return found


@pytest.mark.parametrize(
    ("text", "fits", "stopped"),
    [
        pytest.param("cpu=1", 7, "2 Insufficient cpu", id="cpu"),
        pytest.param("cpu=1,memory=8Gi", 4, "Insufficient memory", id="memory"),
        pytest.param("cpu=1m", 39, "2 Too many pods", id="pods"),
        pytest.param("nvidia.com/gpu=1", 0, "2 Insufficient nvidia.com/gpu", id="unknown-resource"),
    ],
)
def test_fits(text: str, fits: int, stopped: str) -> None:
    answer = played(*NODES, pod("web-1", on="n1"), shapes=[shape(text)])
    (room,) = answer.capacity
    assert (room.fits, room.at_least, room.shape) == (fits, False, text)
    assert stopped in room.stopped_by
    assert answer.after.cluster["cpu"].requested == 1000


def test_the_search_stops_at_its_limit() -> None:
    (room,) = played(*NODES, shapes=[shape("cpu=1m")], limit=5).capacity
    assert (room.fits, room.at_least, room.stopped_by) == (5, True, "")


def test_added_workloads_are_the_shapes_where_none_is_given() -> None:
    term = {"topologyKey": "topology.kubernetes.io/zone", "labelSelector": {"matchLabels": {"app": "added"}}}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    answer = played(*NODES, quota({"pods": "5"}), add=[workload(given=template(affinity=affinity))])
    (room,) = answer.capacity
    assert (room.shape, room.fits) == ("Deployment shop/added", 1)
    assert (room.quota, room.quota_fits) == ("compute", 4)
    assert "didn't match pod anti-affinity rules" in room.stopped_by


def test_the_commonest_requests_are_the_shapes_where_nothing_is_added() -> None:
    running = [pod(f"a-{i}", on="n1", cpu="500m") for i in range(2)] + [pod("b-1", on="n2", cpu="2")]
    rooms = played(*NODES, *running).capacity
    assert [(room.shape, room.fits) for room in rooms] == [("cpu=500m", 10), ("cpu=2", 2)]


def test_the_cluster_is_as_before_afterwards() -> None:
    found = loaded(*NODES)
    for _ in range(2):
        room = room_for(found.cache, default_profile(), shape("cpu=1"), Quotas((), ()))
        assert room.fits == 8
    assert found.cache.sizes()["pods"] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("cpu", "'cpu' is not RESOURCE=QUANTITY", id="no-quantity"),
        pytest.param("cpu=1,cpu=2", "cpu is given twice", id="twice"),
        pytest.param("cpu=x", "cpu: 'x' is not a quantity", id="bad-quantity"),
        pytest.param("cpu=-1", "cpu: -1 is negative", id="negative"),
        pytest.param("cpu=1,", "'' is not RESOURCE=QUANTITY", id="comma"),
    ],
)
def test_bad_shape(text: str, said: str) -> None:
    found = parse_shape(text, NAME)
    assert isinstance(found, str)
    assert said in found
