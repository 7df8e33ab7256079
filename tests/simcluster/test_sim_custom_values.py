"""Custom resources: pruning, defaults, and what a schema and its rules refuse."""

from typing import Any

import pytest
from custom_kinds import DEFINITIONS, WIDGETS, definition, spec_of, version, widget
from simcluster_client import MERGE, Api

_TEXT, _WHOLE = {"type": "string"}, {"type": "integer"}


def _rules(*rules: dict[str, Any], **properties: Any) -> dict[str, Any]:
    return {"spec": {"type": "object", "properties": properties, "x-kubernetes-validations": list(rules)}}


async def _serve(api: Api, schema: dict[str, Any], **more: Any) -> None:
    code, body = await api.post(DEFINITIONS, definition(version(schema, **more)))
    assert code == 201, body


_DEEP = {"type": "object", "default": {}, "properties": {"x": {**_WHOLE, "default": 5}}}
_KEPT: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "unknown members go": (spec_of(a=_TEXT), {"a": "x", "b": 1}, {"a": "x"}),
    "open objects keep theirs": (
        spec_of(o={"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
        {"o": {"any": {"thing": 1}}},
        {"o": {"any": {"thing": 1}}},
    ),
    "known members of open objects are pruned": (
        spec_of(
            o={
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": True,
                "properties": {"p": {"type": "object", "properties": {"q": _TEXT}}},
            }
        ),
        {"o": {"p": {"q": "1", "r": "2"}, "s": 1}},
        {"o": {"p": {"q": "1"}, "s": 1}},
    ),
    "maps keep their keys": (
        spec_of(m={"type": "object", "additionalProperties": _WHOLE}),
        {"m": {"a": 1, "b": 2}},
        {"m": {"a": 1, "b": 2}},
    ),
    "embedded resources keep their type": (
        spec_of(
            t={"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {"type": "object"}}}
        ),
        {"t": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"x": 1}, "junk": 1}},
        {"t": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {}}},
    ),
    "int or string": (spec_of(p={"x-kubernetes-int-or-string": True}), {"p": "50%"}, {"p": "50%"}),
    "defaults inside defaults": (spec_of(d=_DEEP), {}, {"d": {"x": 5}}),
    "null makes room for a default": (spec_of(a={**_WHOLE, "default": 1}), {"a": None}, {"a": 1}),
    "null stays where it may": (
        spec_of(a={**_WHOLE, "default": 1, "nullable": True}),
        {"a": None},
        {"a": None},
    ),
    "defaults in lists": (
        spec_of(l={"type": "array", "items": {"type": "object", "properties": {"x": {**_WHOLE, "default": 1}}}}),
        {"l": [{}, {"x": 2}]},
        {"l": [{"x": 1}, {"x": 2}]},
    ),
}


@pytest.mark.parametrize("name", _KEPT)
async def test_stored(api: Api, name: str) -> None:
    schema, given, stored = _KEPT[name]
    await _serve(api, schema)
    code, body = await api.post(WIDGETS, widget("w", spec=given))
    assert (code, body.get("spec")) == (201, stored), body


