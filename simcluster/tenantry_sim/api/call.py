"""One request after routing, and one answer before it becomes HTTP."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol
from urllib.parse import unquote, unquote_plus

import msgspec
import yaml

from tenantry_sim.api import protobuf
from tenantry_sim.api.fieldcheck import check_mode, settle_fields
from tenantry_sim.kinds import shapes
from tenantry_sim.kinds.rules import prune_nulls
from tenantry_sim.kinds.table import BY_PATH
from tenantry_sim.schemas.checks import check_types
from tenantry_sim.status import ApiError, bad_request
from tenantry_sim.store.records import Object
from tenantry_sim.store.resource import Resource

JSON = "application/json"
_NAMESPACE_SUBRESOURCES = ("finalize", "status")
_SCHEMA_ONLY = frozenset({"apiextensions.k8s.io/customresourcedefinitions"})
"""Kinds whose members may have any name, so that only their published schema can tell their types."""
BUSY = frozenset({"/pods", "/nodes", "/events", "events.k8s.io/events", "coordination.k8s.io/leases"})
"""Kinds of which many are written: the table of well-known members has to do."""
Operation = Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]


class Suspended(Exception):
    """A verb was broken off before it stored anything, because something takes time. No refusal."""

    async def resume(self) -> None:
        """Wait for it; then the verb may run again from the start."""
        raise NotImplementedError


class Gate(Protocol):
    """Admission by webhooks as the verbs see it; None on a call that no webhook is interested in.

    Both checks may end the verb with `Suspended`: whoever called it waits, and runs it again from the start. So nothing
    may be stored before them.
    """

    def settle(self, metadata: dict[str, Any]) -> None:
        """Give a new object the identity that it had in an earlier run of the verb."""
        ...

    def mutate(self, call: "Call", operation: Operation, obj: Object | None, old: Object | None) -> Object:
        """The object as mutating webhooks leave it. Raises ApiError for a refusal."""
        ...

    def validate(self, call: "Call", operation: Operation, obj: Object | None, old: Object | None) -> None:
        """Ask validating webhooks. Raises ApiError for a refusal."""
        ...


@dataclass(slots=True)
class Call:
    """A request for one resource. `name` and `subresource` are empty for a collection."""

    method: str
    resource: Resource
    namespace: str
    name: str
    subresource: str
    query: dict[str, str]
    accept: str = JSON
    content_type: str = JSON
    body: bytes = b""
    gate: Gate | None = None
    agent: str = ""
    """The client's User-Agent."""
    applied: list[dict[str, Any]] | None = None
    """The owners of fields as an apply leaves them."""
    warnings: Sequence[str] = ()
    """What field validation found, for Warning headers."""

    @property
    def dry_run(self) -> bool:
        return "dryRun" in self.query

    @property
    def watching(self) -> bool:
        return self.query.get("watch") in ("true", "1")

    @property
    def as_table(self) -> bool:
        return "as=Table" in self.accept


@dataclass(slots=True)
class Answer:
    """Status code, body and content type."""

    code: int
    body: bytes
    content_type: str = JSON
    warnings: Sequence[str] = ()
    """Texts for Warning headers."""


NOT_FOUND = Answer(404, b"404 page not found\n", "text/plain; charset=utf-8")


def split_target(target: str) -> tuple[str, dict[str, str]]:
    """Path and query of a request target; of repeated query members the last one counts."""
    path, _, query = target.partition("?")
    if "%" in path:
        path = unquote(path)
    if not query:
        return path, {}
    found: dict[str, str] = {}
    for pair in query.split("&"):
        key, _, value = pair.partition("=")
        found[unquote_plus(key)] = unquote_plus(value)
    return path, found


def route(
    method: str, path: str, query: dict[str, str], added: Mapping[tuple[str, str, str], Resource] | None = None
) -> Call | None:
    """The call that a path stands for; None when no resource is served there. `added` holds custom resources."""
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) > 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and not (len(rest) == 3 and rest[2] in _NAMESPACE_SUBRESOURCES):
        namespace, rest = rest[1], rest[2:]
    resource = BY_PATH.get((group, version, rest[0]))
    if resource is None and added:
        resource = added.get((group, version, rest[0]))
    if resource is None or len(rest) > 3 or (namespace and not resource.namespaced):
        return None
    name = rest[1] if len(rest) > 1 else ""
    subresource = rest[2] if len(rest) > 2 else ""
    if resource.namespaced and name and not namespace:
        return None
    if subresource and subresource not in resource.subresources:
        return None
    return Call(method, resource, namespace, name, subresource, query)


