"""The rules of the kind CustomResourceDefinition."""

from collections.abc import Iterator, Mapping
from typing import Any

from tenantry_sim.cel import CelError
from tenantry_sim.custom.paths import PathError, compile_path
from tenantry_sim.custom.rules import compile_rule
from tenantry_sim.custom.translate import validator_of
from tenantry_sim.kinds.names import bad_value, required
from tenantry_sim.kinds.rules import Rules
from tenantry_sim.status import Cause
from tenantry_sim.store.records import Object

KEY = "apiextensions.k8s.io/customresourcedefinitions"


def default(obj: Object) -> None:
    """Names, conversion."""
    spec = obj.setdefault("spec", {})
    names = spec.setdefault("names", {})
    if names.get("kind"):
        names.setdefault("singular", names["kind"].lower())
        names.setdefault("listKind", names["kind"] + "List")
    spec.setdefault("conversion", {"strategy": "None"})
    if not spec.get("preserveUnknownFields"):
        spec.pop("preserveUnknownFields", None)


def initial_status(obj: Object) -> Object:
    """Nothing is accepted yet; the storage version is known."""
    stored = [v.get("name", "") for v in obj["spec"].get("versions") or () if v.get("storage")]
    return {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": stored}


def validate(obj: Object) -> list[Cause]:
    """What is wrong with a definition."""
    spec, name = obj["spec"], obj["metadata"].get("name", "")
    names = spec.get("names") or {}
    found = [required(f"spec.{key}") for key in ("group", "scope") if not spec.get(key)]
    found += [required(f"spec.names.{key}") for key in ("plural", "kind") if not names.get(key)]
    wanted = f"{names.get('plural', '')}.{spec.get('group', '')}"
    if name != wanted:
        found.append(bad_value("metadata.name", name, 'must be spec.names.plural+"."+spec.group'))
    if spec.get("scope") not in (None, "", "Namespaced", "Cluster"):
        choices = 'supported values: "Cluster", "Namespaced"'
        found.append(Cause("FieldValueNotSupported", f'Unsupported value: "{spec["scope"]}": {choices}', "spec.scope"))
    found += _version_causes(spec.get("versions") or [])
    return found


def _version_causes(versions: list[Mapping[str, Any]]) -> list[Cause]:
    if not versions:
        return [required("spec.versions", "must have at least one version")]
    found: list[Cause] = []
    if sum(1 for v in versions if v.get("storage")) != 1:
        text = "must have exactly one version marked as storage version"
        found.append(Cause("FieldValueInvalid", f"Invalid value: {text}", "spec.versions"))
    if len({v.get("name") for v in versions}) != len(versions):
        found.append(Cause("FieldValueInvalid", "Invalid value: must contain unique version names", "spec.versions"))
    for i, version in enumerate(versions):
        path = f"spec.versions[{i}]"
        if not version.get("name"):
            found.append(required(f"{path}.name"))
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if not isinstance(schema, dict):
            found.append(required(f"{path}.schema.openAPIV3Schema", "schemas are required"))
            continue
        found += _schema_causes(schema, f"{path}.schema.openAPIV3Schema")
        for j, column in enumerate(version.get("additionalPrinterColumns") or ()):
            found += _column_causes(column, f"{path}.additionalPrinterColumns[{j}]")
    return found


def _column_causes(column: Mapping[str, Any], path: str) -> list[Cause]:
    found = [required(f"{path}.{key}") for key in ("name", "type", "jsonPath") if not column.get(key)]
    try:
        if column.get("jsonPath"):
            compile_path(str(column["jsonPath"]))
    except PathError as problem:
        found.append(bad_value(f"{path}.jsonPath", column["jsonPath"], str(problem)))
    return found


def _schema_causes(schema: Mapping[str, Any], path: str) -> list[Cause]:
    kind = schema.get("type")
    if not kind:
        return [required(f"{path}.type", "must not be empty at the root")]
    if kind != "object":
        return [bad_value(f"{path}.type", str(kind), "must be object at the root")]
    found = [cause for node, where, named in _nodes(schema, path, "") for cause in _node_causes(node, where, named)]
    if found:
        return found
    try:
        validator_of(schema)
    except ValueError as problem:
        found.append(bad_value(path, "", f"the schema cannot be used: {str(problem).partition(chr(10))[0]}"))
    return found


def _nodes(schema: Mapping[str, Any], path: str, named: str) -> Iterator[tuple[Mapping[str, Any], str, str]]:
    """A schema and everything below it, with its path and what it is to its parent."""
    yield schema, path, named
    for name, inner in (schema.get("properties") or {}).items():
        if isinstance(inner, dict):
            yield from _nodes(inner, f"{path}.properties[{name}]", "object fields")
    if isinstance(schema.get("items"), dict):
        yield from _nodes(schema["items"], f"{path}.items", "array items")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _nodes(schema["additionalProperties"], f"{path}.additionalProperties", "object fields")


def _node_causes(schema: Mapping[str, Any], path: str, named: str) -> list[Cause]:
    found: list[Cause] = []
    free = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
    if named and not schema.get("type") and not free:
        found.append(required(f"{path}.type", f"must not be empty for specified {named}"))
    if schema.get("type") == "array" and not isinstance(schema.get("items"), dict):
        found.append(required(f"{path}.items", "must be specified"))
    if schema.get("x-kubernetes-list-type") == "map" and not schema.get("x-kubernetes-list-map-keys"):
        text = 'must not be empty if x-kubernetes-list-type is "map"'
        found.append(required(f"{path}.x-kubernetes-list-map-keys", text))
    if schema.get("properties") and schema.get("additionalProperties"):
        text = "Forbidden: additionalProperties and properties are mutual exclusive"
        found.append(Cause("FieldValueForbidden", text, f"{path}.additionalProperties"))
    for i, row in enumerate(schema.get("x-kubernetes-validations") or ()):
        where = f"{path}.x-kubernetes-validations[{i}]"
        if not str(row.get("rule", "")).strip():
            found.append(required(f"{where}.rule", "rule is not specified"))
            continue
        try:
            compile_rule(row)
        except CelError as problem:
            found.append(bad_value(f"{where}.rule", str(row["rule"]), f"compilation failed: {problem}"))
    return found


def validate_update(old: Object, new: Object) -> list[Cause]:
    """What may not change once names are accepted, and the definition itself."""
    found = validate(new)
    before, after = old["spec"], new["spec"]
    for path in (("group",), ("scope",), ("names", "plural"), ("names", "kind")):
        first, second = before, after
        for key in path:
            first, second = first.get(key) or {}, second.get(key) or {}
        if first != second:
            found.append(bad_value("spec." + ".".join(path), str(second), "field is immutable"))
    return found


RULES = Rules(default=default, validate=validate, validate_update=validate_update, initial_status=initial_status)
