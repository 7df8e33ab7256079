"""From a structural schema to plain JSON schema, and from what the validator finds to causes."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jsonschema_rs

from tenantry_sim.custom.formats import FORMATS
from tenantry_sim.schemas.checks import path_text, type_name
from tenantry_sim.status import Cause

_COPIED = (
    "enum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "required",
    "type",
    "uniqueItems",
)
_POSIX = re.compile(r"\[:(\w+):\]")
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "digit": "0-9",
    "lower": "a-z",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t\\n\\v\\f\\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
"""Classes that Go's expressions have and the validator's have not."""
_LIST_OF = ("allOf", "anyOf", "oneOf")


def json_schema(schema: Mapping[str, Any], root: bool = False) -> dict[str, Any]:
    """JSON schema 2020-12 of a structural schema. Metadata of the root is checked elsewhere."""
    out = {key: schema[key] for key in _COPIED if key in schema}
    for bound in ("Minimum", "Maximum"):
        if schema.get(f"exclusive{bound}") is True:
            out[f"exclusive{bound}"] = out.pop(bound.lower(), None)
    if schema.get("x-kubernetes-int-or-string"):
        out["type"] = ["integer", "string"]
    if "pattern" in out:
        out["pattern"] = _POSIX.sub(lambda match: _CLASSES.get(match.group(1), match.group(0)), str(out["pattern"]))
    if schema.get("nullable") and "type" in out:
        known = out["type"]
        out["type"] = [*(known if isinstance(known, list) else [known]), "null"]
        if "enum" in out:
            out["enum"] = [*out["enum"], None]
    for key in _LIST_OF if not schema.get("x-kubernetes-int-or-string") else ():
        if schema.get(key):
            out[key] = [json_schema(inner) for inner in schema[key]]
    if schema.get("not"):
        out["not"] = json_schema(schema["not"])
    if isinstance(schema.get("items"), Mapping):
        out["items"] = json_schema(schema["items"])
    if isinstance(schema.get("additionalProperties"), Mapping):
        out["additionalProperties"] = json_schema(schema["additionalProperties"])
    properties = schema.get("properties") or {}
    out["properties"] = {k: json_schema(v) for k, v in properties.items() if not (root and k == "metadata")}
    if not out["properties"]:
        del out["properties"]
    return out


def validator_of(schema: Mapping[str, Any], root: bool = False) -> Any:
    """A validator for values of a structural schema. Raises ValueError for a pattern that Go would refuse too."""
    rules = json_schema(schema, root)
    options = jsonschema_rs.RegexOptions()  # no look-around, linear time, as in Go
    return jsonschema_rs.Draft202012Validator(rules, formats=FORMATS, validate_formats=True, pattern_options=options)


def _invalid(path: str, value: Any, why: str) -> Cause:
    shown = json.dumps(value) if not isinstance(value, dict | list) else json.dumps(value, separators=(",", ":"))
    return Cause("FieldValueInvalid", f"Invalid value: {shown}: {why}", path)


_BOUNDS = {
    "Minimum": "should be greater than or equal to",
    "Maximum": "should be less than or equal to",
    "ExclusiveMinimum": "should be greater than",
    "ExclusiveMaximum": "should be less than",
}
_COMBINED = {
    "AnyOf": "must validate at least one schema (anyOf)",
    "OneOfNotValid": "must validate one and only one schema (oneOf)",
    "OneOfMultipleValid": "must validate one and only one schema (oneOf)",
    "Not": "must not validate the schema (not)",
}


def _written(schema: Any, steps: Sequence[str | int]) -> Any:
    """What the definition itself has at a place of the translated schema."""
    for step in steps:
        inside = isinstance(schema, Mapping) and step in schema
        if not inside and not (isinstance(schema, list) and isinstance(step, int) and step < len(schema)):
            return None
        schema = schema[step]
    return schema


def _number(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def cause_of(error: Any, schema: Mapping[str, Any]) -> Cause:
    """One finding of the validator in the words of a real server. `schema` is the structural schema."""
    kind, value = type(error.kind).__name__, error.instance
    facts = error.kind.as_dict()
    if kind == "Pattern":
        facts["pattern"] = _written(schema, error.schema_path) or facts["pattern"]
    path = path_text(error.instance_path)
    body = f"{path} in body"
    if kind == "Required":
        return Cause("FieldValueRequired", "Required value", f"{path}.{facts['property']}".lstrip("."))
    if kind == "Type":
        wanted = " or ".join(t for t in facts["types"] if t != "null")
        text = f'Invalid value: "{type_name(value)}": {body} must be of type {wanted}: "{type_name(value)}"'
        return Cause("FieldValueTypeInvalid", text, path)
    if kind == "Enum":
        choices = ", ".join(json.dumps(c) for c in facts["options"] if c is not None)
        return Cause(
            "FieldValueNotSupported", f"Unsupported value: {json.dumps(value)}: supported values: {choices}", path
        )
    if kind in _BOUNDS:
        return _invalid(path, value, f"{body} {_BOUNDS[kind]} {_number(facts['limit'])}")
    if kind in _COMBINED:
        return _invalid(path, value, f'"{path}" {_COMBINED[kind]}')
    return _of_size(kind, path, value, facts)


def _of_size(kind: str, path: str, value: Any, facts: Mapping[str, Any]) -> Cause:
    body, limit = f"{path} in body", facts.get("limit")
    if kind == "MaxLength":
        return Cause("FieldValueTooLong", f"Too long: may not be more than {limit} bytes", path)
    if kind in ("MaxItems", "MaxProperties"):
        return Cause("FieldValueTooMany", f"Too many: {len(value)}: must have at most {limit} items", path)
    texts = {
        "MinLength": f"should be at least {limit} chars long",
        "MinItems": f"should have at least {limit} items",
        "MinProperties": f"should have at least {limit} properties",
        "Pattern": f"should match '{facts.get('pattern')}'",
        "MultipleOf": f"should be a multiple of {_number(facts.get('multiple_of'))}",
        "UniqueItems": "shouldn't contain duplicates",
        "Format": f"must be of type {facts.get('format')}: {json.dumps(value)}",
    }
    shown = len(value) if kind in ("MinItems", "MinProperties") else value
    return _invalid(path, shown, f"{body} {texts.get(kind, 'is not valid')}")
