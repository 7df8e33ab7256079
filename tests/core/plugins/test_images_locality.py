"""Golden scores of image locality."""

import pytest
from builders import NodeBuilder, PodBuilder, a_cluster, a_node, a_pod
from deciding import scores

from tenantry_core.framework.pod_class import normalized_image
from tenantry_core.plugins.image_locality import ImageLocality

MIB = 1 << 20
IMAGE = "registry.example/app:v1"


def holding(name: str, size: int = 500, image: str = IMAGE) -> NodeBuilder:
    return a_node(name).image(image, size * MIB)


CASES = {
    "500 MiB on one of two": ([holding("n0"), a_node("n1")], a_pod(), [23, 0]),
    "500 MiB on both": ([holding("n0"), holding("n1")], a_pod(), [48, 48]),
    "nobody has it": ([a_node("n0"), a_node("n1")], a_pod(), [0, 0]),
    "too small to matter": ([holding("n0", 23), holding("n1", 22)], a_pod(), [0, 0]),
    "as large as counts": ([holding("n0", 5000), holding("n1", 5000)], a_pod(), [100, 100]),
    "two containers, one image each": (
        [holding("n0"), holding("n1")],
        a_pod().container("b", image="registry.example/other:v1"),
        [24, 24],
    ),
    "two containers of one image": ([holding("n0"), holding("n1")], a_pod().container("b", image=IMAGE), [49, 49]),
    "init containers count": (
        [holding("n0"), holding("n1")],
        a_pod().image("registry.example/other:v1").container("i", init=True, image=IMAGE),
        [24, 24],
    ),
    "image volumes count": (
        [holding("n0"), holding("n1")],
        a_pod().image("registry.example/other:v1").spec(volumes=[{"name": "v", "image": {"reference": IMAGE}}]),
        [48, 48],
    ),
    "another tag is another image": ([holding("n0"), holding("n1")], a_pod().image("registry.example/app:v2"), [0, 0]),
    "no tag is latest": (
        [holding("n0", image="registry.example/app:latest"), holding("n1", image="registry.example/app")],
        a_pod().image("registry.example/app"),
        [48, 48],
    ),
}


@pytest.mark.parametrize(("nodes", "pod", "want"), CASES.values(), ids=CASES.keys())
def test_scores(nodes: list[NodeBuilder], pod: PodBuilder, want: list[int]) -> None:
    assert list(scores(a_cluster(*nodes), pod, ImageLocality(), ["n0", "n1"]).values()) == want


def test_a_node_that_goes_makes_its_image_rarer_or_not() -> None:
    cache = a_cluster(holding("n0"), a_node("n1"), holding("gone"))
    before = scores(cache, a_pod(), ImageLocality())["n0"]
    cache.remove_node("gone")
    assert before == 31
    assert scores(cache, a_pod(), ImageLocality()) == {"n0": 23, "n1": 0}


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("app", "app:latest"),
        ("app:v1", "app:v1"),
        ("registry.example:5000/app", "registry.example:5000/app:latest"),
        ("registry.example:5000/app:v1", "registry.example:5000/app:v1"),
        ("app@sha256:abc", "app@sha256:abc"),
    ],
)
def test_names(name: str, want: str) -> None:
    assert normalized_image(name) == want