_SET = {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"}
_NAMED = {"type": "object", "properties": {"n": _TEXT, "v": _WHOLE}, "required": ["n"]}
_KEYED = {"type": "array", "items": _NAMED, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"]}
_REFUSED: dict[str, tuple[dict[str, Any], Any, str, str, str]] = {
    "type": (
        spec_of(a=_WHOLE),
        {"a": "x"},
        "FieldValueTypeInvalid",
        "spec.a",
        'must be of type integer: "string"',
    ),
    "required in a list": (spec_of(k=_KEYED), {"k": [{"v": 1}]}, "FieldValueRequired", "spec.k[0].n", "Required value"),
    "maximum": (spec_of(a={**_WHOLE, "maximum": 3}), {"a": 4}, "FieldValueInvalid", "spec.a", "than or equal to 3"),
    "exclusive minimum": (
        spec_of(a={**_WHOLE, "minimum": 3, "exclusiveMinimum": True}),
        {"a": 3},
        "FieldValueInvalid",
        "spec.a",
        "should be greater than 3",
    ),
    "pattern": (spec_of(a={**_TEXT, "pattern": "^x+$"}), {"a": "y"}, "FieldValueInvalid", "spec.a", "match '^x+$'"),
    "pattern with a class": (
        spec_of(a={**_TEXT, "pattern": "^[[:alpha:]-]+$"}),
        {"a": "a-1"},
        "FieldValueInvalid",
        "spec.a",
        "should match '^[[:alpha:]-]+$'",
    ),
    "longest": (spec_of(a={**_TEXT, "maxLength": 2}), {"a": "abc"}, "FieldValueTooLong", "spec.a", "more than 2 bytes"),
    "shortest": (spec_of(a={**_TEXT, "minLength": 2}), {"a": "a"}, "FieldValueInvalid", "spec.a", "at least 2 chars"),
    "most": (spec_of(s={**_SET, "maxItems": 1}), {"s": ["a", "b"]}, "FieldValueTooMany", "spec.s", "at most 1 items"),
    "fewest": (spec_of(s={**_SET, "minItems": 2}), {"s": ["a"]}, "FieldValueInvalid", "spec.s", "at least 2 items"),
    "format": (spec_of(a={**_TEXT, "format": "ipv4"}), {"a": "x"}, "FieldValueInvalid", "spec.a", "type ipv4"),
    "length of time": (
        spec_of(a={**_TEXT, "format": "duration"}),
        {"a": "P1D"},
        "FieldValueInvalid",
        "spec.a",
        "type duration",
    ),
    "network": (spec_of(a={**_TEXT, "format": "cidr"}), {"a": "10.0.0.1"}, "FieldValueInvalid", "spec.a", "type cidr"),
    "multiple": (spec_of(a={**_WHOLE, "multipleOf": 2}), {"a": 3}, "FieldValueInvalid", "spec.a", "multiple of 2"),
    "enum": (
        spec_of(a={**_TEXT, "enum": ["x"]}),
        {"a": "y"},
        "FieldValueNotSupported",
        "spec.a",
        'supported values: "x"',
    ),
    "set": (spec_of(s=_SET), {"s": ["a", "a"]}, "FieldValueDuplicate", "spec.s[1]", 'Duplicate value: "a"'),
    "map": (spec_of(k=_KEYED), {"k": [{"n": "a"}, {"n": "a"}]}, "FieldValueDuplicate", "spec.k[1]", '{"n":"a"}'),
    "one of": (
        spec_of(
            o={
                "type": "object",
                "properties": {"a": _TEXT, "b": _TEXT},
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
            }
        ),
        {"o": {"a": "1", "b": "1"}},
        "FieldValueInvalid",
        "spec.o",
        "one and only one schema",
    ),
    "embedded resource without a kind": (
        spec_of(t={"type": "object", "x-kubernetes-embedded-resource": True}),
        {"t": {"apiVersion": "v1"}},
        "FieldValueRequired",
        "spec.t.kind",
        "must not be empty",
    ),
    "rule": (
        _rules({"rule": "self.a < self.b", "message": "a must be below b"}, a=_WHOLE, b=_WHOLE),
        {"a": 2, "b": 1},
        "FieldValueInvalid",
        "spec",
        "a must be below b",
    ),
    "rule with all its parts": (
        _rules(
            {
                "rule": "self.a < 3",
                "messageExpression": "'a is ' + string(self.a)",
                "reason": "FieldValueForbidden",
                "fieldPath": ".a",
            },
            a=_WHOLE,
        ),
        {"a": 4},
        "FieldValueForbidden",
        "spec.a",
        "Forbidden: a is 4",
    ),
    "rule about a name that must be escaped": (
        _rules(
            {"rule": "self.max__dash__size < 3 && self.__namespace__ == 'x'"},
            **{"max-size": _WHOLE, "namespace": _TEXT},
        ),
        {"max-size": 4, "namespace": "x"},
        "FieldValueInvalid",
        "spec",
        "failed rule: ",
    ),
    "rule on an entry": (
        spec_of(k={**_KEYED, "items": {**_NAMED, "x-kubernetes-validations": [{"rule": "self.v > 0"}]}}),
        {"k": [{"n": "a", "v": 1}, {"n": "b", "v": 0}]},
        "FieldValueInvalid",
        "spec.k[1]",
        "failed rule: self.v > 0",
    ),
    "rule with quantities": (
        _rules({"rule": "quantity(self.q).isLessThan(quantity('1Gi'))", "message": "too much"}, q=_TEXT),
        {"q": "2Gi"},
        "FieldValueInvalid",
        "spec",
        "too much",
    ),
    "rule with times": (
        _rules(
            {"rule": "timestamp('2020-01-01T00:00:00Z') < self.t && self.d > duration('1m')", "message": "too early"},
            t={**_TEXT, "format": "date-time"},
            d={**_TEXT, "format": "duration"},
        ),
        {"t": "2021-01-01T00:00:00Z", "d": "30s"},
        "FieldValueInvalid",
        "spec",
        "Invalid value: too early",
    ),
    "rule that cannot be evaluated": (
        _rules({"rule": "self.a == 1"}, a=_WHOLE),
        {},
        "FieldValueInvalid",
        "spec",
        "no such key: a",
    ),
}


@pytest.mark.parametrize("name", _REFUSED)
async def test_refused(api: Api, name: str) -> None:
    schema, given, reason, field, text = _REFUSED[name]
    await _serve(api, schema)
    code, body = await api.post(WIDGETS, widget("w", spec=given))
    assert code == 422, body
    cause = body["details"]["causes"][0]
    assert (cause["reason"], cause["field"]) == (reason, field)
    assert text in cause["message"]


async def test_transition_rules_compare_with_the_value_before(api: Api) -> None:
    rules = [{"rule": "self >= oldSelf", "message": "only upwards"}]
    await _serve(api, spec_of(a={**_WHOLE, "x-kubernetes-validations": rules}))
    assert (await api.post(WIDGETS, widget("w", spec={"a": 2})))[0] == 201
    assert (await api.call("PATCH", f"{WIDGETS}/w", {"spec": {"a": 3}}, MERGE))[0] == 200
    code, body = await api.call("PATCH", f"{WIDGETS}/w", {"spec": {"a": 1}}, MERGE)
    assert (code, body["details"]["causes"][0]["message"]) == (422, "Invalid value: only upwards")


async def test_optional_old_value(api: Api) -> None:
    rule = {"rule": "oldSelf.hasValue() || self.a == 1", "optionalOldSelf": True, "message": "start at one"}
    await _serve(api, _rules(rule, a=_WHOLE))
    assert (await api.post(WIDGETS, widget("w", spec={"a": 2})))[0] == 422
    assert (await api.post(WIDGETS, widget("w", spec={"a": 1})))[0] == 201
    assert (await api.call("PATCH", f"{WIDGETS}/w", {"spec": {"a": 2}}, MERGE))[0] == 200


async def test_rules_at_the_root_see_the_name(api: Api) -> None:
    schema = version(spec_of(a=_WHOLE))
    root = schema["schema"]["openAPIV3Schema"]
    root["x-kubernetes-validations"] = [{"rule": "self.metadata.name.startsWith('w') && self.kind == 'Widget'"}]
    assert (await api.post(DEFINITIONS, definition(schema)))[0] == 201
    assert (await api.post(WIDGETS, widget("x")))[0] == 422
    assert (await api.post(WIDGETS, widget("w")))[0] == 201


async def test_old_faults_stand_while_they_are_left_alone(api: Api) -> None:
    await _serve(api, spec_of(a=_WHOLE, b=_TEXT))
    await api.post(WIDGETS, widget("w", spec={"a": 1, "b": "x"}))
    schema = version(spec_of(a={**_WHOLE, "minimum": 5}, b=_TEXT))
    where = f"{DEFINITIONS}/widgets.demo.example.com"
    assert (await api.call("PATCH", where, {"spec": {"versions": [schema]}}, MERGE))[0] == 200
    await api.get(where)
    assert (await api.call("PATCH", f"{WIDGETS}/w", {"spec": {"b": "y"}}, MERGE))[0] == 200
    assert (await api.call("PATCH", f"{WIDGETS}/w", {"spec": {"a": 2}}, MERGE))[0] == 422
    assert (await api.call("PATCH", f"{WIDGETS}/w", {"spec": {"a": 6}}, MERGE))[0] == 200


async def test_replacing_needs_a_revision(api: Api) -> None:
    await _serve(api, spec_of(a=_WHOLE))
    _, body = await api.post(WIDGETS, widget("w", spec={"a": 1}))
    code, answer = await api.call("PUT", f"{WIDGETS}/w", widget("w", spec={"a": 2}))
    assert (code, answer["details"]["causes"][0]["field"]) == (422, "metadata.resourceVersion")
    assert (await api.call("PUT", f"{WIDGETS}/w", {**body, "spec": {"a": 2}}))[0] == 200


async def test_selectable_fields(api: Api) -> None:
    await _serve(api, spec_of(a=_TEXT), selectableFields=[{"jsonPath": ".spec.a"}])
    for name in ("x", "y"):
        await api.post(WIDGETS, widget(name, spec={"a": name}))
    chosen = await api.get(f"{WIDGETS}?fieldSelector=spec.a=y")
    assert [i["metadata"]["name"] for i in chosen["items"]] == ["y"]
    assert (await api.call("GET", f"{WIDGETS}?fieldSelector=spec.b=y"))[0] == 400
