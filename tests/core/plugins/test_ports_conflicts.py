"""Host ports: address, protocol and port decide; 0.0.0.0 is every address."""

import pytest
from builders import PodBuilder, a_cluster, a_node, a_pod
from deciding import answer

TAKEN = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."


def there() -> PodBuilder:
    return a_pod("there").on("node")


def init_port(restart: str | None) -> PodBuilder:
    fields = {"restartPolicy": restart} if restart else {}
    return a_pod("there").container("i", init=True, ports=[{"hostPort": 80, "containerPort": 80}], **fields)


CASES = {
    "T37a tcp beside udp": (there().port(80, "TCP"), a_pod().port(80, "UDP"), True),
    "T37a tcp beside tcp": (there().port(80, "TCP"), a_pod().port(80, "TCP"), False),
    "T37b every address against one": (
        there().port(80, address="0.0.0.0"),
        a_pod().port(80, address="127.0.0.1"),
        False,
    ),
    "T37b one address against every": (
        there().port(80, address="127.0.0.1"),
        a_pod().port(80, address="0.0.0.0"),
        False,
    ),
    "T37b no address is every address": (there().port(80), a_pod().port(80, address="127.0.0.1"), False),
    "T37b an empty address is every address": (
        there().port(80, address=""),
        a_pod().port(80, address="10.0.0.1"),
        False,
    ),
    "T37c two addresses": (there().port(80, address="10.0.0.1"), a_pod().port(80, address="10.0.0.2"), True),
    "T37c the same address": (there().port(80, address="10.0.0.1"), a_pod().port(80, address="10.0.0.1"), False),
    "T37 no protocol is TCP": (there().port(80), a_pod().port(80, "TCP"), False),
    "T37 an empty protocol is TCP": (there().port(80, ""), a_pod().port(80, "TCP"), False),
    "another port": (there().port(80), a_pod().port(81), True),
    "one of two": (there().port(80), a_pod().port(81).port(80), False),
    "T37 plain init containers do not hold": (init_port(None).on("node"), a_pod().port(80), True),
    "T37 sidecars do": (init_port("Always").on("node"), a_pod().port(80), False),
    "T37 plain init containers do not ask": (there().port(80), init_port(None).meta(name="n", uid="n"), True),
    "T37 sidecars ask": (there().port(80), init_port("Always").meta(name="n", uid="n"), False),
    "a container port alone is no host port": (
        there().port(80),
        a_pod().container("c", ports=[{"containerPort": 80}]),
        True,
    ),
    "one pod may name a port twice": (a_pod("quiet").on("node"), a_pod().port(80).port(80), True),
}


@pytest.mark.parametrize(("placed", "new", "fits"), CASES.values(), ids=CASES.keys())
def test_beside_a_pod(placed: PodBuilder, new: PodBuilder, fits: bool) -> None:
    assert answer(a_cluster(a_node(), placed), new) == ("node" if fits else TAKEN)


def test_a_port_is_free_again_once_its_last_holder_is_gone() -> None:
    cache = a_cluster(a_node(), a_pod("one").port(80).on("node"), a_pod("two").port(80).on("node"))
    for name in ("one", "two"):
        assert answer(cache, a_pod().port(80)) == TAKEN
        cache.remove_pod(f"default/{name}")
    assert answer(cache, a_pod().port(80)) == "node"