def decode_object(call: Call) -> Object:
    """The request body as an object of the call's kind. Raises ApiError 400."""
    resource = call.resource
    document = decode_body(call, resource.kind)
    kind, version = document.pop("kind", ""), document.pop("apiVersion", "")
    if resource.custom is not None:
        _check_custom(call, kind)
    if kind and kind != resource.kind:
        text = (
            f'{kind} in version "{version}" cannot be handled as a {resource.kind}: converting ({version}.{kind}) to '
            f"({resource.group or 'core'}.{resource.kind}): unknown conversion"
        )
        raise bad_request(text)
    if version and version != resource.api_version:
        text = (
            f"the API version in the data ({version}) does not match the expected API version ({resource.api_version})"
        )
        raise bad_request(text)
    check_shape(resource, document)
    settle(call, document, call.body if call.content_type == JSON else b"")
    return document


def _check_custom(call: Call, kind: str) -> None:
    if call.method == "POST" and call.resource.custom.terminating:
        text = "create not allowed while custom resource definition is terminating"
        raise ApiError(405, "MethodNotAllowed", text, {})
    if not kind:
        raise bad_request("Object 'Kind' is missing in the request body")


def settle(call: Call, document: Object, text: bytes = b"") -> None:
    """Field validation of a document without kind and apiVersion. Raises ApiError 400 and 422."""
    mode = call.query.get("fieldValidation", "")
    check_mode(call.method, mode)
    call.warnings = settle_fields(call.resource, document, mode, text)


def check_shape(resource: Resource, document: Object) -> None:
    """Drop nulls and refuse members of the wrong JSON type. Raises ApiError 400."""
    if resource.custom is None:
        prune_nulls(document)
        if resource.key not in _SCHEMA_ONLY:
            shapes.check(resource.kind, document)
        if resource.key not in BUSY:
            check_types(resource.group, resource.version, resource.kind, document)
    else:
        document["metadata"] = prune_nulls(document.get("metadata") or {})
        shapes.check(resource.kind, {"metadata": document["metadata"]})
    document.setdefault("metadata", {})


def decode_body(call: Call, kind: str) -> dict[str, Any]:
    """The request body as a JSON (or YAML) object. Raises ApiError 400."""
    if call.content_type == protobuf.CONTENT_TYPE:
        return protobuf.decode(call.body)
    try:
        if "yaml" in call.content_type:
            document = load_yaml(call.body)
        else:
            document = msgspec.json.decode(call.body)
    except (msgspec.DecodeError, ValueError) as problem:
        text = call.body[:100].decode(errors="replace")
        raise bad_request(
            f"the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; "
            f"json parse error: {problem} ({text})"
        ) from None
    if not isinstance(document, dict):
        raise bad_request(f"the object provided is unrecognized (must be of type {kind}): not an object")
    return document


class _YamlLoader(yaml.SafeLoader):
    """YAML with the types of JSON: what looks like a date stays text."""


_YamlLoader.yaml_implicit_resolvers = {
    first: [row for row in rows if row[0] != "tag:yaml.org,2002:timestamp"]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load_yaml(body: bytes) -> Any:
    """A YAML (or JSON) text as JSON values. Raises ValueError for everything that is not one."""
    try:
        if body[:1] == b"{":
            return msgspec.json.decode(body)
    except msgspec.DecodeError:
        pass
    try:
        return msgspec.json.decode(msgspec.json.encode(yaml.load(body, _YamlLoader)))
    except (yaml.YAMLError, TypeError, RecursionError, OverflowError, msgspec.MsgspecError) as problem:
        raise ValueError(str(problem)) from None


def decode_optional(call: Call) -> dict[str, Any]:
    """A body that may be missing, such as delete options. Raises ApiError 400."""
    if not call.body.strip():
        return {}
    document = prune_nulls(decode_body(call, "DeleteOptions"))
    shapes.check("DeleteOptions", document)
    return dict(document)


def number(query: dict[str, str], key: str) -> int | None:
    """A query member as a whole number; None when absent or empty. Raises ApiError 400."""
    text = query.get(key, "")
    if not text:
        return None
    try:
        value = int(text)
    except ValueError:
        raise ApiError(400, "BadRequest", f'strconv.ParseInt: parsing "{text}": invalid syntax') from None
    if value < 0:
        raise bad_request(f"{key}: Invalid value: {value}: must be greater than or equal to 0")
    return value
