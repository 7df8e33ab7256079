"""Text of a dump to objects: every form that kubectl prints, and what is said of text that is none."""

from __future__ import annotations

import pytest

from tenantry.simulate.read import InputError, Item, Stray, read_items

POD = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}'
NODE = '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}'


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        pytest.param("", [], id="empty"),
        pytest.param("# nothing\n---\n", [], id="comments-only"),
        pytest.param("{}", ["stray"], id="no-kind"),
        pytest.param(POD, ["Pod"], id="one-object"),
        pytest.param(f'{{"kind":"List","apiVersion":"v1","items":[{POD},{NODE}]}}', ["Pod", "Node"], id="json-list"),
        pytest.param('{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{}}]}', ["Pod"], id="list-of-a-kind"),
        pytest.param(f'{{"kind":"List","items":[{{"kind":"List","items":[{POD}]}}]}}', ["Pod"], id="list-in-list"),
        pytest.param(f"{POD}\n{NODE}\n", ["Pod", "Node"], id="json-one-after-the-other"),
        pytest.param(f"[{POD}, {NODE}]", ["Pod", "Node"], id="json-array"),
        pytest.param("\ufeff" + POD, ["Pod"], id="byte-order-mark"),
        pytest.param("kind: Pod\n---\nkind: Node\n---\n", ["Pod", "Node"], id="yaml-documents"),
        pytest.param("kind: Pod\r\nmetadata: {name: a}\r\n", ["Pod"], id="yaml-crlf"),
        pytest.param("{kind: Pod, metadata: {name: a}}", ["Pod"], id="yaml-flow"),
        pytest.param(
            "kind: List\nitems:\n- kind: Pod\n- 3\n- null\n", ["Pod", "stray", "stray"], id="items-no-objects"
        ),
        pytest.param("kind: PodList\nitems: 3\n", ["stray"], id="items-no-list"),
        pytest.param("kind: PodList\nitems: null\n", [], id="items-null"),
        pytest.param("kind: 7\n", ["stray"], id="kind-no-text"),
    ],
)
def test_objects(text: str, kinds: list[str]) -> None:
    found = read_items(text.encode(), "dump")
    assert ["stray" if isinstance(item, Stray) else item.kind for item in found] == kinds


def test_items_of_a_typed_list_take_its_version() -> None:
    (item,) = read_items(b'{"kind":"DeploymentList","apiVersion":"apps/v1","items":[{"metadata":{}}]}', "dump")
    assert isinstance(item, Item)
    assert (item.kind, item.api_version) == ("Deployment", "apps/v1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(b'{"kind": "List",\n"items": [\n{"a" 1}]}', "dump: line 3: not JSON", id="json-broken"),
        pytest.param(b'{"kind": "List",\n"items": [', "dump: line 2: not JSON", id="json-cut"),
        pytest.param(b"kind: List\nitems: [1,\n", "line 3", id="yaml-cut"),
        pytest.param(b"a: 1\n\tb: 2\n", "line 2", id="yaml-tab"),
        pytest.param(b"just words", "line 1: neither JSON nor YAML", id="words"),
        pytest.param(b"kind: Pod\n\xff\xfe\n", "line 2: neither JSON nor YAML: not UTF-8", id="bytes"),
    ],
)
def test_no_object_text(text: bytes, said: str) -> None:
    with pytest.raises(InputError, match="dump: ") as caught:
        read_items(text, "dump")
    assert said in str(caught.value)
