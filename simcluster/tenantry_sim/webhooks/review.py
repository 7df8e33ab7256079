"""AdmissionReview: the question that a webhook is asked, and what its answer means."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tenantry_sim.api.call import Call
from tenantry_sim.kinds.events import to_view
from tenantry_sim.status import ApiError, internal
from tenantry_sim.store.records import Object
from tenantry_sim.store.resource import Resource

_OPTIONS = {"CREATE": "CreateOptions", "UPDATE": "UpdateOptions", "DELETE": "DeleteOptions"}
_SUB_KINDS = {
    "binding": ("", "v1", "Binding"),
    "eviction": ("policy", "v1", "Eviction"),
    "scale": ("autoscaling", "v1", "Scale"),
}
_STRUCT = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
_WORDS = {str: "string", bool: "bool", int: "number", float: "number", list: "array"}


class CallFailed(Exception):
    """The webhook was not reached or did not answer as it must; the failure policy decides what that means."""


@dataclass
class Question:
    """One admission step of a request, as every webhook that looks at it is asked."""

    call: Call
    operation: str
    obj: Object | None
    old: Object | None
    user: dict[str, Any]

    @property
    def name(self) -> str:
        """Name of the object; empty for one whose name is still to be generated."""
        if self.call.name:
            return self.call.name
        shown = self.obj or self.old or {}
        name: str = shown.get("metadata", {}).get("name", "")
        return name

    def request(self, target: Resource, uid: str) -> dict[str, Any]:
        """The `request` of the review, the object in the version of `target`."""
        call = self.call
        found: dict[str, Any] = {"uid": uid}
        found |= _kinds(target, call.subresource, "kind", "resource", "subResource")
        found |= _kinds(call.resource, call.subresource, "requestKind", "requestResource", "requestSubResource")
        if self.name:
            found["name"] = self.name
        if call.namespace:
            found["namespace"] = call.namespace
        elif call.resource.key == "/namespaces":
            found["namespace"] = self.name
        found |= {
            "operation": self.operation,
            "userInfo": self.user,
            "object": self._typed(target, self.obj),
            "oldObject": self._typed(target, self.old),
            "dryRun": call.dry_run,
            "options": self._options(),
        }
        return found

    def _typed(self, target: Resource, obj: Object | None) -> Object | None:
        if obj is None:
            return None
        kind = _kind(target, self.call.subresource)
        version = f"{kind['group']}/{kind['version']}" if kind["group"] else kind["version"]
        return {"kind": kind["kind"], "apiVersion": version, **to_view(target, obj)}

    def _options(self) -> dict[str, Any]:
        query = self.call.query
        found: dict[str, Any] = {"kind": _OPTIONS.get(self.operation, ""), "apiVersion": "meta.k8s.io/v1"}
        if self.call.dry_run:
            found["dryRun"] = ["All"]
        if self.operation != "DELETE":
            found |= {key: query[key] for key in ("fieldManager", "fieldValidation") if query.get(key)}
        elif self.call.body:
            try:
                given = msgspec.json.decode(self.call.body)
            except msgspec.DecodeError:
                return found
            if isinstance(given, dict):
                found = {**found, **{k: v for k, v in given.items() if k not in ("kind", "apiVersion")}}
        return found


def _kind(resource: Resource, subresource: str) -> dict[str, str]:
    default = (resource.group, resource.version, resource.kind)
    group, version, kind = _SUB_KINDS.get(subresource, default)
    return {"group": group, "version": version, "kind": kind}


def _kinds(resource: Resource, subresource: str, kind: str, plural: str, sub: str) -> dict[str, Any]:
    row = {"group": resource.group, "version": resource.version, "resource": resource.plural}
    found: dict[str, Any] = {kind: _kind(resource, subresource), plural: row}
    if subresource:
        found[sub] = subresource
    return found


@dataclass
class Verdict:
    """What a webhook said: a refusal or none, a patch (empty for none), warnings."""

    refusal: ApiError | None = None
    patch: list[Any] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read_answer(body: bytes, uid: str, name: str, mutating: bool) -> Verdict:
    """The meaning of a webhook's answer. Raises CallFailed when it is none."""
    response = _response(body)
    if response.get("uid") != uid:
        raise _invalid(f'expected response.uid="{uid}", got "{response.get("uid", "")}"')
    verdict = Verdict(warnings=[str(w) for w in response.get("warnings") or ()])
    if not response.get("allowed"):
        verdict.refusal = denial(name, response.get("status"))
    patch, patch_type = response.get("patch"), response.get("patchType")
    if not mutating:
        for key, value in (("patch", patch), ("patchType", patch_type)):
            if value:
                raise _invalid(f"validating webhook may not return response.{key}")
    elif patch:
        if patch_type != "JSONPatch":
            why = f"invalid response.patchType={patch_type}" if patch_type else "response.patchType is required"
            raise _invalid("webhook returned response.patch but not response.patchType" if not patch_type else why)
        verdict.patch = _patch(patch)
    elif patch_type:
        raise _invalid("webhook returned response.patchType but not response.patch")
    return verdict


def _invalid(why: str) -> CallFailed:
    return CallFailed(f"received invalid webhook response: {why}")


def _response(body: bytes) -> dict[str, Any]:
    try:
        document = msgspec.json.decode(body)
    except msgspec.DecodeError as problem:
        text = body[:1].decode(errors="replace")
        why = f"invalid character '{text}' looking for beginning of value" if body.strip() else str(problem)
        why = why if body.strip() else "unexpected end of JSON input"
        raise CallFailed(f"failed to call webhook: couldn't get version/kind; json parse error: {why}") from None
    if not isinstance(document, dict):
        word = _WORDS.get(type(document), "null")
        why = f"json: cannot unmarshal {word} into Go value of type {_STRUCT}"
        raise CallFailed(f"failed to call webhook: couldn't get version/kind; json parse error: {why}")
    kind, version = document.get("kind", ""), document.get("apiVersion", "")
    if not kind:
        raise CallFailed(f"failed to call webhook: Object 'Kind' is missing in '{body.decode(errors='replace')}'")
    if (kind, version) != ("AdmissionReview", "admission.k8s.io/v1"):
        group, _, number = version.rpartition("/")
        expected = "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview"
        raise _invalid(f"{expected}, got {group}{'/' if group else ''}{number}, Kind={kind}")
    response = document.get("response")
    if not isinstance(response, dict):
        raise _invalid("webhook response was absent")
    return response


def _patch(text: Any) -> list[Any]:
    try:
        operations = msgspec.json.decode(base64.b64decode(text, validate=True))
    except (binascii.Error, msgspec.DecodeError, TypeError, ValueError) as problem:
        raise CallFailed(f"failed to call webhook: unable to decode patch: {problem}") from None
    if not isinstance(operations, list):
        raise CallFailed("failed to call webhook: json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    return operations


def denial(name: str, status: Any) -> ApiError:
    """The answer to the client when a webhook refuses, after the `status` that it gave."""
    given: Mapping[str, Any] = status if isinstance(status, Mapping) else {}
    denied = f'admission webhook "{name}" denied the request'
    message, reason, code = given.get("message") or "", given.get("reason") or "", given.get("code") or 0
    if not isinstance(code, int) or code < 400:
        code = 400
    text = f"{denied}: {message or reason}" if message or reason else f"{denied} without explanation"
    details = given.get("details")
    return ApiError(code, str(reason), text, dict(details) if isinstance(details, Mapping) else None)


def failure(name: str, why: str) -> ApiError:
    """The answer to the client when a webhook that must be asked cannot be."""
    return internal(f'failed calling webhook "{name}": {why}')
